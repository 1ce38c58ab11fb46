import { NotAllowed } from '../../../engine/ground/errors';
import { SENT_TWICE } from '../../validation/fields';
import { eventDetails } from './event-properties';

const read = (fields: object) => eventDetails({ name: 'buy', ...fields });
const propertiesOf = (props: object) => read({ props })!.properties;
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i]));

it.each([undefined, null])('takes %p for a page view', (sent) => {
  expect(eventDetails(sent)).toBeNull();
});

it('treats null and an empty text like an absent field', () => {
  const nothing = { name: 'buy', properties: null, value: null, currency: null, isPassive: false };
  expect(read({})).toMatchObject(nothing);
  expect(read({ props: null, value: null, currency: '', passive: null })).toMatchObject(nothing);
  expect(read({ props: {} })).toMatchObject(nothing);
});

it('keeps properties in their order, whatever their names', () => {
  const props = { b: 'text', a: -1.5, 'Größe 👕': true, ['__proto__']: '', constructor: 0 };
  expect(propertiesOf(props)).toEqual(Object.entries(props));
});

it('takes names of 64 and texts of 255 characters, and 20 properties', () => {
  expect(propertiesOf({ ['👕'.repeat(64)]: '👕'.repeat(255) })).toHaveLength(1);
  expect(propertiesOf(many(20))).toHaveLength(20);
});

it.each<[string, object]>([
  ['a name that is empty', { '': 1 }],
  ['a name that is too long', { ['a'.repeat(65)]: 1 }],
  ['a name of too many characters that take two places', { ['👕'.repeat(65)]: 1 }],
  ['a text that is too long', { a: 'a'.repeat(256) }],
  ['a number that is not finite', { a: Infinity }],
  ['null', { a: null }],
  ['an object', { a: {} }],
  ['an array', { a: [1] }],
  ['a name that was sent twice', { a: SENT_TWICE }],
  ['too many', many(21)],
  ['a list', ['a']],
])('refuses as properties %s', (_, props) => {
  expect(() => propertiesOf(props)).toThrow(NotAllowed);
});

it('keeps no secret, and nobody’s e-mail address', () => {
  const secrets = { token: 'x', 'X-Auth-Token': 'x', Password: 'x', email: 'a@b.example', session_id: 1 };
  expect(propertiesOf(secrets)).toBeNull();
  expect(
    propertiesOf({ ...secrets, a: ' Ann@mail.example', b: 'mailto:a@b.cd', c: 'a @ b', d: '@b.example' }),
  ).toEqual([
    ['a', '(removed)'],
    ['b', '(removed)'],
    ['c', 'a @ b'],
    ['d', '@b.example'],
  ]);
});

it('keeps well-formed text alone', () => {
  expect(propertiesOf({ 'a\ud800': '\udc00b' })).toEqual([['a\ufffd', '\ufffdb']]);
});

it.each([
  [19.9, '199000'],
  ['-19.90', '-199000'],
  [0, '0'],
  ['99999999999.9999', '999999999999999'],
])('keeps the value %p as %s ten-thousandths', (value, kept) => {
  expect(read({ value, currency: 'EUR' })).toMatchObject({ value: kept, currency: 'EUR' });
});

it.each<object>([
  { value: 1 },
  { currency: 'EUR' },
  { value: '', currency: 'EUR' },
  { value: 1, currency: 'eur' },
  { value: 1, currency: 'ABC' },
  { value: 1, currency: 978 },
  { value: 1, currency: SENT_TWICE },
  { value: '1,50', currency: 'EUR' },
  { value: 1e21, currency: 'EUR' },
  { value: 0.1 + 0.2, currency: 'EUR' },
  { value: NaN, currency: 'EUR' },
  { value: true, currency: 'EUR' },
  { value: { amount: 1 }, currency: 'EUR' },
  { name: '' },
  { name: 7 },
  { properties: {} },
])('refuses %j', (fields) => {
  expect(() => read(fields)).toThrow(NotAllowed);
});

it('counts the bytes of all its texts', () => {
  expect(read({ props: { a: 'x'.repeat(255) } })!.bytes).toBeGreaterThan(2 * 255);
});

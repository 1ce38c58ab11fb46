import { InvalidFields } from '../../../engine/ground/errors';
import { SENT_TWICE } from '../../validation/fields';
import { parseForm, parseJsonFields } from './body';

it.each([
  ['{"a":1,"b":"x"}', { a: 1, b: 'x' }],
  ['{"a":"\\"a\\":","b":{"a":[{"a":":"}]}}', { a: '"a":', b: { a: [{ a: ':' }] } }],
  ['{"a":1e0,"b":{"c":1.0}}', { a: NaN, b: { c: NaN } }],
  ['{"a":1,"b":2,"a":1}', { a: SENT_TWICE, b: 2 }],
  ['{"a":"x","\\u0061":"x"}', { a: SENT_TWICE }],
  ['{"a" : "x", "b":"", "a" : {"b":1}}', { a: SENT_TWICE, b: '' }],
  ['{"a":{"b":1,"b":2},"a":{"b":1}}', { a: SENT_TWICE }],
  [
    '{"a":[{"b":"x"},{"b":"x","b":"y"},[],{"b":"z"}]}',
    { a: [{ b: 'x' }, { b: SENT_TWICE }, [], { b: 'z' }] },
  ],
  ['{"a":{"b":{"c":"x","c":"x"}}}', { a: { b: { c: SENT_TWICE } } }],
])('reads %s', (text, fields) => {
  expect(parseJsonFields(text)).toEqual(fields);
});

it('takes numbers as JSON has them, where that is asked for', () => {
  const text = '{"a":1e0,"b":{"c":10.50,"c":1},"d":"\\n"}';
  expect(parseJsonFields(text, { anyNumbers: true })).toEqual({ a: 1, b: { c: SENT_TWICE }, d: '\n' });
});

it('refuses more fields than are worth a look, before it looks at each', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":0`).join();
  expect(parseJsonFields(`{${fields(200)}}`, { maxMembers: 200 })).toHaveProperty('199', 0);
  for (const text of [`{${fields(201)}}`, `{"a":{${fields(201)}}}`, `{"a":[${'0,'.repeat(4000)}0]}`])
    expect(() => parseJsonFields(text, { maxMembers: 200 })).toThrow(InvalidFields);
  expect(() => parseForm('a=1&'.repeat(5001))).toThrow(InvalidFields);
});

it('refuses more arrays and objects than a body needs, and says how many are allowed and where', () => {
  const bodyOf = (count: number) => `{"a":[${'[],'.repeat(count - 3)}{}]}`;
  expect(parseJsonFields(bodyOf(5000))).toHaveProperty('a');
  for (const [text, at] of [
    [bodyOf(5001), '15,001'],
    ['['.repeat(5001), '5,001'],
    ['{"a":'.repeat(5001), '25,001'],
  ] as const)
    expect(errorsOf(() => parseJsonFields(text))).toEqual({
      body: [`has more than 5,000 arrays and objects (one too many at character ${at})`],
    });
});

it.each(['[', '{', '"[', '\\[', '\\"{', '"'])('does not take texts of %s for arrays or objects', (text) => {
  const texts = JSON.stringify(Array.from({ length: 6000 }, () => text));
  expect(parseJsonFields(`{"a":${texts}}`)).toEqual({ a: Array<string>(6000).fill(text) });
});

function errorsOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as InvalidFields).errors;
  }
}

import { Malformed } from '../../common/problems';
import { entityTagOf, isKnown, knownTag, preconditionOf, tagInCoding } from './entity-tags';

const TAG = '"abc"';
const known = (header: string) => isKnown({ 'if-none-match': header }, TAG);
const allowed = (header: string) => preconditionOf({ 'if-match': header })(TAG);

const MALFORMED = [
  '',
  ' ',
  ',',
  'abc',
  '"abc',
  'abc"',
  '"abc" "abc"',
  '"a b"',
  'w/"abc"',
  'W/abc',
  '*, "abc"',
];

describe('a tag', () => {
  it('is the same of equal representations and another of others', () => {
    expect(entityTagOf({ a: 1, b: null })).toBe(entityTagOf({ a: 1, b: null }));
    expect(entityTagOf({ a: 1 })).not.toBe(entityTagOf({ a: '1' }));
  });

  it('is strong', () => {
    expect(entityTagOf('ü')).toMatch(/^"[\w-]{22}"$/);
  });

  it('is another one in each coding, which names the same version', () => {
    expect(tagInCoding(TAG, 'br')).toBe('"abc.br"');
    expect(knownTag({ 'if-none-match': '"x", W/"abc.br"' }, TAG)).toBe('"abc.br"');
    expect(knownTag({ 'if-none-match': '*' }, TAG)).toBe(TAG);
    expect(knownTag({}, TAG)).toBeUndefined();
  });
});

describe('If-None-Match', () => {
  it.each([
    '"abc"',
    '"abc.gzip"',
    'W/"abc"',
    '*',
    ' * ',
    '"x", "abc"',
    '"x","abc"',
    ', "x" ,\t,W/"abc",',
    '"a,b","abc"',
  ])('%j knows it', (header) => {
    expect(known(header)).toBe(true);
  });

  it.each(['"x"', '"abc.x.br"', '"ABC"', '"x,"', '"*"', '"x,abc"', ...MALFORMED])(
    '%j does not know it',
    (header) => {
      expect(known(header)).toBe(false);
    },
  );

  it('is no reason without one', () => {
    expect(isKnown({}, TAG)).toBe(false);
  });
});

describe('If-Match', () => {
  it.each(['"abc"', '"abc.br"', '*', '"x" , "abc"'])('%j allows a change', (header) => {
    expect(allowed(header)).toBe(true);
  });

  it.each(['W/"abc"', 'W/"abc.gzip", "x"'])('%j allows it, as a proxy changes tags', (header) => {
    expect(allowed(header)).toBe(true);
  });

  it.each(['"x"', '"*"', 'W/"x"', '"x.br"'])('%j forbids it', (header) => {
    expect(allowed(header)).toBe(false);
  });

  it.each(MALFORMED)('%j is malformed', (header) => {
    expect(() => allowed(header)).toThrow(Malformed);
  });
});

it('forbids a change of what If-None-Match names', () => {
  expect(preconditionOf({ 'if-none-match': '*' })(TAG)).toBe(false);
  expect(preconditionOf({ 'if-none-match': 'W/"abc"' })(TAG)).toBe(false);
  expect(preconditionOf({ 'if-none-match': '"x"' })(TAG)).toBe(true);
  expect(preconditionOf({})(TAG)).toBe(true);
});

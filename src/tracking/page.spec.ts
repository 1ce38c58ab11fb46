import fc from 'fast-check';
import { derivePage } from './page';
import { compileParameters } from './parameters';

const none = compileParameters(null);
const pageOf = (path: string, lines: string | null = null) =>
  derivePage(`https://example.com${path}`, compileParameters(lines)).page;

it.each([
  ['', '/'],
  ['?', '/'],
  ['#top', '/'],
  ['/a/b', '/a/b'],
  ['/a#b?c', '/a'],
  ['/a?b=1#c', '/a?b=1'],
  ['/caf%C3%A9/%7Ea%2fb', '/caf%C3%A9/%7Ea%2fb'],
  ['/café?q=é', '/caf%C3%A9?q=%C3%A9'],
  ['/a b', '/a%20b'],
  ['/%zz?%zz=%', '/%zz?%zz=%'],
  ['/a/../b', '/b'],
  ['/a;b=1?c;d', '/a;b=1?c;d'],
])('names the page of %p %s', (path, page) => {
  expect(pageOf(path)).toBe(page);
});

it('keeps a query byte for byte where nothing is removed', () => {
  const query = fc.string({ unit: fc.constantFrom('a', '&', '=', '+', '%', '2', 'B', '?', '/', '[', ']') });
  fc.assert(
    fc.property(query, (text) => {
      expect(pageOf(`/p?${text}`)).toBe(text === '' ? '/p' : `/p?${text}`);
    }),
  );
});

it.each([
  ['/a?utm_source=x&b=1', '/a?b=1'],
  ['/a?b=1&utm_source=x&c=2', '/a?b=1&c=2'],
  ['/a?utm_source=x&utm_medium=y', '/a'],
  ['/a?gclid=1&b=%20+%2B&fbclid=2&msclkid=3', '/a?b=%20+%2B'],
  ['/a?UTM_Source=x&GCLID=1&ScCid=2', '/a'],
  ['/a?utm%5Fsource=x&%67clid', '/a'],
  ['/a?b=utm_source&xutm_source=1&gclid2=3', '/a?b=utm_source&xutm_source=1&gclid2=3'],
  ['/a?ref=b&source=c&id=1&s=q&page=2&lang=de', '/a?ref=b&source=c&id=1&s=q&page=2&lang=de'],
])('removes tracking parameters: %s', (path, page) => {
  expect(pageOf(path)).toBe(page);
});

it.each([
  ['/a?b=1&&c=2&', '/a?b=1&&c=2&'],
  ['/a?&', '/a?&'],
  ['/a?utm_source=x&&b=1&', '/a?b=1'],
  ['/a?&&utm_source=x&&', '/a'],
])('removes blank parameters only together with others: %s', (path, page) => {
  expect(pageOf(path)).toBe(page);
});

it.each([
  ['/a?session=1&b=2', 'session', '/a?b=2'],
  ['/a?session=1&b=2&session&session=', 'session', '/a?b=2'],
  ['/a?Session=1', 'session', '/a?Session=1'],
  ['/a?sess%69on=1', 'session', '/a'],
  ['/a?my+name=1&my%20name=2&b', 'my+name', '/a?b'],
  ['/a?a%2Bb=1', 'a%2Bb', '/a'],
  ['/a?filter%5B%5D=1&filter[]=2&filter=3', 'filter[]', '/a?filter=3'],
  ['/a?%zz=1&b', '%zz', '/a?b'],
  ['/a?x=1&y=2&z=3', 'x\nz', '/a?y=2'],
  ['/a?ref_a=1&ref_=2&ref=3&xref_=4', 'ref_*', '/a?ref=3&xref_=4'],
  ['/a?a_id=1&id=2&id_a=3', '*_id', '/a?id=2&id_a=3'],
  ['/a?abc=1&ac=2&abbc=3&abcd=4', 'a*c', '/a?abcd=4'],
  ['/a?a=1&aa=2', 'a*a', '/a?a=1'],
  ['/a?axbxc=1&axc=2&acxb=3', '*a*b*c*', '/a?axc=2&acxb=3'],
  ['/a?a*b=1&axb=2', 'a%2Ab', '/a?axb=2'],
  ['/a?a.b=1&axb=2', 'a.b', '/a?axb=2'],
  ['/a?b=1&c', '*', '/a'],
  ['/a?&&', '*', '/a'],
  ['/a?b=1', '**', '/a'],
  ['/a?=1&b', '=', '/a?=1&b'],
  ['/a?constructor=1&__proto__=2', 'toString', '/a?constructor=1&__proto__=2'],
])('of %s the rules %p leave %s', (path, lines, page) => {
  expect(pageOf(path, lines)).toBe(page);
});

it('reads the campaign, whatever is left of the query', () => {
  const query =
    'utm_source=news&utm_medium=e-mail&utm_campaign=Spring%20Sale+%F0%9F%8C%B7&utm_term=a&utm_content=b';
  expect(derivePage(`https://example.com/?${query}`, compileParameters('*'))).toEqual({
    page: '/',
    utm: { source: 'news', medium: 'e-mail', campaign: 'Spring Sale 🌷', term: 'a', content: 'b' },
  });
});

it.each([
  ['', null],
  ['?utm_campaign', null],
  ['?utm_campaign=', null],
  ['?utm_campaign=+%20', null],
  ['?utm_campaign=&utm_campaign=+a+&utm_campaign=b', 'a'],
  ['?UTM_Campaign=A', 'A'],
  ['?utm%5Fcampaign=a=b', 'a=b'],
  ['?utm_campaign=%zz%41', '%zzA'],
  ['?utm_campaign=%ff', '\ufffd'],
  ['#utm_campaign=a', null],
])('takes from %p the campaign %p', (query, campaign) => {
  expect(derivePage(`https://example.com/${query}`, none).utm.campaign).toBe(campaign);
});

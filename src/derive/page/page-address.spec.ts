import fc from 'fast-check';
import { derivePage, parsePageAddress } from './page-address';
import { ParameterRules } from './excluded-parameters';

const pageOf = (path: string, lines: string | null = null) =>
  derivePage(parsePageAddress(`https://example.com${path}`)!, new ParameterRules(lines));
const campaignOf = (query: string) => parsePageAddress(`https://example.com/${query}`)!.utm;

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

it('preserves a query byte for byte if nothing is removed', () => {
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
  ['/a?token=1&b=2', '/a?b=2'],
  ['/a?access_token=1&id_token=2&refresh_token=3&csrf_token=4&X-Auth-Token=5', '/a'],
  ['/a?auth=1&password=2&passwd=3&pwd=4&new_password=5&secret=6&client_secret=7', '/a'],
  ['/a?session=1&sessionid=2&sid=3&PHPSESSID=4&jwt=5&api_key=6&apikey=7', '/a'],
  ['/a?email=a%40b.example&MAIL=2&user%5Femail=3&e-mail=4&b', '/a?b'],
  ['/a?code=1&key=2&state=3&user=4&page=5', '/a?code=1&key=2&state=3&user=4&page=5'],
  [
    '/a?tokens=1&emails=2&sessions=3&author=4&sidebar=5',
    '/a?tokens=1&emails=2&sessions=3&author=4&sidebar=5',
  ],
])('removes parameters that carry secrets or addresses: %s', (path, page) => {
  expect(pageOf(path)).toBe(page);
});

it('leaves out a query of more parameters than a page has', () => {
  const query = (length: number) => Array.from({ length }, (_, index) => `p${index}=1`).join('&');
  expect(pageOf(`/a?${query(200)}`)).toBe(`/a?${query(200)}`);
  expect(pageOf(`/a?${query(201)}`)).toBe('/a');
  expect(pageOf(`/a?${'&'.repeat(8000)}`)).toBe('/a');
});

it('leaves out a query that would take too long to compare with all wildcards', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `${'*a'.repeat(120)}*b${index}`).join('\n');
  expect(pageOf('/a?b=1', lines)).toBe('/a?b=1');
  expect(pageOf(`/a?${'a=1&'.repeat(100)}`, lines)).toBe('/a');
  expect(pageOf(`/a?${'a'.repeat(8000)}`, lines)).toBe('/a');
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
  ['/a?visit=1&b=2', 'visit', '/a?b=2'],
  ['/a?visit=1&b=2&visit&visit=', 'visit', '/a?b=2'],
  ['/a?Visit=1', 'visit', '/a?Visit=1'],
  ['/a?vis%69t=1', 'visit', '/a'],
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

it('reads the campaign, even from removed parameters', () => {
  const query =
    'utm_source=news&utm_medium=e-mail&utm_campaign=Spring%20Sale+%F0%9F%8C%B7&utm_term=a&utm_content=b';
  expect(pageOf(`/?${query}`, '*')).toBe('/');
  expect(campaignOf(`?${query}`)).toMatchObject({
    source: 'news',
    medium: 'e-mail',
    campaign: 'Spring Sale 🌷',
    term: 'a',
    content: 'b',
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
  expect(campaignOf(query).campaign).toBe(campaign);
});

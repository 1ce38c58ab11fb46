import { deriveReferrer, hostedPageIn, hostIn, parseUrl } from './host';

const CJK = String.fromCharCode(...Array.from({ length: 2700 }, (_, index) => 0x4e00 + index));

it.each([
  `https://${CJK}/`,
  ` https://${CJK}/`,
  `HTTPS:${CJK}`,
  `https:/${CJK}/`,
  `https:\\\\${CJK}\\a`,
  `https:////${CJK}?a`,
  `https:/\t/\n/${CJK}`,
  `https://user:word@${CJK}:443/`,
  `h\tttps://${CJK}/`,
  `wss://${CJK}#a`,
  `https://${'a'.repeat(256)}`,
])('parses no address with a host that is too long: %#', (address) => {
  const parse = jest.spyOn(global, 'URL');
  expect(parseUrl(address)).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(hostIn(address)).toBeNull();
});

it.each([
  [`https://${'a.'.repeat(120)}example/`, `${'a.'.repeat(120)}example`],
  [`https://example.com/${CJK}?${CJK}#${CJK}`, 'example.com'],
  ['https:example.com', 'example.com'],
  [' https://bücher.example\\a', 'xn--bcher-kva.example'],
])('finds the host of %s', (address, host) => {
  expect(hostIn(address)).toBe(host);
});

const referrerOf = (text: string, domain: string) => deriveReferrer(hostedPageIn(text), domain)?.host ?? null;

it.each([
  ['https://www.google.com/search?q=a', 'google.com'],
  ['https://News.Example.ORG:8443/a', 'news.example.org'],
  ['https://user:word@example.net./a', 'example.net'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://www.com/', 'www.com'],
  ['http://203.0.113.7:80/', '203.0.113.7'],
  ['http://[2001:db8::1]/', '[2001:db8::1]'],
  ['android-app://com.slack/', 'com.slack'],
  [
    'android-app://com.google.android.googlequicksearchbox/https/www.google.com',
    'com.google.android.googlequicksearchbox',
  ],
  ['ios-app://544007664/vnd.youtube', '544007664'],
  ['https://blog.example.com/', 'blog.example.com'],
  ['https://notexample.com/', 'notexample.com'],
  ['https://example.com.evil.example/', 'example.com.evil.example'],
])('takes from %s the host %s', (referrer, host) => {
  expect(referrerOf(referrer, 'example.com')).toBe(host);
});

it.each([
  '',
  'google.com',
  '//google.com/',
  '(direct)',
  'about:blank',
  'about:client',
  'data:text/html,a',
  'javascript:alert(1)',
  'file:///etc/hosts',
  'file://server/share',
  'localhost:3000/a',
  'https://',
  'http://a b/',
])('finds none in %p', (referrer) => {
  expect(referrerOf(referrer, 'example.com')).toBeNull();
});

it.each([
  'https://example.com/a',
  'http://www.example.com:8080/',
  'https://EXAMPLE.com./',
  'android-app://example.com/',
])('takes %s for the website itself', (referrer) => {
  expect(referrerOf(referrer, 'example.com')).toBeNull();
});

it('takes the domain above a website for another one', () => {
  expect(referrerOf('https://www.example.com/', 'blog.example.com')).toBe('example.com');
});

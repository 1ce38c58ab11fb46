import { hostedPageIn } from './host';
import { deriveReferrer } from './referrer';

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

import { domainIn } from './domain-in';

it.each([
  ['example.com', 'example.com'],
  ['  example.com\n', 'example.com'],
  ['https://www.example.com:8088/foo', 'example.com'],
  ['HTTP://WWW.Example.com', 'Example.com'],
  ['//example.com?a=b', 'example.com'],
  ['example.com/a:b@c', 'example.com'],
  ['example.com#top', 'example.com'],
  ['example.com.', 'example.com'],
  ['https://example.com.:8080/', 'example.com'],
  ['https://user:secret@example.com/', 'example.com'],
  ['//user@www.example.com', 'example.com'],
  ['www.shop.example.com/', 'shop.example.com'],
  ['www.com', 'www.com'],
  ['localhost:3000', 'localhost'],
  ['http://[::1]:3000/', '[::1]'],
  ['https://bücher.example/é', 'bücher.example'],
])('takes from "%s" %s', (pasted, domain) => expect(domainIn(pasted)).toBe(domain));

it.each([
  '',
  'https://',
  'somebody@example.com',
  'https://a@b@example.com/',
  'a b.example',
  'ftp://a.example',
])('leaves "%s" to the service', (text) => expect(domainIn(text)).toBe(text));

import { isForeignOrigin } from './origin';

it.each([
  undefined,
  'null',
  'https://example.com',
  'http://www.example.com:8080',
  'https://shop.example.com',
  'https://a.b.EXAMPLE.com.',
])('lets %p pass', (origin) => {
  expect(isForeignOrigin(origin, 'example.com')).toBe(false);
});

it.each([
  'https://example.org',
  'https://notexample.com',
  'https://example.com.evil.example',
  'https://com',
  'chrome-extension://abcdefghijklmnop',
  'file://',
  'about:blank',
  'example.com',
  'https://example.com https://evil.example',
  '',
  'nonsense',
])('takes %p for foreign', (origin) => {
  expect(isForeignOrigin(origin, 'example.com')).toBe(true);
});

it('takes the domain above a website for foreign', () => {
  expect(isForeignOrigin('https://example.com', 'blog.example.com')).toBe(true);
});

import { compileOrigins, isForeignOrigin } from './origin';

const foreign = (origin: string | undefined, domain: string, allowed: string | null = null) =>
  isForeignOrigin(origin, compileOrigins(domain, allowed));

it.each([
  undefined,
  'null',
  'https://example.com',
  'http://www.example.com:8080',
  'https://shop.example.com',
  'https://a.b.EXAMPLE.com.',
])('lets %p pass', (origin) => {
  expect(foreign(origin, 'example.com')).toBe(false);
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
])('regards %p as foreign', (origin) => {
  expect(foreign(origin, 'example.com')).toBe(true);
});

it('takes the domain above a website for foreign', () => {
  expect(foreign('https://example.com', 'blog.example.com')).toBe(true);
});

describe('with other hosts allowed', () => {
  const allowed = 'shop.example.net\n*.example.org\n*.www.parent.example\nlocalhost';

  it.each([
    'https://example.com',
    'https://sub.example.com',
    'https://shop.example.net',
    'https://www.shop.example.net:8443',
    'https://a.example.org',
    'https://a.b.example.org',
    'https://a.www.parent.example',
    'http://localhost:8080',
  ])('lets %p pass', (origin) => {
    expect(foreign(origin, 'example.com', allowed)).toBe(false);
  });

  it.each([
    'https://example.net',
    'https://a.shop.example.net',
    'https://example.org',
    'https://notexample.org',
    'https://a.parent.example',
    'https://example.org.evil.example',
    'https://127.0.0.1',
    'file://',
  ])('regards %p as foreign', (origin) => {
    expect(foreign(origin, 'example.com', allowed)).toBe(true);
  });
});

import fc from 'fast-check';
import { compileAddresses, normaliseAddress } from './addresses';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::', '::'],
  ['::1', '::1'],
])('writes %s as %s', (text, address) => {
  expect(normaliseAddress(text)).toBe(address);
});

it.each([
  '',
  'localhost',
  '203.0.113',
  '010.0.0.1',
  '0x7f.0.0.1',
  '1',
  '203.0.113.7:80',
  '[::1]',
  '::g',
  '10.0.0.0/8',
  ' ::1',
])('takes %p for no address', (text) => {
  expect(normaliseAddress(text)).toBeNull();
});

it('writes every form of an IPv6 address alike', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const address = normaliseAddress(text)!;
      expect(normaliseAddress(text.toUpperCase())).toBe(address);
      expect(normaliseAddress(address)).toBe(address);
    }),
  );
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7', '::ffff:203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '::ffff:cb00:7107'],
  ['10.0.0.0/8', '10.255.0.1'],
  ['10.1.2.3/8', '10.255.0.1'],
  ['10.0.0.0/8', '::ffff:10.0.0.1'],
  ['::ffff:10.0.0.0/104', '10.255.0.1'],
  ['::ffff:0:0/96', '203.0.113.7'],
  ['0.0.0.0/0', '203.0.113.7'],
  ['2001:db8::/32', '2001:DB8:ffff::1'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['::/0', '2001:db8::1'],
  ['192.0.2.1\n2001:db8::/32\n203.0.113.7/32', '203.0.113.7'],
])('%p covers %s', (lines, address) => {
  expect(compileAddresses(lines)(address)).toBe(true);
});

it.each([
  [null, '203.0.113.7'],
  ['203.0.113.7', '203.0.113.70'],
  ['203.0.113.0/25', '203.0.113.128'],
  ['2001:db8::/33', '2001:db8:8000::1'],
  ['0.0.0.0/0', '2001:db8::1'],
  ['::/0', '203.0.113.7'],
  ['::ffff:0:0/90', '2001:db8::1'],
  ['0.0.0.0/0', 'nonsense'],
])('%p does not cover %s', (lines, address) => {
  expect(compileAddresses(lines)(address)).toBe(false);
});

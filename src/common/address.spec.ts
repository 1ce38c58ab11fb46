import fc from 'fast-check';
import { excludableRange, networkOf, normaliseAddress } from './address';

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
])('does not take %p for an address', (text) => {
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
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('finds the network of %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
])('excludes %s by %s', (address, range) => expect(excludableRange(address)).toBe(range));

import type { NetworkInterfaceInfo } from 'node:os';
import { AllowedAddresses } from './allowed-addresses';

let cidrs: string[] = [];
const interfacesOf = () => ({
  eth0: cidrs.map((cidr) => ({ cidr, address: cidr.split('/')[0]! }) as NetworkInterfaceInfo),
});
const nobody = new AllowedAddresses([], interfacesOf);
const has = (allowed: AllowedAddresses, address: string) => allowed.among([{ address }]).length === 1;

it.each([
  '1.1.1.1',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '100.63.255.255',
  '100.128.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
  '::ffff:1.1.1.1',
  '64:ff9b::101:101',
  '2002:101:101::1',
])('%s is on the internet', (address) => expect(has(nobody, address)).toBe(true));

it.each([
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'shared by a provider'],
  ['127.0.0.1', 'this host'],
  ['127.255.255.254', 'this host'],
  ['169.254.169.254', 'metadata of a cloud'],
  ['168.63.129.16', 'metadata of a cloud'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.8', 'reserved'],
  ['192.0.2.1', 'for documentation'],
  ['192.88.99.1', 'a relay'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'for benchmarks'],
  ['198.51.100.1', 'for documentation'],
  ['203.0.113.1', 'for documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'this host'],
  ['::1', 'this host'],
  ['::7f00:1', 'compatible with IPv4'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:a9fe:a9fe', 'mapped'],
  ['::ffff:0:10.0.0.1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64 of this host'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 of metadata'],
  ['64:ff9b:1::101:101', 'local NAT64'],
  ['100::1', 'discarded'],
  ['2001::1', 'Teredo'],
  ['2001:2::1', 'for benchmarks'],
  ['2001:db8::1', 'for documentation'],
  ['2002:7f00:1::', '6to4 of this host'],
  ['2002:a00:1::1', '6to4 of a private one'],
  ['3fff::1', 'for documentation'],
  ['4000::1', 'not assigned'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd12:3456::1', 'unique local'],
  ['fe80::1', 'link local'],
  ['fe80::1%eth0', 'link local'],
  ['fec0::1', 'site local'],
  ['ff02::1', 'multicast'],
  ['2606:4700::1111%eth0', 'of a zone'],
  ['1', 'no address'],
  ['0x7f.1', 'no address'],
  ['localhost', 'no address'],
  ['', 'no address'],
])('%s is not: %s', (address) => expect(has(nobody, address)).toBe(false));

describe('an operator', () => {
  const allowed = new AllowedAddresses(['127.0.0.1', '10.1.0.0/16', 'fd00::/8'], interfacesOf);

  it.each(['127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd12::1', '1.1.1.1'])(
    'may allow %s',
    (address) => expect(has(allowed, address)).toBe(true),
  );

  it.each(['127.0.0.2', '10.2.0.1', 'fc00::1', '::1'])('does not thereby allow %s', (address) =>
    expect(has(allowed, address)).toBe(false),
  );
});

describe('a network of the machine', () => {
  const allowed = new AllowedAddresses(['1.2.3.9', '2a00:1:2:3::9'], interfacesOf);
  beforeEach(() => (cidrs = ['1.2.3.4/24', '5.6.7.8/32', '2a00:1:2:3::4/128', '2a00:1:2:4::4/48']));
  afterEach(() => (cidrs = []));

  it.each([
    '1.2.3.4',
    '1.2.3.200',
    '5.6.7.8',
    '::ffff:1.2.3.4',
    '64:ff9b::102:304',
    '2a00:1:2:3::4',
    '2a00:1:2:3:ffff::1',
    '2a00:1:2:ffff::1',
  ])('has %s, which is not called', (address) => expect(has(allowed, address)).toBe(false));

  it.each(['1.2.4.4', '5.6.7.9', '2a00:1:3::1', '1.2.3.9', '2a00:1:2:3::9'])(
    'does not have %s, or the operator allows it',
    (address) => expect(has(allowed, address)).toBe(true),
  );

  it('is looked up for each attempt', () => {
    cidrs = [];
    expect(has(allowed, '1.2.3.4')).toBe(true);
  });
});

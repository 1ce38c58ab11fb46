import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { Geography } from './geography';

const NOWHERE = { continent: '(unknown)', country: '(unknown)', city: '(unknown)' };
/** The bounds of ranges without public addresses. */
const EDGES =
  '0.0.0 0.255.255 10.0.0 10.255.255 100.64.0 100.127.255 127.0.0 127.255.255 169.254.0 169.254.255 172.16.0 ' +
  '172.31.255 192.0.0 192.0.2 192.31.196 192.52.193 192.88.99 192.168.0 192.168.255 192.175.48 198.18.0 198.19.255 ' +
  '198.51.100 203.0.113 224.0.0 239.255.255 240.0.0 255.255.255';

describe('the database that comes with the service', () => {
  let geography: Geography;
  beforeAll(() => {
    geography = Geography.open();
  });

  it.each([
    ['8.8.8.8', 'NA', 'US'],
    ['::ffff:8.8.8.8', 'NA', 'US'],
    ['::ffff:808:808', 'NA', 'US'],
    ['217.160.0.1', 'EU', 'DE'],
    ['2a02:2e0:3fe:1001:302::', 'EU', 'DE'],
  ])('finds %s in %s, %s', (ip, continent, country) => {
    expect(geography.locate(ip)).toMatchObject({ continent, country });
  });

  it('names the city with its region and country', () => {
    expect(geography.locate('8.8.8.8').city).toMatch(/^[^,(]+, [^,]+, US$/);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '198.51.100.1',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
    '2001:db8::1',
    '2002:808:808::1',
    '',
    'nonsense',
    '8.8.8',
  ])('does not know where %p is', (ip) => {
    expect(geography.locate(ip)).toEqual(NOWHERE);
  });
});

it('knows no place if places are off', () => {
  expect(Geography.open(false).locate('8.8.8.8')).toEqual(NOWHERE);
});

describe("a file in MaxMind's format", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'geography-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const openWith = async (ipVersion: 4 | 6) => {
    const file = join(folder, `ipv${ipVersion}.mmdb`);
    await writeFile(
      file,
      oneEverywhere(ipVersion, { country: { iso_code: 'AQ' }, city: { names: { en: 'Base' } } }),
    );
    return Geography.open(file);
  };
  const base = { continent: 'AN', country: 'AQ', city: 'Base, AQ' };

  it('answers for both kinds of address', async () => {
    const geography = await openWith(6);
    for (const ip of ['8.8.8.8', '2a00::1', '::ffff:8.8.8.8']) expect(geography.locate(ip)).toEqual(base);
    expect(geography.locate('10.0.0.1')).toEqual(NOWHERE);
  });

  it('answers for no special range of IPv4', async () => {
    const geography = await openWith(4);
    const shift = fc.constantFrom(-1, 0, 0, 0, 1);
    const edges = EDGES.split(' ').map((edge) => edge.split('.').map(Number));
    fc.assert(
      fc.property(fc.constantFrom(...edges), fc.tuple(shift, shift, shift), fc.nat(255), (edge, by, last) => {
        const ip = [...edge.map((octet, index) => (octet + by[index]! + 256) % 256), last].join('.');
        const expected = ipaddr.parse(ip).range() === 'unicast' ? base : NOWHERE;
        expect([ip, geography.locate(ip)]).toEqual([ip, expected]);
      }),
      { numRuns: 5000 },
    );
  });

  it('answers only for IPv4 if it holds nothing else', async () => {
    const geography = await openWith(4);
    expect(geography.locate('8.8.8.8')).toEqual(base);
    expect(geography.locate('2a00::1')).toEqual(NOWHERE);
  });

  it('is rejected if it is missing or something else', () => {
    expect(() => Geography.open(join(folder, 'none.mmdb'))).toThrow('ENOENT');
    expect(() => Geography.open(__filename)).toThrow("is not an address database in MaxMind's format");
  });
});

/** The smallest database: one node with the same record on both sides. */
function oneEverywhere(ipVersion: 4 | 6, record: object): Buffer {
  const pointer = 1 + 16;
  const node = Buffer.alloc(6);
  node.writeUIntBE(pointer, 0, 3);
  node.writeUIntBE(pointer, 3, 3);
  const metadata = { node_count: 1, record_size: 24, ip_version: ipVersion, build_epoch: 0, languages: '' };
  return Buffer.concat([
    node,
    Buffer.alloc(16),
    encoded(record),
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encoded({ ...metadata, binary_format_major_version: 2, binary_format_minor_version: 0 }),
  ]);
}

function encoded(value: unknown): Buffer {
  if (typeof value === 'number') return Buffer.from([0xa0 + 2, value >> 8, value & 0xff]);
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from([0x40 + value.length]), Buffer.from(value)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([Buffer.from([0xe0 + entries.length]), ...entries.flat().map(encoded)]);
}

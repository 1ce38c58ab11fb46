/** A property of an event. An event has a name once. */
export type Property = readonly [name: string, value: string | number | boolean];

/** What is kept of an accepted event: nothing that leads back to an address or an agent. */
export interface Hit {
  /** Seconds since 1970. */
  at: number;
  /** The day it counts for, as days since 1970 in the service's time zone when it was accepted. */
  day: number;
  /** The visitor of this day and website, as base64url; empty where the hit came too late to tell. */
  visitor: string;
  /** Null for a page view. */
  event: string | null;
  page: string;
  referrer: string | null;
  campaign: string | null;
  browser: string;
  operatingSystem: string;
  device: string;
  language: string;
  screen: string;
  continent: string;
  country: string;
  city: string;
  source: string | null;
  medium: string | null;
  term: string | null;
  content: string | null;
  browserVersion: string | null;
  operatingSystemVersion: string | null;
  /** The host of the page; null in hits of the time before it was kept. */
  hostname: string | null;
  /** The page that the referrer names, as host and path. */
  referrerPage: string | null;
  /** The kind of click id that the page's address brought, such as `gclid`. */
  clickId: string | null;
  properties: Property[] | null;
  /** An integer of 1/10,000 of the currency, as digits: a number does not hold the largest ones. */
  value: string | null;
  currency: string | null;
}

/** Each field of a hit, in their order in the tables; new ones go to the end, and are null in rows without them. */
const FIELDS = Object.keys({
  at: true,
  day: true,
  visitor: true,
  event: true,
  page: true,
  referrer: true,
  campaign: true,
  browser: true,
  operatingSystem: true,
  device: true,
  language: true,
  screen: true,
  continent: true,
  country: true,
  city: true,
  source: true,
  medium: true,
  term: true,
  content: true,
  browserVersion: true,
  operatingSystemVersion: true,
  hostname: true,
  referrerPage: true,
  clickId: true,
  properties: true,
  value: true,
  currency: true,
} satisfies Record<keyof Hit, true>) as (keyof Hit)[];

/** A hit as it stands in the tables, without the names of its fields and without nulls at its end. */
type Row = Hit[keyof Hit][];

export function encodeHits(hits: Hit[]): Buffer {
  return Buffer.from(JSON.stringify(hits.map(rowOf)));
}

export function decodeHits(bytes: Buffer): Hit[] {
  return (JSON.parse(bytes.toString()) as Row[]).map(hitOf);
}

/** Puts encoded hits together without reading them. */
export function joinHits(encoded: Buffer[]): Buffer {
  const rows = encoded.map((bytes) => bytes.subarray(1, -1)).filter(({ length }) => length > 0);
  const parts = rows.flatMap((bytes, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}

const COMMA = Buffer.from(',');

function rowOf(hit: Hit): Row {
  let end = FIELDS.length;
  while (end > 0 && hit[FIELDS[end - 1]!] === null) end--;
  const row: Row = [];
  for (let index = 0; index < end; index++) row.push(hit[FIELDS[index]!]);
  return row;
}

function hitOf(row: Row): Hit {
  const hit: Partial<Record<keyof Hit, unknown>> = {};
  for (let index = 0; index < FIELDS.length; index++) hit[FIELDS[index]!] = row[index] ?? null;
  return hit as Hit;
}

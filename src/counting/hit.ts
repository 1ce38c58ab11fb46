/** What is kept of an accepted event: nothing that leads back to an address or an agent. */
export interface Hit {
  /** Seconds since 1970. */
  at: number;
  /** The day it counts for, as days since 1970 in the service's time zone when it was accepted. */
  day: number;
  /** Who came, on this day and website, as base64url. */
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
}

/** A hit as it stands in the tables, without the names of its fields; new ones go to the end. */
type Row = [
  at: number,
  day: number,
  visitor: string,
  event: string | null,
  page: string,
  referrer: string | null,
  campaign: string | null,
  browser: string,
  operatingSystem: string,
  device: string,
  language: string,
  screen: string,
  continent: string,
  country: string,
  city: string,
  source: string | null,
  medium: string | null,
  term: string | null,
  content: string | null,
  browserVersion: string | null,
  operatingSystemVersion: string | null,
];

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

function rowOf({
  at,
  day,
  visitor,
  event,
  page,
  referrer,
  campaign,
  browser,
  operatingSystem,
  device,
  language,
  screen,
  continent,
  country,
  city,
  source,
  medium,
  term,
  content,
  browserVersion,
  operatingSystemVersion,
}: Hit): Row {
  return [
    at,
    day,
    visitor,
    event,
    page,
    referrer,
    campaign,
    browser,
    operatingSystem,
    device,
    language,
    screen,
    continent,
    country,
    city,
    source,
    medium,
    term,
    content,
    browserVersion,
    operatingSystemVersion,
  ];
}

function hitOf([
  at,
  day,
  visitor,
  event,
  page,
  referrer,
  campaign,
  browser,
  operatingSystem,
  device,
  language,
  screen,
  continent,
  country,
  city,
  source,
  medium,
  term,
  content,
  browserVersion,
  operatingSystemVersion,
]: Row): Hit {
  return {
    at,
    day,
    visitor,
    event,
    page,
    referrer,
    campaign,
    browser,
    operatingSystem,
    device,
    language,
    screen,
    continent,
    country,
    city,
    source,
    medium,
    term,
    content,
    browserVersion,
    operatingSystemVersion,
  };
}

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

/** The order in the tables; new fields go to the end. */
const FIELDS = [
  'at',
  'day',
  'visitor',
  'event',
  'page',
  'referrer',
  'campaign',
  'browser',
  'operatingSystem',
  'device',
  'language',
  'screen',
  'continent',
  'country',
  'city',
  'source',
  'medium',
  'term',
  'content',
  'browserVersion',
  'operatingSystemVersion',
] as const satisfies (keyof Hit)[];

export function encodeHits(hits: Hit[]): Buffer {
  return Buffer.from(JSON.stringify(hits.map((hit) => FIELDS.map((field) => hit[field]))));
}

export function decodeHits(bytes: Buffer): Hit[] {
  const rows = JSON.parse(bytes.toString()) as unknown[][];
  return rows.map(
    (row) => Object.fromEntries(FIELDS.map((field, index) => [field, row[index]])) as unknown as Hit,
  );
}

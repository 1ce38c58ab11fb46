/** A property of an event. An event has each name once. */
export type Property = readonly [name: string, value: string | number | boolean];

/** An accepted event. Nothing in it leads back to an address or a user agent. */
export interface Hit {
  /** Seconds since 1970. */
  at: number;
  /** The day that it counts for, as days since 1970 in the time zone of the service at acceptance. */
  day: number;
  /** The visitor of this day and website, as base64url. Empty if the hit arrived after the salt was removed. */
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
  /** The host of the page. Null in hits of versions that did not store it. */
  hostname: string | null;
  /** The page of the referrer, as host and path. */
  referrerPage: string | null;
  /** The kind of click id in the page's address, like `gclid`. */
  clickId: string | null;
  properties: Property[] | null;
  /** An integer of 1/10,000 of the currency, as digits: the largest values exceed a number. */
  value: string | null;
  currency: string | null;
  /** Whether the event neither ends a bounce nor lengthens a visit. Page views are not passive. */
  isPassive: boolean;
}

/** All hits have one shape. The fields have the order of the stored rows. */
export const NO_HIT: Hit = {
  at: 0,
  day: 0,
  visitor: '',
  event: null,
  page: '',
  referrer: null,
  campaign: null,
  browser: '',
  operatingSystem: '',
  device: '',
  language: '',
  screen: '',
  continent: '',
  country: '',
  city: '',
  source: null,
  medium: null,
  term: null,
  content: null,
  browserVersion: null,
  operatingSystemVersion: null,
  hostname: null,
  referrerPage: null,
  clickId: null,
  properties: null,
  value: null,
  currency: null,
  isPassive: false,
};

/** The order of the stored rows. New fields go to the end, and are null in older rows. */
function fieldsOf(hit: Hit) {
  return [
    hit.at,
    hit.day,
    hit.visitor,
    hit.event,
    hit.page,
    hit.referrer,
    hit.campaign,
    hit.browser,
    hit.operatingSystem,
    hit.device,
    hit.language,
    hit.screen,
    hit.continent,
    hit.country,
    hit.city,
    hit.source,
    hit.medium,
    hit.term,
    hit.content,
    hit.browserVersion,
    hit.operatingSystemVersion,
    hit.hostname,
    hit.referrerPage,
    hit.clickId,
    hit.properties,
    hit.value,
    hit.currency,
    hit.isPassive || null,
  ] as const;
}

/** A stored hit, without field names and without trailing nulls. */
type Row = Partial<ReturnType<typeof fieldsOf>>;

export function encodeHits(hits: Hit[]): Buffer {
  return joinHits(hits.map(encodeHit));
}

export function encodeHit(hit: Hit): string {
  return JSON.stringify(rowOf(hit));
}

/** Joins hits that were encoded one by one. The result is the same as that of `encodeHits`. */
export function joinHits(encoded: readonly string[]): Buffer {
  return Buffer.from(`[${encoded.join(',')}]`);
}

export function decodeHits(bytes: Buffer): Hit[] {
  try {
    return (JSON.parse(bytes.toString()) as Row[]).map(hitOf);
  } catch {
    throw new UnreadableHits();
  }
}

/** Unlike the error of JSON.parse, it quotes nothing that a visitor sent. */
export class UnreadableHits extends Error {
  override name = 'UnreadableHits';
}

function rowOf(hit: Hit): unknown[] {
  const fields = fieldsOf(hit);
  return fields.slice(0, fields.findLastIndex((field) => field !== null) + 1);
}

/** Field by field, so that all hits have one shape: this takes a quarter of the time. */
function hitOf(row: Row): Hit {
  return {
    at: row[0]!,
    day: row[1]!,
    visitor: row[2]!,
    event: orNull(row[3]),
    page: row[4]!,
    referrer: orNull(row[5]),
    campaign: orNull(row[6]),
    browser: row[7]!,
    operatingSystem: row[8]!,
    device: row[9]!,
    language: row[10]!,
    screen: row[11]!,
    continent: row[12]!,
    country: row[13]!,
    city: row[14]!,
    source: orNull(row[15]),
    medium: orNull(row[16]),
    term: orNull(row[17]),
    content: orNull(row[18]),
    browserVersion: orNull(row[19]),
    operatingSystemVersion: orNull(row[20]),
    hostname: orNull(row[21]),
    referrerPage: orNull(row[22]),
    clickId: orNull(row[23]),
    properties: orNull(row[24]),
    value: orNull(row[25]),
    currency: orNull(row[26]),
    isPassive: row[27] === true,
  };
}

function orNull<T>(field: T | undefined): T | null {
  return field ?? null;
}

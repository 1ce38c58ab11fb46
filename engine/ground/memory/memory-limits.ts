const MIB = 1024 * 1024;

/** The shares of the cache memory (`CACHE_MB`), in percent. */
const PERCENT = {
  pages: 5,
  hosts: 3,
  agents: 3,
  languages: 1,
  places: 3,
  addresses: 4,
  websites: 4,
  largeWebsites: 4,
  counters: 3,
  sums: 4,
  values: 8,
  openDays: 22,
  plainColumns: 3,
  liveAnswers: 1,
  columns: 26,
  usableKeys: 1,
  keyLimits: 1,
  addressLimits: 2,
  wrongKeyLimits: 1,
  wrongPasswordLimits: 1,
} as const;

/** The shares of the same names in the pool of threads that scan. An excluded open day is counted from columns there. */
const PERCENT_OF_SCANNED = { sums: 10, values: 20, openDays: 20, plainColumns: 50 } as const;

/**
 * The limits of one query in MiB, whatever other queries use. Beyond them, values are grouped together or the query is
 * refused.
 */
const QUERY = {
  /** For most columns; those of properties and of values may take half as much in addition. */
  texts: 64,
  derivedTexts: 64,
  rows: 64,
  filters: 96,
  /** A day in batches; a larger one uses memory that others leave. */
  days: 128,
};
const BESIDE_TEXTS = 0.5;
/** While further rows are grouped together, some still arrive before the next check. */
export const ROWS_OVER_LIMIT = 1.25;

/** The limits of work in progress per process, in MiB. Work that does not fit is refused or waits. */
const POOLS = {
  /** Bodies of requests and messages until they are answered. */
  events: 64,
  batches: 64,
  fields: 16,
  viewerQueries: 2,
  passwords: 1,
  messages: 64,
  /** Uncommitted events of browsers and of servers, separately, so that batches never block browsers. */
  browserEvents: 32,
  serverEvents: 16,
  /** Buffers of long reads and exports. A day of 250,000 hits takes some 56, a small one 16, a very large one runs alone. */
  reads: 96,
  /** Answers that clients do not read; the oldest ones are cut off. */
  unreadAnswers: 32,
  unreadMessages: 32,
  /** Days, rows, filters and texts for queries in all threads. A query that runs alone gets its full limits. */
  queries:
    (1 + BESIDE_TEXTS) * QUERY.texts +
    QUERY.derivedTexts +
    ROWS_OVER_LIMIT * QUERY.rows +
    QUERY.filters +
    QUERY.days,
  /** Texts and late hits of days without a rollup, while plain queries count them. The first 8 MiB of each are free. */
  countedDays: 128,
  /** The hits of the last 30 minutes of websites whose live visitors are viewed. */
  live: 48,
  /** The hits of the last 30 minutes during the first read and count. */
  liveLooks: 64,
  /** Counts of open days that exceed their share of the caches: one in each thread for plain queries. */
  largeDays: 256,
  /** Values that exceed their share of the caches: those of the last requested name. A million take some 100 MiB. */
  largeValues: 192,
  /** What threads that scan keep of plain names, because something is excluded: caches with shares of it. */
  scannedNames: 48,
  /** Values that exceed their share there: those of the last requested name, in each of these threads. */
  largeScannedValues: 96,
  /** Parts of days during sealing, and rollup data: half of it for each of up to two websites. All for a checkpoint. */
  sealing: 96,
} as const;

/**
 * A scan reads columns as arrays outside the heap. V8 would collect the whole heap after every few of them, which slows
 * scans down. So garbage may wait in the threads that scan, in proportion to the caches.
 */
const GARBAGE_OF_SCANS = { ofCaches: 1 / 2, mostMebibytes: 192 };

export type CacheName = keyof typeof PERCENT;
export type PoolName = keyof typeof POOLS;
/** A share of the cache memory, or another limit. */
export type CacheSize = CacheName | { readonly maxBytes: number; readonly name?: PoolName };

let totalBytes = 128 * MIB;

/** Must be called before the first use of a cache. */
export function setCacheBudget(mebibytes: number): void {
  totalBytes = mebibytes * MIB;
}

/** The limit for the entries of one cache, or of all caches of one kind together. */
export function bytesFor(name: CacheName): number {
  return Math.floor((totalBytes / 100) * PERCENT[name]);
}

export function bytesOfCache(size: CacheSize): number {
  return typeof size === 'string' ? bytesFor(size) : size.maxBytes;
}

/** The limit for one cache of plain names in one of the threads that scan. */
export function bytesOfScanned(name: keyof typeof PERCENT_OF_SCANNED, threads: number): number {
  return Math.floor((bytesOfPool('scannedNames') / threads / 100) * PERCENT_OF_SCANNED[name]);
}

export function garbageOfScansInMebibytes(): number {
  const { ofCaches, mostMebibytes } = GARBAGE_OF_SCANS;
  return Math.min(mostMebibytes, (ofCaches * totalBytes) / MIB);
}

export function sharesInPercent(): number[][] {
  return [PERCENT, PERCENT_OF_SCANNED].map((shares) => Object.values(shares));
}

/** The limit for all work of one kind. */
export function bytesOfPool(name: PoolName): number {
  return POOLS[name] * MIB;
}

export function bytesOfQuery(what: keyof typeof QUERY): number {
  return QUERY[what] * MIB;
}

/** The size of each pool in MiB. */
export function poolsInMebibytes(): Readonly<Record<PoolName, number>> {
  return POOLS;
}

const MIB = 1024 * 1024;

/** How the memory for caches (`CACHE_MB`) is shared out, in percent. */
const PERCENT = {
  pages: 5,
  hosts: 3,
  agents: 3,
  languages: 1,
  places: 3,
  addresses: 4,
  websites: 6,
  counters: 3,
  sums: 4,
  values: 8,
  openDays: 22,
  plainColumns: 3,
  liveAnswers: 1,
  columns: 28,
  usableKeys: 1,
  keyLimits: 1,
  addressLimits: 2,
  wrongKeyLimits: 1,
  wrongPasswordLimits: 1,
} as const;

/**
 * What one query may take while it is answered, in MiB. Beyond it values are taken together or the query is refused,
 * whatever others do.
 */
const QUERY = {
  /** Of most columns; those of properties and of values may take half as much beside. */
  texts: 64,
  derivedTexts: 64,
  rows: 64,
  filters: 96,
  /** A day in batches; a larger one takes of what others leave. */
  days: 128,
};
const BESIDE_TEXTS = 0.5;
/** Where further rows are taken together, some come until the next check. */
export const ROWS_OVER_LIMIT = 1.25;

/** What work under way may take in one process, in MiB. What does not fit is refused. */
const POOLS = {
  /** Bodies of requests and messages, until they are answered. */
  events: 64,
  batches: 64,
  fields: 16,
  viewerQueries: 2,
  passwords: 1,
  messages: 64,
  /** Events until they are committed, of browsers and of servers: apart, so that batches keep no browser out. */
  browserEvents: 32,
  serverEvents: 16,
  /** What long reads and exports hold. */
  reads: 64,
  /** Answers that their clients do not take; the oldest ones are cut off. */
  unreadAnswers: 32,
  unreadMessages: 32,
  /** Days, rows, filters and texts of all threads for queries together: one query that is alone gets all that it may take. */
  queries:
    (1 + BESIDE_TEXTS) * QUERY.texts +
    QUERY.derivedTexts +
    ROWS_OVER_LIMIT * QUERY.rows +
    QUERY.filters +
    QUERY.days,
  /** The hits of the last 30 minutes of websites whose live visitors are looked at. */
  live: 48,
  /** The same while they are read for the first time and counted. */
  liveLooks: 64,
  /** Counts of open days that are too large for their share of the caches, the last one of each thread for plain queries. */
  largeDays: 256,
  /** Values that are too large for theirs: those of the name that was asked for last. A million take some 100 MiB. */
  largeValues: 192,
  /** Parts of days while they are sealed, and what is rolled up: half of it for each of up to two websites. */
  sealing: 96,
} as const;

export type CacheName = keyof typeof PERCENT;
export type PoolName = keyof typeof POOLS;

let totalBytes = 128 * MIB;

/** Call it before the first use of a cache. */
export function setCacheBudget(mebibytes: number): void {
  totalBytes = mebibytes * MIB;
}

/** The most that the entries of one cache, or of all caches of one kind together, may take. */
export function bytesFor(name: CacheName): number {
  return Math.floor((totalBytes / 100) * PERCENT[name]);
}

export function sharesInPercent(): number[] {
  return Object.values(PERCENT);
}

/** The most that work of one kind may take. */
export function bytesOfPool(name: PoolName): number {
  return POOLS[name] * MIB;
}

export function bytesOfQuery(what: keyof typeof QUERY): number {
  return QUERY[what] * MIB;
}

/** What each pool takes, in MiB, for who adds them up. */
export function poolsInMebibytes(): Readonly<Record<PoolName, number>> {
  return POOLS;
}

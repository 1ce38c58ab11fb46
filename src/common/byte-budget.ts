const MIB = 1024 * 1024;

/** How the memory for caches (`CACHE_MB`) is shared out, in percent. */
const PERCENT = {
  pages: 6,
  hosts: 3,
  agents: 4,
  languages: 1,
  places: 3,
  addresses: 5,
  websites: 9,
  masks: 4,
  folders: 14,
  sums: 10,
  valueOrders: 6,
  live: 8,
  liveAnswers: 1,
  columns: 20,
  usableKeys: 1,
  keyLimits: 1,
  addressLimits: 2,
  wrongKeyLimits: 1,
  wrongPasswordLimits: 1,
} as const;

export type CacheName = keyof typeof PERCENT;

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

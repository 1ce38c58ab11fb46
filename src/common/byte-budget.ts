const MIB = 1024 * 1024;

/** How the memory for caches (`CACHE_MB`) is shared out, in percent. */
const PERCENT = {
  pages: 9,
  hosts: 3,
  agents: 5,
  languages: 1,
  places: 3,
  addresses: 8,
  websites: 12,
  masks: 5,
  folders: 25,
  sums: 17,
  valueOrders: 8,
  keyLimits: 1,
  addressLimits: 2,
  wrongKeyLimits: 1,
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

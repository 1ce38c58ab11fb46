const MINUTE_MS = 60_000;

/**
 * What has hashes of visitors is compared with the database at each use, and leaves memory this long after its last
 * use. So no process has hashes for more than an hour after the database has forgotten them.
 */
export const HASHES_IN_MEMORY = { maxAgeMs: 50 * MINUTE_MS, dropEveryMs: 10 * MINUTE_MS };

/** Tells whether something that was last used at a moment of `performance.now()` must leave memory. */
export function isTooOld(usedAt: number): boolean {
  return performance.now() - usedAt >= HASHES_IN_MEMORY.maxAgeMs;
}

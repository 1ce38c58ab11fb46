/** Clocks may differ by this much. One that differs by more is assumed to be wrong. */
export const CLOCKS_DIFFER_MS = 60_000;

/**
 * The latest end of something that lasts no longer than this. A later one dates from a clock that was ahead, and is not
 * waited for.
 */
export function latestEnd(now: number, longestMs: number): number {
  return now + longestMs + CLOCKS_DIFFER_MS;
}

/** A clock that was at a moment when this was called. It ignores changes of the system's clock. */
export function clockFrom(moment: number): () => number {
  const since = performance.now();
  return () => Math.floor(moment + performance.now() - since);
}

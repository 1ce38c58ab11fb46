/** Clocks may differ by this much. One that differs by more is assumed to be wrong. */
export const CLOCKS_DIFFER_MS = 60_000;

/** A clock that was at a moment when this was called. It ignores changes of the system's clock. */
export function clockFrom(moment: number): () => number {
  const since = performance.now();
  return () => Math.floor(moment + performance.now() - since);
}

/** A clock that was at a moment when this was called. It ignores changes of the system's clock. */
export function clockFrom(moment: number): () => number {
  const since = performance.now();
  return () => Math.floor(moment + performance.now() - since);
}

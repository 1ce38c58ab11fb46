const MAX_BLOCK_MS = 4;

/** All tasks of a thread share one turn of the event loop: with a turn each, many tasks would block it together. */
const waiting: (() => void)[] = [];
let turnEndsAt = 0;

function nextTurn(): void {
  turnEndsAt = performance.now() + MAX_BLOCK_MS;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

/** Pauses work that would block requests. A turn that seems to end too late results from a changed clock. */
export async function yieldIfNeeded(): Promise<void> {
  const leftMs = turnEndsAt - performance.now();
  if (leftMs > 0 && leftMs <= MAX_BLOCK_MS) return;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(nextTurn);
  });
}

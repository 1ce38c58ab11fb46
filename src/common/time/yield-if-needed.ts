const MAX_BLOCK_MS = 4;

/** All tasks of a thread share one turn of the event loop: each with a turn of its own, many would hold it together. */
const waiting: (() => void)[] = [];
let turnEndsAt = 0;

function nextTurn(): void {
  turnEndsAt = performance.now() + MAX_BLOCK_MS;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

/** Interrupts work that would keep requests waiting. A turn that ends later than it can is of a clock that was moved. */
export async function yieldIfNeeded(): Promise<void> {
  const leftMs = turnEndsAt - performance.now();
  if (leftMs > 0 && leftMs <= MAX_BLOCK_MS) return;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(nextTurn);
  });
}

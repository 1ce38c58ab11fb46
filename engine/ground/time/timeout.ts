export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Gives back a result that arrives after the timeout. */
export async function withTimeoutOrRelease<T>(
  milliseconds: number,
  taking: Promise<T>,
  giveBack: (late: T) => unknown,
): Promise<T> {
  try {
    return await withTimeout(milliseconds, taking);
  } catch (error) {
    taking.then(giveBack, () => undefined);
    throw error;
  }
}

/**
 * The time may already be up. A result that arrived while this process stood still is in time: Node.js runs timers
 * before it reads, so the timer lets it read once more.
 */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    const end = () => setImmediate(() => reject(new TimeoutError()));
    timer = setTimeout(end, Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

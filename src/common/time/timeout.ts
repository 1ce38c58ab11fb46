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

/** The time may already be up. */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError()), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

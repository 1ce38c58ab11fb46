export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** What comes too late is given back. */
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

/** The time may be up already. */
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

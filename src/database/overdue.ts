export class Overdue extends Error {}

/** What comes too late is given back. */
export async function taken<T>(
  milliseconds: number,
  taking: Promise<T>,
  giveBack: (late: T) => unknown,
): Promise<T> {
  try {
    return await within(milliseconds, taking);
  } catch (error) {
    taking.then(giveBack, () => undefined);
    throw error;
  }
}

export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Overdue()), milliseconds);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

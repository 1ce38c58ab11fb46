import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from '../dialect';
import type { ErrorMeaning } from './error-meaning';
import { DatabaseUnavailable } from '../errors';

const ATTEMPTS = 5;
const BUSY_PAUSE_MS = 100;

/** Retries work after conflicts with other transactions, until its time is up. */
export async function retrying<T>(
  { meaningOf }: Dialect,
  patienceMs: number,
  attempted: (deadline: number) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attempted(deadline);
    } catch (error) {
      const meaning = meaningOf(error);
      const pauseMs = pauseBeforeRetry(meaning, attempt);
      if (pauseMs !== undefined && performance.now() + pauseMs < deadline) await sleep(pauseMs);
      else if (meaning === 'ours' || meaning === 'duplicate') throw error;
      else throw new DatabaseUnavailable(error);
    }
  }
}

/** Undefined if a retry is useless. */
function pauseBeforeRetry(meaning: ErrorMeaning, attempt: number): number | undefined {
  if (meaning === 'busy') return BUSY_PAUSE_MS * (0.5 + Math.random());
  if (meaning === 'conflict' && attempt < ATTEMPTS) return Math.random() * 20 * attempt;
  return undefined;
}

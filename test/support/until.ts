import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { size } from './sizes';

/** The clock that no test changes. */
export const realNow = () => Performance.prototype.now.call(performance);

/** Far longer than any event takes on a slow machine, and half of the time that a test has. */
export const PATIENCE_MS = 300_000;

/** A little less than a test has, so that it fails by what it waits for. */
const LONGEST_MS = size('LONGEST_WAIT_MS', 540_000, 3_240_000);

/** Where tasks wait for processors, everything takes longer. */
const patienceMs = () =>
  Math.min(LONGEST_MS, PATIENCE_MS * Math.max(1, loadavg()[0]! / availableParallelism()));

/** Polls until `look` returns a value other than null, undefined and false, and returns that value. */
export async function until<T>(
  look: () => T | Promise<T>,
  everyMs = 20,
): Promise<Exclude<T, null | undefined | false>> {
  const since = realNow();
  let longestMs = 0;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, null | undefined | false>;
    const waitedMs = realNow() - since;
    // What was slow for a while may have much to catch up with.
    longestMs = Math.max(longestMs, patienceMs());
    if (waitedMs > longestMs)
      throw new Error(`not within ${Math.round(waitedMs / 1000)} s: ${look.toString()}`);
    await sleep(everyMs);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Unaffected by tests that mock the time. */
const now = performance.now.bind(performance);
/** Far longer than any event takes, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** Polls until `look` returns a value other than null, undefined and false, and returns that value. */
export async function until<T>(
  look: () => T | Promise<T>,
  everyMs = 20,
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, null | undefined | false>;
    if (now() > deadline) throw new Error(`not within a minute: ${look.toString()}`);
    await sleep(everyMs);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Tests that let time pass do not mean the time that they wait. */
const now = performance.now.bind(performance);
/** Far more than any event takes, on a busy machine too. */
const PATIENCE_MS = 60_000;

/** Polls until `look` answers with anything but nothing or false, and returns that answer. */
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

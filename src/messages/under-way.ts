import { setTimeout as sleep } from 'node:timers/promises';

/** Nest hands an answer over some time after it is made, and closes connections with what they have not sent. */
const LEAVE_MS = 100;

/** Knows what is under way, so that the service does not end before it is answered. */
export class UnderWay {
  private count = 0;
  private onIdle: (() => void) | undefined;
  isEnding = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.count++;
    try {
      return await work();
    } finally {
      if (--this.count === 0) this.onIdle?.();
    }
  }

  /** Waits until nothing is under way, for a limited time. */
  async end(milliseconds: number): Promise<void> {
    this.isEnding = true;
    if (this.count === 0) return;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await Promise.race([idle, sleep(milliseconds, undefined, { ref: false })]);
    await sleep(LEAVE_MS);
  }
}

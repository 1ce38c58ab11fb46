import { setTimeout as sleep } from 'node:timers/promises';

/** Nest sends an answer some time after it is made, and closes connections with unsent answers. */
const LEAVE_MS = 100;

/** Counts the messages in progress, so that the service answers them before it ends. */
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

  /** Waits until nothing is in progress, for a limited time. */
  async end(milliseconds: number): Promise<void> {
    this.isEnding = true;
    if (this.count === 0) return;
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await Promise.race([idle, sleep(milliseconds, undefined, { ref: false })]);
    await sleep(LEAVE_MS);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 5;

/**
 * The queries of a thread that count large days. They run one after the other, because each keeps the counts in memory
 * until it ends.
 */
export class LargeDays {
  private running: object | undefined;

  /** Waits until no other query counts large days. `pause` ends the wait by throwing. */
  async begin(query: object, pause: () => Promise<void>): Promise<void> {
    while (this.running !== undefined && this.running !== query) {
      await pause();
      await sleep(LOOK_EVERY_MS);
    }
    this.running = query;
  }

  /** Call it at the end of each query. */
  end(query: object): void {
    if (this.running === query) this.running = undefined;
  }
}

import { Overloaded } from '../common/problem';

const RUNNING = 32;
const PATIENCE_MS = 30_000;

interface Waiting {
  start: () => void;
  since: number;
}

/** Lets a few messages be answered at a time, so that thousands that come at once do not all ask the database at once. */
export class Turns {
  private running = 0;
  private readonly waiting = new Set<Waiting>();

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  private async turn(): Promise<void> {
    if (this.running < RUNNING && this.waiting.size === 0) {
      this.running++;
      return;
    }
    const since = performance.now();
    await new Promise<void>((resolve) => this.waiting.add({ start: resolve, since }));
    if (performance.now() - since <= PATIENCE_MS) return;
    this.running--;
    this.startNext();
    throw new Overloaded();
  }

  private startNext(): void {
    const [next] = this.waiting;
    if (!next || this.running >= RUNNING) return;
    this.waiting.delete(next);
    this.running++;
    next.start();
  }
}

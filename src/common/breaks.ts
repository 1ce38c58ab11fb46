const LONGEST_MS = 4;

/** Interrupts work that would keep requests waiting. */
export class Breaks {
  private since = performance.now();

  async whenDue(): Promise<void> {
    if (performance.now() - this.since < LONGEST_MS) return;
    await new Promise(setImmediate);
    this.since = performance.now();
  }
}

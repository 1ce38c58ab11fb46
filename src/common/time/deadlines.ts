interface Deadline {
  at: number;
  expire: () => void;
}

/** Deadlines of much work that all are equally far away: they expire in their order, so one timer serves them. */
export class Deadlines {
  private readonly waiting = new Set<Deadline>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** Calls back when the time is up, unless the function that it returns was called before. */
  add(expire: () => void): () => void {
    const deadline = { at: performance.now() + this.milliseconds, expire };
    this.waiting.add(deadline);
    this.timer ??= this.checkIn(this.milliseconds);
    return () => this.waiting.delete(deadline);
  }

  /** The timer keeps no process alive: it outlives work that ended early. */
  private checkIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.check(), milliseconds).unref();
  }

  private check(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const deadline of this.waiting) {
      if (deadline.at > now) {
        this.timer = this.checkIn(Math.ceil(deadline.at - now));
        return;
      }
      this.waiting.delete(deadline);
      deadline.expire();
    }
  }
}

interface Deadline {
  at: number;
  expire: () => void;
}

/** Deadlines with one common duration. They expire in order, so one timer serves all of them. */
export class Deadlines {
  private readonly waiting = new Set<Deadline>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** Calls `expire` when the time is up, unless the returned function is called first. */
  add(expire: () => void): () => void {
    const deadline = { at: performance.now() + this.milliseconds, expire };
    this.waiting.add(deadline);
    this.timer ??= this.checkIn(this.milliseconds);
    return () => this.waiting.delete(deadline);
  }

  /** The timer does not hold the process open: it may outlive its work. */
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

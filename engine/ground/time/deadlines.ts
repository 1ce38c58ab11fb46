interface Deadline {
  readonly at: number;
  /** Undefined once the deadline has expired or was cancelled. */
  expire: (() => void) | undefined;
  before: Deadline | undefined;
  after: Deadline | undefined;
}

/**
 * Deadlines with one common duration. They expire in order, so one timer serves all of them. They are linked, because a
 * `Set` would leave tables behind whenever it grows or shrinks, and each would keep its requests in memory until V8
 * collects the whole heap. For the same reason, deadlines that left have no links.
 */
export class Deadlines {
  private first: Deadline | undefined;
  private last: Deadline | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** Calls `expire` when the time is up, unless the returned function is called first. */
  add(expire: () => void): () => void {
    const at = performance.now() + this.milliseconds;
    const deadline: Deadline = { at, expire, before: this.last, after: undefined };
    if (this.last) this.last.after = deadline;
    else this.first = deadline;
    this.last = deadline;
    this.timer ??= this.checkIn(this.milliseconds);
    return () => this.remove(deadline);
  }

  private remove(deadline: Deadline): void {
    if (!deadline.expire) return;
    const { before, after } = deadline;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
    deadline.expire = deadline.before = deadline.after = undefined;
  }

  /** The timer does not hold the process open: it may outlive its work. */
  private checkIn(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.check(), milliseconds).unref();
  }

  private check(): void {
    const now = performance.now();
    try {
      while (this.first && this.first.at <= now) {
        const { expire } = this.first;
        this.remove(this.first);
        expire!();
      }
    } finally {
      this.timer = this.first && this.checkIn(Math.max(0, Math.ceil(this.first.at - now)));
    }
  }
}

const known = new Map<number, Deadlines>();

/** The deadlines of this duration that the whole process shares. */
export function deadlinesIn(milliseconds: number): Deadlines {
  let deadlines = known.get(milliseconds);
  if (!deadlines) known.set(milliseconds, (deadlines = new Deadlines(milliseconds)));
  return deadlines;
}

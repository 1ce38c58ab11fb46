import { Overloaded, TooManyRequests } from './errors';

/** The abort reason of a caller's signal, and the error of work that is dropped because its caller left. */
export class CallerLeft extends Error {}

/** The caller of costly work. */
export interface Caller {
  /** The user's id, or the address if there is no user. All keys of a user share the user's places in a gate. */
  readonly owner: number | string;
  /** Aborted when the caller leaves: work that has not begun is dropped. */
  readonly signal?: AbortSignal;
  /** If several callers share an owner: whether others of them wait in an earlier gate. */
  readonly doOthersWait?: () => boolean;
  /** Work for no user, which yields to users before its turn is over. */
  readonly isAnonymous?: boolean;
}

export interface GateLimits {
  running: number;
  runningOfOwner: number;
  waiting: number;
  waitingOfOwner: number;
  /** Waiting work is refused after this time, and new work at once if its owner's work has not moved for as long. */
  patienceMs: number;
}

/** The subject of work: work with the same subject runs one at a time. */
type Subject = string | number | undefined;

interface Waiter {
  readonly subject: Subject;
  /** Part of work that already runs: it is not counted as waiting, and never refused. */
  readonly admitted: boolean;
  readonly start: () => void;
}

class Line {
  running = 0;
  /** The number of waiters that are not admitted. */
  waiting = 0;
  readonly waiters: Waiter[] = [];
  /** The start times of the running work, in order. */
  readonly begunAt: number[] = [];

  constructor(readonly isAnonymous: boolean) {}
}

/**
 * Bounds the costly work that runs at once, in all and for each owner. Further work waits in a short queue, where the
 * owners take turns; beyond that it is refused at once.
 */
export class Gate {
  private running = 0;
  private waiting = 0;
  private readonly idleListeners = new Set<() => void>();
  /** The subjects of running work. */
  private readonly subjects = new Set<Subject>();
  /** One line for each owner who has work, ordered by the start of their last work. */
  private readonly lines = new Map<Caller['owner'], Line>();

  constructor(private readonly limits: GateLimits) {}

  /** Tells whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /**
   * Waits until nothing runs or waits, without a place in a line. Returns false after some time, or if as many wait
   * already as may in the lines.
   */
  async untilIdle(patienceMs: number): Promise<boolean> {
    if (this.isIdle) return true;
    if (this.idleListeners.size >= this.limits.waiting) return false;
    return new Promise((resolve) => {
      const end = (isIdle: boolean) => {
        clearTimeout(timer);
        this.idleListeners.delete(tell);
        resolve(isIdle);
      };
      const tell = () => end(true);
      const timer = setTimeout(() => end(false), patienceMs);
      this.idleListeners.add(tell);
    });
  }

  /** Runs the work in its turn, or refuses it. */
  async run<T>(caller: Caller, work: () => Promise<T>, subject?: Subject): Promise<T> {
    const line = this.lines.get(caller.owner);
    if (line && (line.waiting >= this.limits.waitingOfOwner || this.isBlocked(line)))
      throw new TooManyRequests();
    if (this.waiting >= this.limits.waiting) throw new Overloaded();
    return this.inTurn(caller, { subject, admitted: false }, work);
  }

  /** Runs the next part of admitted work in its turn. */
  continue<T>(caller: Caller, work: () => Promise<T>, subject?: Subject): Promise<T> {
    return this.inTurn(caller, { subject, admitted: true }, work);
  }

  /** Tells whether another owner waits for a place, except at their own limit or for a part of work that already runs. */
  isWantedByOthers({ owner, doOthersWait }: Caller): boolean {
    if (doOthersWait?.()) return true;
    const { runningOfOwner } = this.limits;
    return Array.from(this.lines).some(([other, { waiting, running }]) => {
      const isElse = other === owner ? doOthersWait !== undefined : running < runningOfOwner;
      return isElse && waiting > 0;
    });
  }

  /** Tells whether work for no user must make a place for a user. */
  isWantedByUsers(): boolean {
    const { runningOfOwner } = this.limits;
    return Array.from(this.lines.values()).some(
      ({ waiting, running, isAnonymous }) => !isAnonymous && running < runningOfOwner && waiting > 0,
    );
  }

  /** Tells whether the owner's work has not made room for longer than new work would wait. */
  private isBlocked({ running, begunAt }: Line): boolean {
    const { runningOfOwner, patienceMs } = this.limits;
    return running >= runningOfOwner && performance.now() - begunAt.at(-1)! > patienceMs;
  }

  private async inTurn<T>(
    { owner, signal, isAnonymous = false }: Caller,
    part: Omit<Waiter, 'start'>,
    work: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const line = this.lines.get(owner) ?? new Line(isAnonymous);
    this.lines.set(owner, line);
    await this.turn(line, part, signal);
    const begunAt = performance.now();
    line.begunAt.push(begunAt);
    try {
      return await work();
    } finally {
      line.begunAt.splice(line.begunAt.indexOf(begunAt), 1);
      this.running--;
      line.running--;
      this.subjects.delete(part.subject);
      this.startWaiters();
      if (this.isIdle) for (const tell of this.idleListeners) tell();
    }
  }

  private turn(line: Line, part: Omit<Waiter, 'start'>, signal: AbortSignal | undefined): Promise<void> {
    const isBehindOwn = line.running + line.waiting > 0;
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal?.removeEventListener('abort', leave);
        clearTimeout(timer);
      };
      const start = () => {
        settle();
        resolve();
      };
      const waiter = { ...part, start };
      const refuse = (reason: Error) => {
        settle();
        line.waiters.splice(line.waiters.indexOf(waiter), 1);
        this.count(line, waiter, -1);
        reject(reason);
      };
      const leave = () => refuse(signal!.reason as Error);
      const giveUp = () => refuse(isBehindOwn ? new TooManyRequests() : new Overloaded());
      const timer = part.admitted ? undefined : setTimeout(giveUp, this.limits.patienceMs).unref();
      signal?.addEventListener('abort', leave, { once: true });
      line.waiters.push(waiter);
      this.count(line, waiter, 1);
      this.startWaiters();
    });
  }

  private count(line: Line, { admitted }: Waiter, more: number): void {
    if (admitted) return;
    line.waiting += more;
    this.waiting += more;
  }

  private startWaiters(): void {
    for (const [owner, line] of this.lines) {
      if (this.running >= this.limits.running) return;
      if (line.running === 0 && line.waiters.length === 0) this.lines.delete(owner);
      if (line.running >= this.limits.runningOfOwner) continue;
      const waiter = line.waiters.find(({ subject }) => !this.subjects.has(subject));
      if (!waiter) continue;
      this.lines.delete(owner);
      this.lines.set(owner, line);
      this.running++;
      line.running++;
      if (waiter.subject !== undefined) this.subjects.add(waiter.subject);
      line.waiters.splice(line.waiters.indexOf(waiter), 1);
      this.count(line, waiter, -1);
      waiter.start();
    }
  }
}

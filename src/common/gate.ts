import { Overloaded, TooManyRequests } from './problem';

/** The reason of a caller's signal, and how work ends that is not done for it. */
export class CallerLeft extends Error {}

/** Who asks for work that costs much. */
export interface Caller {
  /**
   * The id of the user for whom it is done, or the address where there is no user. All keys of a user share the places
   * of a gate.
   */
  readonly owner: number | string;
  /** Aborted when the caller leaves: work that has not begun by then is not done. */
  readonly signal?: AbortSignal;
  /** Where several callers are one owner: whether others of them wait for a place in a gate before. */
  readonly doOthersWait?: () => boolean;
  /** Work that is done for no user, and gives way to users before its turn is over. */
  readonly isAnonymous?: boolean;
}

export interface GateLimits {
  running: number;
  runningOfOwner: number;
  waiting: number;
  waitingOfOwner: number;
  /** Work that waited for so long is refused, and at once where that of its owner has not moved for as long. */
  patienceMs: number;
}

/** What work is about: of all work about the same, one runs at a time. */
type Subject = string | number | undefined;

interface Waiter {
  readonly subject: Subject;
  /** Part of work that runs already: it is not counted as waiting, and never refused. */
  readonly admitted: boolean;
  readonly start: () => void;
}

class Line {
  running = 0;
  /** How many of the waiters are not admitted. */
  waiting = 0;
  readonly waiters: Waiter[] = [];
  /** When the work began that runs, in that order. */
  readonly begunAt: number[] = [];
}

/**
 * Bounds how much costly work runs at once, in all and for each owner. More work waits in a short queue, where the
 * owners take turns; work beyond that is refused at once.
 */
export class Gate {
  private running = 0;
  private waiting = 0;
  /** Of the work that runs. */
  private readonly subjects = new Set<Subject>();
  /** One line for each owner who has work. The one whose work began last stands last. */
  private readonly lines = new Map<Caller['owner'], Line>();

  constructor(private readonly limits: GateLimits) {}

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

  /** Whether somebody else waits for a place, and not for one of their own, or with a part of what runs already. */
  isWantedByOthers({ owner, doOthersWait }: Caller): boolean {
    if (doOthersWait?.()) return true;
    const { runningOfOwner } = this.limits;
    return Array.from(this.lines).some(([other, { waiting, running }]) => {
      const isElse = other === owner ? doOthersWait !== undefined : running < runningOfOwner;
      return isElse && waiting > 0;
    });
  }

  /** Whether no work of the owner has made room for another one for as long as that would wait. */
  private isBlocked({ running, begunAt }: Line): boolean {
    const { runningOfOwner, patienceMs } = this.limits;
    return running >= runningOfOwner && performance.now() - begunAt.at(-1)! > patienceMs;
  }

  private async inTurn<T>(
    { owner, signal }: Caller,
    part: Omit<Waiter, 'start'>,
    work: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const line = this.lines.get(owner) ?? new Line();
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

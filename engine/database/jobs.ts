import { setMaxListeners } from 'node:events';
import { Log } from '../ground/log';
import { Mutex } from '../ground/threads/mutex';
import { clockFrom } from '../ground/time/clock-from';
import type { Database } from './database';
import { reasonOf } from './errors';
import { Lease, LeaseLost } from './lease';

/** For a process that does not have the lease. */
const TAKES_EVERY_MS = 10_000;
/** The database's clock is asked this often. */
const CLOCK_MS = 15_000;

/** The time of one process with the jobs of a kind. Its lease fences what it writes. */
export interface Turn {
  readonly lease: Lease;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** False if the service stops or another process has the lease. */
  goesOn(): Promise<boolean>;
}

/** Work whose state is in rows, so that any process can continue it. One process at a time does the work of a lease. */
export interface JobKind {
  /** In the log, for example `mails about alerts`. */
  readonly name: string;
  /** The part of the service that the log names. */
  readonly part: string;
  readonly everyMs: number;
  readonly lease: { readonly name: string; readonly lengthMs: number };
  /** False if the settings switch it off. */
  readonly isOn?: boolean;
  /** Tells operators about the kind when the service starts. */
  announce?(signal: AbortSignal): void | Promise<void>;
  /** Asked without the lease, which writes something when it is taken. */
  isAnyDue(now: number): Promise<boolean>;
  work(turn: Turn): Promise<void>;
  /** A query for those that wait, with `website_id`, `due_at`, `tries` and the `reason` of the last failure. */
  waiting(now: number): string;
}

/** A job that is due or failed. Databases return large numbers as texts. */
export type WaitingJob = Record<'due_at' | 'tries', number | string> & {
  kind: string;
  website_id: number | string | null;
  reason: string | null;
};

/** Runs the jobs of all kinds. */
export class Jobs {
  private readonly loops = new Map<string, JobLoop>();
  private readonly leases = new Map<string, Lease>();
  private readonly end = new AbortController();
  private clock: { now: () => number; readAt: number } | undefined;

  constructor(private readonly database: Database) {
    setMaxListeners(0, this.end.signal);
  }

  register(kind: JobKind): void {
    const { name, lengthMs } = kind.lease;
    const lease = this.leases.get(name) ?? new Lease(this.database, name, lengthMs);
    this.leases.set(name, lease);
    this.loops.set(kind.name, new JobLoop(kind, lease, this.end.signal, () => this.readClock()));
  }

  start(): void {
    for (const loop of this.loops.values()) loop.start();
  }

  /** Does what is due of one kind, unless another process does. Throws LeaseLost if that takes the lease meanwhile. */
  async run(name: string, now?: number): Promise<void> {
    await this.loops.get(name)!.run(clockFrom(now ?? (await this.database.now())));
  }

  /** Some jobs of each kind that are due or failed, those first that are due for the longest time. */
  async list(mostOfKind: number): Promise<WaitingJob[]> {
    const now = await this.database.now();
    const lists = [...this.loops.values()].map(({ kind }) =>
      this.database.query<WaitingJob[]>(
        `SELECT ? AS kind, website_id, due_at, tries, reason FROM (${kind.waiting(now)}) waiting
        WHERE due_at <= ? OR tries > 0 ORDER BY due_at, website_id LIMIT ${mostOfKind}`,
        [kind.name, now],
      ),
    );
    return (await Promise.all(lists)).flat();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.end.abort();
    await Promise.all([...this.loops.values()].map((loop) => loop.stop()));
    await Promise.all([...this.leases.values()].map((lease) => lease.release()));
  }

  private async readClock(): Promise<() => number> {
    const readAt = performance.now();
    if (!this.clock || readAt > this.clock.readAt + CLOCK_MS)
      this.clock = { now: clockFrom(await this.database.now()), readAt };
    return this.clock.now;
  }
}

class JobLoop {
  private readonly log: Log;
  private readonly turns = new Mutex();
  private announced: void | Promise<void> = undefined;
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private takenAt = -Infinity;
  private isWarned = false;

  constructor(
    readonly kind: JobKind,
    private readonly lease: Lease,
    private readonly signal: AbortSignal,
    private readonly clock: () => Promise<() => number>,
  ) {
    this.log = new Log(kind.part);
  }

  start(): void {
    this.announced = this.kind.announce?.(this.signal);
    if (!this.isOn) return;
    this.timer ??= setInterval(() => this.nudge(), this.kind.everyMs);
    this.nudge();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.announced, this.turns.run(() => Promise.resolve())]);
  }

  run(now: () => number): Promise<void> {
    return this.turns.run(async () => {
      if (this.isOn && (await this.lease.take())) await this.work(now);
    });
  }

  private nudge(): void {
    this.nudged ??= this.turns
      .run(() => this.workIfDue())
      .then(
        () => void (this.isWarned = false),
        (error: unknown) => this.warn(error),
      )
      .finally(() => (this.nudged = undefined));
  }

  private async workIfDue(): Promise<void> {
    if (!this.isOn) return;
    const now = await this.clock();
    if ((await this.kind.isAnyDue(now())) && (await this.holdsLease())) await this.work(now);
  }

  private async work(now: () => number): Promise<void> {
    const { kind, lease, signal } = this;
    const goesOn = async () => !signal.aborted && lease.isHeld();
    await lease.renewDuring(() => kind.work({ lease, signal, now, goesOn }));
  }

  private get isOn(): boolean {
    return !this.signal.aborted && this.kind.isOn !== false;
  }

  private async holdsLease(): Promise<boolean> {
    if (await this.lease.isHeld()) return true;
    if (performance.now() < this.takenAt + TAKES_EVERY_MS) return false;
    this.takenAt = performance.now();
    return this.lease.take();
  }

  /** Once for each time that the database is away. */
  private warn(error: unknown): void {
    if (error instanceof LeaseLost) return;
    if (!this.isWarned) this.log.warn(`${this.kind.name} postponed: ${reasonOf(error)}`);
    this.isWarned = true;
  }
}

import { setMaxListeners } from 'node:events';
import { Log } from '../ground/log';
import { Counter, Gauge } from '../ground/measures';
import { Mutex } from '../ground/threads/mutex';
import { clockFrom } from '../ground/time/clock-from';
import type { Database } from './database';
import { reasonOf } from './errors';
import { Lease, LeaseLost } from './lease';

/** For a process that does not have the lease. */
const TAKES_EVERY_MS = 10_000;
/** The database's clock is asked this often. */
const CLOCK_MS = 15_000;

/** More are not counted. */
const MOST_COUNTED = 1000;

/** Jobs that are due because of other data are counted where they are looked for. */
export const JOBS_DUE = new Gauge('jobs_due', 'Jobs that are due, at most 1,000 of a kind.', ['kind']);
const JOBS_FAILING = new Gauge(
  'jobs_failing',
  'Jobs that failed and are tried again, of the due ones that are counted.',
  ['kind'],
);
const RUNS = new Counter('job_runs_total', 'Looks for jobs of a kind, and work on those found.', [
  'kind',
  'outcome',
]);

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
  /** Tells whether an index finds those that wait, so that they can be counted at any time. */
  readonly areRows?: true;
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

  /** Measures how many are due. */
  async look(): Promise<void> {
    const now = await this.database.now();
    for (const { kind } of this.loops.values()) {
      if (!kind.areRows) continue;
      const [row] = await this.database.query<Record<'due' | 'failing', number | string | null>[]>(
        `SELECT COUNT(*) AS due, SUM(CASE WHEN tries > 0 THEN 1 ELSE 0 END) AS failing FROM (
          SELECT tries FROM (${kind.waiting(now)}) waiting WHERE due_at <= ? LIMIT ${MOST_COUNTED}
        ) counted`,
        [now],
      );
      JOBS_DUE.set(Number(row!.due), kind.name);
      JOBS_FAILING.set(Number(row!.failing ?? 0), kind.name);
    }
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
        () => this.noteSuccess(),
        (error: unknown) => this.warn(error),
      )
      .finally(() => (this.nudged = undefined));
  }

  private async workIfDue(): Promise<void> {
    if (!this.isOn) return;
    const now = await this.clock();
    const isAnyDue = await this.kind.isAnyDue(now());
    if (!isAnyDue) JOBS_DUE.set(0, this.kind.name);
    else if (await this.holdsLease()) await this.work(now);
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

  private noteSuccess(): void {
    RUNS.add(1, this.kind.name, 'done');
    this.isWarned = false;
  }

  /** Once for each time that the database is away. */
  private warn(error: unknown): void {
    if (error instanceof LeaseLost) return;
    RUNS.add(1, this.kind.name, 'failed');
    if (!this.isWarned) this.log.warn(`${this.kind.name} postponed: ${reasonOf(error)}`);
    this.isWarned = true;
  }
}

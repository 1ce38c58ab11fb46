import { latestEnd } from '../ground/time/clock-from';
import type { Lease } from './lease';
import { insertRows, type Transaction } from './rows';
import type { Turn } from './jobs';

const ROUND_MS = 60_000;
const OWNER_MS = 10_000;

/** A job for an owner. */
export interface OwnedJob {
  id: number;
  ownerId: number;
}

/** Jobs that are due because of other data: no row is written for them. */
export interface DueJobs<J extends OwnedJob> {
  /** Some of those that are due, in the order in which owners take turns. */
  due(now: number): Promise<J[]>;
  run(job: J): Promise<void>;
  /** The most at once, and of one owner. */
  places: { all: number; ofOwner: number };
}

const MAX_REASON_LENGTH = 255;

/** Why a job of a website waits although it is due: it failed, or took long. */
export interface Rest {
  websiteId: number;
  until: number;
  /** Failures in a row. */
  tries: number;
  reason: string | null;
}

/** The rests of a kind of jobs that are due because of other data: rows of `jobs`, without which nothing rests. */
export class Rests {
  constructor(
    private readonly kind: string,
    /** A later end dates from a clock that was ahead. */
    private readonly longestMs: number,
  ) {}

  /** The tables of a query from a column with the id of a website, and its rest if it has one. */
  join(websiteId: string): string {
    return `LEFT JOIN jobs rest ON rest.website_id = ${websiteId} AND rest.kind = '${this.kind}'`;
  }

  /** A condition for a website that does not rest. */
  areOver(now: number): string {
    return `(rest.due_at IS NULL OR rest.due_at NOT BETWEEN ${now + 1} AND ${latestEnd(now, this.longestMs)})`;
  }

  /** A query for those that go on. */
  waiting(now: number): string {
    return `SELECT website_id, due_at, tries, reason FROM jobs WHERE kind = '${this.kind}'
      AND due_at BETWEEN ${now + 1} AND ${latestEnd(now, this.longestMs)}`;
  }

  async begin(lease: Lease, { websiteId, until, tries, reason }: Rest): Promise<void> {
    const text = reason === null ? null : [...reason].slice(0, MAX_REASON_LENGTH).join('');
    await lease.write(async (manager) => {
      await this.remove(manager, websiteId);
      await insertRows(
        manager,
        'jobs',
        ['website_id', 'kind', 'due_at', 'tries', 'reason'],
        [[websiteId, this.kind, until, tries, text]],
      );
    });
  }

  end(lease: Lease, websiteId: number): Promise<void> {
    return lease.write((manager) => this.remove(manager, websiteId));
  }

  private async remove(manager: Transaction, websiteId: number): Promise<void> {
    await manager.query('DELETE FROM jobs WHERE website_id = ? AND kind = ?', [websiteId, this.kind]);
  }
}

/** Runs what is due in rounds, each job once in a round. */
export async function runInTurns<J extends OwnedJob>(turn: Turn, jobs: DueJobs<J>): Promise<void> {
  while (await runRound(turn, jobs));
}

/** Tells whether any that are due were put off to the next round. */
async function runRound<J extends OwnedJob>(turn: Turn, jobs: DueJobs<J>): Promise<boolean> {
  const round = new Round(turn.now);
  while (await turn.goesOn()) {
    const due = (await jobs.due(turn.now())).filter((job) => round.takes(job));
    if (due.length === 0) return round.hasPutOff;
    const waiting = new WaitingJobs(due, round, jobs.places.ofOwner);
    const work = async () => {
      for (let next = waiting.take(); next && (await turn.goesOn()); next = waiting.take()) {
        const job = next;
        await round.count(job, () => jobs.run(job));
        waiting.leave(job);
      }
    };
    // All end before the lease is no longer renewed, also where one fails because the database is away.
    const works = await Promise.allSettled(Array.from({ length: jobs.places.all }, work));
    for (const ended of works) if (ended.status === 'rejected') throw ended.reason;
  }
  return false;
}

/** Limited time for each owner and for all. Everybody's first job is done in any case. */
export class Round {
  /** Tells whether jobs wait for the next round. */
  hasPutOff = false;
  private readonly endsAt: number;
  private readonly begun = new Set<number>();
  private readonly spentMs = new Map<number, number>();

  constructor(private readonly now: () => number) {
    this.endsAt = now() + ROUND_MS;
  }

  takes({ id, ownerId }: OwnedJob): boolean {
    if (this.begun.has(id)) return false;
    const spentMs = this.spentMs.get(ownerId);
    const hasTime = spentMs === undefined || (spentMs < OWNER_MS && this.now() < this.endsAt);
    this.hasPutOff ||= !hasTime;
    return hasTime;
  }

  /** Counts a job and its time. */
  async count({ id, ownerId }: OwnedJob, work: () => Promise<void>): Promise<void> {
    this.begun.add(id);
    const begunAt = this.now();
    await work();
    this.spentMs.set(ownerId, (this.spentMs.get(ownerId) ?? 0) + this.now() - begunAt);
  }
}

/** Jobs in the order in which they are run, in the time of a round, but at once only a few of one owner. */
export class WaitingJobs<J extends OwnedJob> {
  private readonly underWay: number[] = [];

  constructor(
    private readonly waiting: J[],
    private readonly round: Round,
    private readonly ofOwner: number,
  ) {}

  /** Undefined if only those of owners wait whose places are taken. Whoever leaves such a place takes the next one. */
  take(): J | undefined {
    const index = this.waiting.findIndex(
      (job) => this.placesOf(job.ownerId) < this.ofOwner && this.round.takes(job),
    );
    if (index === -1) return undefined;
    const [next] = this.waiting.splice(index, 1);
    this.underWay.push(next!.ownerId);
    return next;
  }

  leave({ ownerId }: J): void {
    this.underWay.splice(this.underWay.indexOf(ownerId), 1);
  }

  private placesOf(ownerId: number): number {
    return this.underWay.filter((own) => own === ownerId).length;
  }
}

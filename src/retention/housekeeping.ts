import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../../engine/database/database';
import { reasonOf } from '../../engine/database/errors';
import { Lease, LeaseLost } from '../../engine/database/lease';
import { DeletedWebsites } from './deleted-websites';
import { ExpiredRows } from './expired-rows';
import type { Expiry, RetentionRule, Moments } from '../../engine/database/retention-rules';
import { type Attempt, RemovalFailures } from './removal-failures';
import { RetentionClock, storeDone } from '../../engine/database/retention-clock';
import { PacedRemoval } from './paced-removal';

export const RETENTION_RULES_TOKEN = Symbol('tables whose rows are removed');

const EVERY_MS = 60_000;
/** Longer than the pause, so that a process continues its own work. */
const LEASE_MS = 90_000;
/** Due rows are removed within minutes, unless they must wait. */
const LATE_AFTER_MS = 3_600_000;
const DELETED_WEBSITES = 'deleted websites';

type Round = 'urgent' | 'rewrites' | 'others';

interface RetentionWarning {
  code: 'retention_held' | 'retention_late' | 'retention_fails';
  website_id?: number;
  detail: string;
}

/**
 * Removes expired rows in the background, in small steps. It knows no tables: each feature lists its own. One process
 * at a time does this, and progress is stored, so that it costs nothing while nothing is due. Urgent rules have their
 * own rounds, so that they never wait for a long removal. Urgent rewrites, which may take long, go on beside further rounds.
 */
@Injectable()
export class Housekeeping implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Housekeeping');
  private readonly lease: Lease;
  private readonly removal: PacedRemoval;
  private readonly expired: ExpiredRows;
  private readonly deleted: DeletedWebsites;
  private readonly failures = new RemovalFailures(this.logger);
  /** Rules whose removed rows are gone from SQLite's log too; deleted websites count as a rule. */
  private readonly withoutTrace = new Set<string>();
  private urgent: Promise<void> | undefined;
  private rewrites: Promise<void> | undefined;
  private others: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    @Inject(RETENTION_RULES_TOKEN) private readonly rules: RetentionRule[],
  ) {
    this.lease = new Lease(database, 'housekeeping', LEASE_MS);
    this.removal = new PacedRemoval(database, this.lease);
    this.expired = new ExpiredRows(this.removal);
    this.deleted = new DeletedWebsites(this.removal, rules);
  }

  start(): void {
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
    this.nudge();
  }

  nudge(): void {
    this.urgent ??= this.putOffWhereItFails(this.tidyUrgent()).finally(() => (this.urgent = undefined));
    this.others ??= this.putOffWhereItFails(this.urgent.then(() => this.tidyOthers())).finally(
      () => (this.others = undefined),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.removal.isStopped = true;
    clearInterval(this.timer);
    await Promise.all([this.urgent, this.others]);
    await this.rewrites;
    await this.lease.release();
  }

  /** Removes due rows, unless another process does. */
  async tidy(now?: number): Promise<void> {
    await this.tidyUrgent(now);
    await this.rewrites;
    await this.tidyOthers(now);
  }

  /** Warnings for operators. */
  async warnings(): Promise<RetentionWarning[]> {
    const failing = this.failures.warnings();
    const held = await this.clock.warning();
    const { now, trusted, ...moments } = await this.clock.moments();
    const earlier = { ...moments, now: now - LATE_AFTER_MS, trusted: trusted - LATE_AFTER_MS };
    const done = await this.runRules();
    const late = this.rules
      .flatMap(({ expiries = [] }) => expiries)
      .filter(({ name, limit }) => (limit(earlier) ?? 0) > (done.get(name) ?? Infinity))
      .filter(({ name }) => !this.failures.has(name))
      .map(({ name }) => ({
        code: 'retention_late' as const,
        detail: `The removal of expired rows is late: ${name}.`,
      }));
    return [...(held ? [{ code: 'retention_held' as const, detail: held }] : []), ...late, ...failing];
  }

  private tidyUrgent(now?: number): Promise<void> {
    return this.underLease(async () => {
      const moments = await this.clock.begin(now);
      const done = await this.runRules();
      await this.expireAll(moments, done, 'urgent');
      this.rewrites ??= this.putOffWhereItFails(this.expireAll(moments, done, 'rewrites')).finally(
        () => (this.rewrites = undefined),
      );
    });
  }

  private tidyOthers(now?: number): Promise<void> {
    return this.underLease(async () => {
      const moments = await this.clock.moments(now);
      await this.expireAll(moments, await this.runRules(), 'others');
      await this.failures.during(DELETED_WEBSITES, (attempt) => this.purge(moments, attempt));
    });
  }

  private async expireAll(moments: Moments, done: Map<string, number>, round: Round): Promise<void> {
    for (const rule of this.rules)
      for (const expiry of rule.expiries ?? [])
        if (roundOf(expiry) === round)
          await this.failures.during(expiry.name, (attempt) =>
            this.expire(rule, expiry, moments, done, attempt),
          );
  }

  private async purge(moments: Moments, attempt: Attempt): Promise<void> {
    const { changes } = this.removal;
    await this.deleted.purge(moments, attempt);
    if (this.removal.changes !== changes) this.withoutTrace.delete(DELETED_WEBSITES);
    await this.leavesNoTrace(DELETED_WEBSITES);
  }

  private putOffWhereItFails(round: Promise<void>): Promise<void> {
    return round.catch((error: unknown) => this.logger.warn(`cleanup postponed: ${reasonOf(error)}`));
  }

  private async expire(
    rule: RetentionRule,
    expiry: Expiry,
    moments: Moments,
    done: Map<string, number>,
    attempt: Attempt,
  ): Promise<void> {
    const { name } = expiry;
    const limit = expiry.limit(moments);
    // The stored limit is higher if a clock was once ahead.
    if (limit === undefined || limit === done.get(name)) return;
    const { changes } = this.removal;
    const isDone = await this.expired.remove({ rule, expiry, limit, moments, attempt });
    if (this.removal.changes !== changes) this.withoutTrace.delete(name);
    if (!isDone || this.removal.isStopped) return;
    if (expiry.leavesNoTrace && !(await this.leavesNoTrace(name))) return;
    await this.lease.write((manager) => storeDone(manager, this.database.dialect, name, limit));
  }

  /** Empties the log after a removal, and once after a start: the process that removed rows may have been killed. */
  private async leavesNoTrace(name: string): Promise<boolean> {
    if (this.withoutTrace.has(name)) return true;
    if (!(await this.database.emptyLog())) return false;
    this.withoutTrace.add(name);
    return true;
  }

  private async runRules(): Promise<Map<string, number>> {
    const rows = await this.database.read((manager) =>
      manager.query<{ name: string; done_before: number }[]>('SELECT name, done_before FROM retention'),
    );
    return new Map(rows.map(({ name, done_before }) => [name, Number(done_before)]));
  }

  /** Failures and the state of the log are only valid in the process that holds the lease. */
  private async underLease(work: () => Promise<void>): Promise<void> {
    if (this.removal.isStopped) return;
    try {
      if (await this.lease.take()) return await work();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
    this.failures.clear();
    this.withoutTrace.clear();
  }
}

function roundOf({ isUrgent, rewrite }: Expiry): Round {
  if (!isUrgent) return 'others';
  return rewrite ? 'rewrites' : 'urgent';
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database';
import { reasonOf } from '../database/errors';
import { Lease, LeaseLost } from '../database/lease';
import { changedBy, inChunks, inPieces, placesFor } from '../database/rows';
import type { Work } from '../database/connections';
import {
  type Condition,
  type Expiry,
  isOfWebsite,
  type Kept,
  type Moments,
  type Rewrite,
  type WebsiteUpdate,
} from './kept';
import type { EntityManager } from 'typeorm';
import { type Attempt, RemovalFailures } from './removal-failures';
import { RetentionClock, storeDone } from './retention-clock';

export const KEPT = Symbol('tables whose rows are removed');

const HOUR_MS = 3_600_000;
const EVERY_MS = 60_000;
/** Longer than the pause, so that a process goes on with what it began. */
const LEASE_MS = 90_000;
const MAX_ROWS = 2000;
/** What one statement removes at most, so that others do not wait for it. */
const MAX_BYTES = 4 * 1024 * 1024;
const BETWEEN_CHUNKS_MS = 20;
/** Of the websites of which something is due. */
const WEBSITES_AT_ONCE = 100;
/** Where rows are of very different sizes; a server reads all of a row to tell its size. */
const MAX_SIZED_ROWS = 64;
const MAX_SIZED_BYTES = 2 * 1024 * 1024;
/** A commit that began before a website was deleted may still leave something behind. */
const DELETED_LEAVES_MS = HOUR_MS;
/** What is due is done within minutes, unless it waits for something. */
const LATE_AFTER_MS = HOUR_MS;
const DELETED: Kept = { table: 'deleted_websites', key: 'website_id' };
const DELETED_WEBSITES = 'deleted websites';

export interface RetentionWarning {
  code: 'retention_held' | 'retention_late' | 'retention_fails';
  website_id?: number;
  detail: string;
}

/**
 * Removes in the background what has had its time, in small pieces. It knows no table: each feature lists its own. One
 * process at a time does it, and what was done is remembered, so that it costs nothing where nothing is due. What is
 * urgent has rounds of its own, so that it never waits for a long removal.
 */
@Injectable()
export class Housekeeping implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Housekeeping');
  private readonly lease: Lease;
  private readonly failures = new RemovalFailures(this.logger);
  private urgent: Promise<void> | undefined;
  private others: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    @Inject(KEPT) private readonly kept: Kept[],
  ) {
    this.lease = new Lease(database, 'housekeeping', LEASE_MS);
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
    this.stopped = true;
    clearInterval(this.timer);
    await Promise.all([this.urgent, this.others]);
    await this.lease.release();
  }

  /** Removes what is due, unless another process does. */
  async tidy(now?: number): Promise<void> {
    await this.tidyUrgent(now);
    await this.tidyOthers(now);
  }

  /** What an operator has to know. */
  async warnings(): Promise<RetentionWarning[]> {
    const failing = this.failures.warnings();
    const held = await this.clock.warning();
    const { now, trusted, ...moments } = await this.clock.moments();
    const earlier = { ...moments, now: now - LATE_AFTER_MS, trusted: trusted - LATE_AFTER_MS };
    const done = await this.done();
    const late = this.kept
      .flatMap(({ expiries = [] }) => expiries)
      .filter(({ name, limit }) => (limit(earlier) ?? 0) > (done.get(name) ?? Infinity))
      .filter(({ name }) => !this.failures.has(name))
      .map(({ name }) => ({
        code: 'retention_late' as const,
        detail: `Rows that should be removed are still there: ${name}.`,
      }));
    return [...(held ? [{ code: 'retention_held' as const, detail: held }] : []), ...late, ...failing];
  }

  private tidyUrgent(now?: number): Promise<void> {
    return this.underLease(async () => this.expireAll(await this.clock.begin(now), true));
  }

  private tidyOthers(now?: number): Promise<void> {
    return this.underLease(async () => {
      const moments = await this.clock.moments(now);
      await this.expireAll(moments, false);
      await this.failures.during(DELETED_WEBSITES, (attempt) => this.purgeDeleted(moments, attempt));
    });
  }

  private async expireAll(moments: Moments, isUrgent: boolean): Promise<void> {
    const done = await this.done();
    for (const kept of this.kept)
      for (const expiry of kept.expiries ?? [])
        if ((expiry.isUrgent ?? false) === isUrgent)
          await this.failures.during(expiry.name, (attempt) =>
            this.expire(kept, expiry, moments, done, attempt),
          );
  }

  private putOffWhereItFails(round: Promise<void>): Promise<void> {
    return round.catch((error: unknown) => this.logger.warn(`cleanup postponed: ${reasonOf(error)}`));
  }

  private async expire(
    kept: Kept,
    expiry: Expiry,
    moments: Moments,
    done: Map<string, number>,
    attempt: Attempt,
  ): Promise<void> {
    const { name, column, order } = expiry;
    const limit = expiry.limit(moments);
    // A clock that was ahead has left a later limit behind.
    if (limit === undefined || limit === done.get(name)) return;
    const isDone = isOfWebsite(order)
      ? await this.expireByWebsite(kept, expiry, limit, moments, attempt)
      : kept.bytesColumn
        ? await this.expireByAge(kept, expiry, limit, attempt)
        : await this.remove(kept, order, `${column} < ?`, [limit]);
    if (!isDone || this.stopped) return;
    if (expiry.leavesNoTrace && !(await this.database.emptyLog())) return;
    await this.lease.write((manager) => storeDone(manager, this.database.dialect, name, limit));
  }

  /** One statement finds the websites of which something is due, by one row of each, so that others cost nothing. */
  private async expireByWebsite(
    kept: Kept,
    expiry: Expiry,
    limit: number,
    moments: Moments,
    attempt: Attempt,
  ): Promise<boolean> {
    const { column, due: isDue, waits, whileWaiting, rewrite } = expiry;
    const { sql, parameters } = waits?.(limit, moments) ?? { sql: '0', parameters: [] };
    const condition = isDue?.(moments) ?? oldestBelow(kept.table, column, limit);
    const due = await this.database.read((manager) =>
      manager.query<{ website_id: number | string; waits: number | string }[]>(
        `SELECT website_id, CASE WHEN ${sql} THEN 1 ELSE 0 END AS waits FROM counting WHERE ${condition.sql}`,
        [...parameters, ...condition.parameters],
      ),
    );
    const ready = due.filter((own) => Number(own.waits) === 0).map(({ website_id }) => Number(website_id));
    const waiting = due.filter((own) => Number(own.waits) === 1).map(({ website_id }) => Number(website_id));
    for (const some of inChunks(waiting, WEBSITES_AT_ONCE))
      if (whileWaiting && !this.stopped)
        await this.lease.write((manager) => updateAll(manager, whileWaiting, some));
    let areAllDone = waiting.length === 0;
    for (const some of inChunks(ready, rewrite ? 1 : WEBSITES_AT_ONCE)) {
      const isDone = rewrite
        ? await attempt(some[0], () => this.rewrite(rewrite, some[0]!, moments))
        : await this.removeOfWebsites(kept, expiry, limit, some, attempt);
      areAllDone &&= isDone;
    }
    return areAllDone;
  }

  /** Where rows of some websites cannot be removed together, they are removed one website after the other. */
  private async removeOfWebsites(
    kept: Kept,
    expiry: Expiry,
    limit: number,
    websiteIds: number[],
    attempt: Attempt,
  ): Promise<boolean> {
    try {
      return await this.removeBelow(kept, expiry, limit, websiteIds);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
    }
    return this.oneByOne(kept, expiry, limit, websiteIds, attempt);
  }

  private async oneByOne(
    kept: Kept,
    expiry: Expiry,
    limit: number,
    websiteIds: number[],
    attempt: Attempt,
  ): Promise<boolean> {
    let areAllDone = true;
    for (const websiteId of websiteIds) {
      const isDone = await attempt(websiteId, () => this.removeBelow(kept, expiry, limit, [websiteId]));
      areAllDone &&= isDone;
    }
    return areAllDone;
  }

  private removeBelow(kept: Kept, expiry: Expiry, limit: number, websiteIds: number[]): Promise<boolean> {
    const { column, order, first } = expiry;
    const condition = `website_id IN ${placesFor(websiteIds)} AND ${column} < ?`;
    return this.remove(kept, order, condition, [...websiteIds, limit], (manager) =>
      updateAll(manager, first?.(limit) ?? [], websiteIds),
    );
  }

  /** The oldest rows of all websites first, as many in a transaction as are small together. */
  private async expireByAge(kept: Kept, expiry: Expiry, limit: number, attempt: Attempt): Promise<boolean> {
    try {
      while (!this.stopped) {
        if (!(await this.lease.write((manager) => this.removeOldest(manager, kept, expiry, limit))))
          return true;
        await sleep(BETWEEN_CHUNKS_MS);
      }
      return false;
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
    }
    const left = await this.database.read((manager) =>
      manager.query<{ website_id: number | string }[]>(
        `SELECT DISTINCT website_id FROM ${kept.table} WHERE ${expiry.column} < ?`,
        [limit],
      ),
    );
    const websiteIds = left.map(({ website_id }) => Number(website_id));
    return this.oneByOne(kept, expiry, limit, websiteIds, attempt);
  }

  /** False where there was nothing to remove. */
  private async removeOldest(
    manager: EntityManager,
    { table, bytesColumn }: Kept,
    { column, order, first }: Expiry,
    limit: number,
  ): Promise<boolean> {
    const rows = await manager.query<Record<'website_id' | 'bytes', number | string>[]>(
      `SELECT website_id, LENGTH(${bytesColumn}) AS bytes FROM ${table} WHERE ${column} < ?
      ORDER BY ${order} LIMIT ${MAX_SIZED_ROWS}`,
      [limit],
    );
    const [some] = inPieces(rows, MAX_SIZED_ROWS, MAX_SIZED_BYTES, ({ bytes }) => Number(bytes));
    if (!some) return false;
    const websiteIds = [...new Set(some.map(({ website_id }) => Number(website_id)))];
    await updateAll(manager, first?.(limit) ?? [], websiteIds);
    const condition = `${column} < ? AND website_id IN ${placesFor(websiteIds)}`;
    const statement = this.database.dialect.deleteSome(table, order, condition, some.length);
    await manager.query(statement, [limit, ...websiteIds]);
    return true;
  }

  /** As with days, one statement for each table finds the websites of which something is left. */
  private async purgeDeleted({ now }: Moments, attempt: Attempt): Promise<void> {
    const deleted = await this.database.read((manager) =>
      manager.query<{ website_id: number; deleted_at: number }[]>(
        'SELECT website_id, deleted_at FROM deleted_websites',
      ),
    );
    if (deleted.length === 0) return;
    const notEmpty = new Set<number>();
    let areAllLookedThrough = true;
    for (const kept of this.kept.filter(({ key }) => isOfWebsite(key))) {
      const isLookedThrough = await attempt(undefined, async () => {
        for (const websiteId of await this.deletedWithRowsIn(kept))
          if (!(await attempt(websiteId, () => this.removeOf(websiteId, kept)))) notEmpty.add(websiteId);
        return true;
      });
      areAllLookedThrough &&= isLookedThrough;
    }
    if (!areAllLookedThrough) return;
    for (const { website_id: websiteId, deleted_at } of deleted)
      if (!notEmpty.has(websiteId) && deleted_at < now - DELETED_LEAVES_MS)
        await attempt(websiteId, () => this.removeOf(websiteId, DELETED));
  }

  /** For many websites, MariaDB would read the whole table to answer EXISTS. */
  private async deletedWithRowsIn({ table }: Kept): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ website_id: number }[]>(
        `SELECT website_id FROM deleted_websites deleted
        WHERE (SELECT 1 FROM ${table} kept WHERE kept.website_id = deleted.website_id LIMIT 1) = 1`,
      ),
    );
    return rows.map(({ website_id }) => website_id);
  }

  private rewrite(rewrite: Rewrite, websiteId: number, moments: Moments): Promise<boolean> {
    const goOn = async () => {
      await this.lease.renewIfDue();
      return !this.stopped;
    };
    return rewrite(this.database, {
      ...{ websiteId, moments, goOn },
      write: (work) => this.lease.write(work),
    });
  }

  private removeOf(websiteId: number, kept: Kept): Promise<boolean> {
    return this.remove(kept, kept.key, 'website_id = ?', [websiteId]);
  }

  /** Returns whether all of it was removed. */
  private async remove(
    { table, maxRowBytes = 0 }: Kept,
    order: string,
    condition: string,
    parameters: unknown[],
    before: Work<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    const rows = Math.min(MAX_ROWS, Math.floor(MAX_BYTES / maxRowBytes));
    const statement = this.database.dialect.deleteSome(table, order, condition, rows);
    while (!this.stopped) {
      const removed = await this.lease.write(async (manager) => {
        await before(manager);
        return changedBy(manager, statement, parameters);
      });
      if (removed < rows) return true;
      await sleep(BETWEEN_CHUNKS_MS);
    }
    return false;
  }

  private async done(): Promise<Map<string, number>> {
    const rows = await this.database.read((manager) =>
      manager.query<{ name: string; done_before: number }[]>('SELECT name, done_before FROM retention'),
    );
    return new Map(rows.map(({ name, done_before }) => [name, Number(done_before)]));
  }

  /** Failures are known to the process that has the lease. */
  private async underLease(work: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      if (await this.lease.take()) return await work();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
    this.failures.clear();
  }
}

async function updateAll(
  manager: EntityManager,
  updates: WebsiteUpdate[],
  websiteIds: number[],
): Promise<void> {
  for (const { update, parameters, where } of updates)
    await manager.query(
      `UPDATE ${update} WHERE website_id IN ${placesFor(websiteIds)}${where ? ` AND ${where.sql}` : ''}`,
      [...parameters, ...websiteIds, ...(where?.parameters ?? [])],
    );
}

/** Whether a website, as a row of `counting`, has a row in a table below a limit. */
function oldestBelow(table: string, column: string, limit: number): Condition {
  return {
    sql: `(SELECT kept.${column} FROM ${table} kept WHERE kept.website_id = counting.website_id
      ORDER BY kept.${column} LIMIT 1) < ?`,
    parameters: [limit],
  };
}

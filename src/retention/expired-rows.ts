import { inChunks, inPieces, placeholdersFor, type Transaction } from '../../engine/database/rows';
import {
  dueWebsites,
  type Expiry,
  isOfWebsite,
  websiteIn,
  type RetentionRule,
  type Moments,
  type Rewrite,
  type WebsiteUpdate,
} from '../../engine/database/retention-rules';
import { type Attempt, findLeft, unlessItFails } from './removal-failures';
import type { PacedRemoval } from './paced-removal';

/** Due websites per transaction. */
const WEBSITES_AT_ONCE = 100;
/** For rows of very different sizes: a server reads a whole row to get its size. */
const MAX_SIZED_ROWS = 64;
const MAX_SIZED_BYTES = 2 * 1024 * 1024;

/** Expired rows of a table. */
interface Expired {
  rule: RetentionRule;
  expiry: Expiry;
  limit: number;
  moments: Moments;
  attempt: Attempt;
}

interface DueWebsites {
  ready: number[];
  waiting: number[];
}

/** Removes expired rows by website, by age and size, or by age alone. */
export class ExpiredRows {
  constructor(private readonly removal: PacedRemoval) {}

  /** True if all were removed. */
  remove(expired: Expired): Promise<boolean> {
    const { rule, expiry, limit } = expired;
    if (isOfWebsite(expiry.order)) return this.removeByWebsite(expired);
    if (rule.bytesColumn) return this.removeByAge(expired);
    const { order, column } = expiry;
    return this.removal.remove(rule, { order, condition: `${column} < ?`, parameters: [limit] });
  }

  private async removeByWebsite(expired: Expired): Promise<boolean> {
    const { rewrite, whileWaiting } = expired.expiry;
    const { moments, attempt } = expired;
    const { ready, waiting } = await this.findDue(expired);
    for (const some of inChunks(waiting, WEBSITES_AT_ONCE))
      if (whileWaiting && !this.removal.isStopped)
        await this.removal.write((manager) => updateAll(manager, whileWaiting, some));
    let areAllDone = waiting.length === 0;
    for (const some of inChunks(ready, WEBSITES_AT_ONCE)) {
      const isDone = rewrite
        ? isNone(await findLeft(some, attempt, (websiteId) => this.rewrite(rewrite, websiteId, moments)))
        : await this.removeOfWebsites(expired, some);
      areAllDone &&= isDone;
    }
    return areAllDone;
  }

  /** One statement finds the due websites, by one row each, so other websites cost nothing. */
  private async findDue({ rule, expiry, limit, moments }: Expired): Promise<DueWebsites> {
    const { sql, parameters } = dueWebsites(rule, expiry, limit, moments);
    const due = await this.removal.database.read((manager) =>
      manager.query<{ website_id: number | string; waits: number | string }[]>(sql, parameters),
    );
    const idsOf = (waits: number) =>
      due.filter((own) => Number(own.waits) === waits).map(({ website_id }) => Number(website_id));
    return { ready: idsOf(0), waiting: idsOf(1) };
  }

  /** Removes the oldest rows of all websites first, in transactions of limited size. */
  private async removeByAge(expired: Expired): Promise<boolean> {
    const { rule, expiry, limit } = expired;
    const isDone = await unlessItFails(() =>
      this.removal.repeat((manager) => this.removeOldest(manager, expired)),
    );
    if (isDone !== undefined) return isDone;
    const left = await this.removal.database.read((manager) =>
      manager.query<{ website_id: number | string }[]>(
        `SELECT DISTINCT website_id FROM ${rule.table} WHERE ${expiry.column} < ?`,
        [limit],
      ),
    );
    return this.removeOneByOne(
      expired,
      left.map(({ website_id }) => Number(website_id)),
    );
  }

  /** False if there was nothing to remove. */
  private async removeOldest(manager: Transaction, { rule, expiry, limit }: Expired): Promise<boolean> {
    const { table, bytesColumn } = rule;
    const { column, order, first } = expiry;
    const rows = await manager.query<Record<'website_id' | 'bytes', number | string>[]>(
      `SELECT website_id, LENGTH(${bytesColumn}) AS bytes FROM ${table} WHERE ${column} < ?
      ORDER BY ${order} LIMIT ${MAX_SIZED_ROWS}`,
      [limit],
    );
    const [some] = inPieces(rows, MAX_SIZED_ROWS, MAX_SIZED_BYTES, ({ bytes }) => Number(bytes));
    if (!some) return false;
    const websiteIds = [...new Set(some.map(({ website_id }) => Number(website_id)))];
    await updateAll(manager, first?.(limit) ?? [], websiteIds);
    const condition = `${column} < ? AND website_id IN ${placeholdersFor(websiteIds)}`;
    const statement = this.removal.database.dialect.deleteSome(table, order, condition, some.length);
    await manager.query(statement, [limit, ...websiteIds]);
    this.removal.changes++;
    return true;
  }

  /** If rows of several websites cannot be removed together, they are removed website by website. */
  private async removeOfWebsites(expired: Expired, websiteIds: number[]): Promise<boolean> {
    const isDone = await unlessItFails(() => this.removeTogether(expired, websiteIds));
    return isDone ?? this.removeOneByOne(expired, websiteIds);
  }

  private async removeOneByOne(expired: Expired, websiteIds: number[]): Promise<boolean> {
    const remove = (websiteId: number) => this.removeTogether(expired, [websiteId]);
    return isNone(await findLeft(websiteIds, expired.attempt, remove));
  }

  private removeTogether({ rule, expiry, limit }: Expired, websiteIds: number[]): Promise<boolean> {
    const { column, order, first } = expiry;
    const condition = `${websiteIn(rule.key)} IN ${placeholdersFor(websiteIds)} AND ${column} < ?`;
    const removed = { order, condition, parameters: [...websiteIds, limit] };
    return this.removal.remove(rule, removed, (manager) =>
      updateAll(manager, first?.(limit) ?? [], websiteIds),
    );
  }

  private rewrite(rewrite: Rewrite, websiteId: number, moments: Moments): Promise<boolean> {
    const { removal } = this;
    return rewrite(removal.database, {
      ...{ websiteId, moments },
      goOn: () => removal.goesOn(),
      write: (work) => removal.write(work),
    });
  }
}

function isNone(left: readonly number[]): boolean {
  return left.length === 0;
}

async function updateAll(
  manager: Transaction,
  updates: WebsiteUpdate[],
  websiteIds: number[],
): Promise<void> {
  for (const { update, parameters, where } of updates)
    await manager.query(
      `UPDATE ${update} WHERE website_id IN ${placeholdersFor(websiteIds)}${where ? ` AND ${where.sql}` : ''}`,
      [...parameters, ...websiteIds, ...(where?.parameters ?? [])],
    );
}

import type { Database } from '../database/database';
import { leaseIsFree } from './leases/counting-lease';

/** The number of websites that one transaction seals on a server. */
export const DUE_AT_ONCE = 200;
const LOOKED_AT_ONCE = 500;

interface DuePlace {
  dueAt: number;
  websiteId: number;
}

interface DueWebsite extends DuePlace {
  /** Tells whether no other process counts the website. */
  isFree: boolean;
}

/**
 * Finds websites with work. Websites that another process counts are left out: taking their lease could block on that
 * process's locks.
 */
export class CountingRepository {
  constructor(
    private readonly database: Database,
    private readonly owner: string,
  ) {}

  /** The websites with rows in their inbox. */
  findWaiting(): Promise<number[]> {
    const { distinct } = this.database.dialect;
    return this.websiteIds(
      `SELECT waiting.website_id AS website_id FROM (${distinct('inbox', 'website_id')}) waiting
      LEFT JOIN counting ON counting.website_id = waiting.website_id
      WHERE (counting.website_id IS NULL OR ${leaseIsFree(this.database)})
        AND waiting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
      [this.owner],
    );
  }

  async hasWaiting(websiteId: number): Promise<boolean> {
    const rows = await this.database.query<object[]>('SELECT 1 FROM inbox WHERE website_id = ? LIMIT 1', [
      websiteId,
    ]);
    return rows.length > 0;
  }

  /** Pages of websites whose days are due. */
  async *findDue(now: number): AsyncGenerator<DueWebsite[]> {
    let last = { dueAt: -1, websiteId: 0 };
    for (;;) {
      const page = await this.readDueFrom(last, now);
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)!;
    }
  }

  /** Pages of websites with at least this number of hits on one of some days. A page may have none. */
  async *findLarge(days: number[], hits: number): AsyncGenerator<Omit<DueWebsite, 'dueAt'>[]> {
    for (
      let after = 0, last = await this.readLastOfPage(after);
      last > after;
      last = await this.readLastOfPage(after)
    ) {
      yield await this.readLargeBetween(after, last, days, hits);
      after = last;
    }
  }

  private async readLargeBetween(
    after: number,
    last: number,
    days: number[],
    hits: number,
  ): Promise<Omit<DueWebsite, 'dueAt'>[]> {
    // MySQL would sort all batches of each website if the order did not begin like the index.
    const hitsOfDay = `COALESCE((SELECT first_hit + size FROM hit_batches
      WHERE website_id = counting.website_id AND day = ?
      ORDER BY website_id DESC, day DESC, first_hit DESC LIMIT 1), 0)`;
    const rows = await this.database.query<Record<'website_id' | 'is_free', number | string>[]>(
      `SELECT counting.website_id AS website_id, CASE WHEN ${leaseIsFree(this.database)} THEN 1 ELSE 0 END AS is_free
      FROM counting WHERE counting.website_id > ? AND counting.website_id <= ?
        AND (${days.map(() => `${hitsOfDay} >= ?`).join(' OR ')})
        AND counting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
      [this.owner, after, last, ...days.flatMap((day) => [day, hits])],
    );
    return rows.map(({ website_id, is_free }) => ({
      websiteId: Number(website_id),
      isFree: Number(is_free) === 1,
    }));
  }

  /** The last website of a page. A statement over more websites would block SQLite's thread for too long. */
  private async readLastOfPage(after: number): Promise<number> {
    const [row] = await this.database.query<{ last: number | string | null }[]>(
      `SELECT MAX(website_id) AS last FROM (
        SELECT website_id FROM counting WHERE website_id > ? ORDER BY website_id LIMIT ${LOOKED_AT_ONCE}
      ) page`,
      [after],
    );
    return Number(row?.last ?? 0);
  }

  /** Two ranges of the index, because servers do not use it for a comparison of pairs. */
  private async readDueFrom({ dueAt, websiteId }: DuePlace, now: number): Promise<DueWebsite[]> {
    const alike = await this.readDuePage('closed.due_at = ? AND closed.website_id > ?', [dueAt, websiteId]);
    if (alike.length > 0 || dueAt >= now) return alike;
    return this.readDuePage('closed.due_at > ? AND closed.due_at <= ?', [dueAt, now]);
  }

  private async readDuePage(range: string, parameters: number[]): Promise<DueWebsite[]> {
    const rows = await this.database.query<Record<'website_id' | 'due_at' | 'is_free', number | string>[]>(
      `SELECT closed.website_id AS website_id, closed.due_at AS due_at,
        CASE WHEN ${leaseIsFree(this.database)} THEN 1 ELSE 0 END AS is_free
      FROM closed_days closed JOIN counting ON counting.website_id = closed.website_id
      WHERE ${range} AND closed.website_id NOT IN (SELECT website_id FROM deleted_websites)
      ORDER BY closed.due_at, closed.website_id LIMIT ${DUE_AT_ONCE}`,
      [this.owner, ...parameters],
    );
    return rows.map(({ website_id, due_at, is_free }) => ({
      websiteId: Number(website_id),
      dueAt: Number(due_at),
      isFree: Number(is_free) === 1,
    }));
  }

  private async websiteIds(sql: string, parameters: unknown[]): Promise<number[]> {
    const rows = await this.database.query<{ website_id: number }[]>(sql, parameters);
    return rows.map(({ website_id }) => Number(website_id));
  }
}

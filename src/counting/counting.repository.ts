import type { Database } from '../database/database';
import { isFree } from './counting-lease';
import type { OverDays } from './kept';

/**
 * Finds the websites with work to do. Those that another process counts are left out: taking such a lease could block
 * on that process's locks.
 */
export class CountingRepository {
  constructor(
    private readonly database: Database,
    private readonly owner: string,
  ) {}

  /** The websites with rows in their inbox. */
  waiting(): Promise<number[]> {
    const { distinct } = this.database.dialect;
    return this.websiteIds(
      `SELECT waiting.website_id AS website_id FROM (${distinct('inbox', 'website_id')}) waiting
      LEFT JOIN counting ON counting.website_id = waiting.website_id
      WHERE (counting.website_id IS NULL OR ${isFree(this.database)})
        AND waiting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
      [this.owner],
    );
  }

  /**
   * The websites with counts of closed days that are not packed, or hits that are not in columns, and whether other
   * processes count further ones.
   */
  async unpacked(
    today: number,
    { sealBefore, finalBefore }: OverDays,
  ): Promise<{ websiteIds: number[]; others: boolean }> {
    const rows = await this.database.query<{ website_id: number; is_free: number }[]>(
      `SELECT counting.website_id AS website_id, CASE WHEN ${isFree(this.database)} THEN 1 ELSE 0 END AS is_free
      FROM counting LEFT JOIN closed_days closed ON closed.website_id = counting.website_id
      WHERE (closed.website_id IS NULL OR closed.closed_before < ? OR closed.packed_version <> closed.version
          OR closed.sealed_before <> ? OR closed.columns_before <> ?)
        AND counting.website_id NOT IN (SELECT website_id FROM deleted_websites)`,
      [this.owner, today, sealBefore, finalBefore],
    );
    const free = rows.filter(({ is_free }) => Number(is_free) === 1);
    return {
      websiteIds: free.map(({ website_id }) => Number(website_id)),
      others: free.length < rows.length,
    };
  }

  private async websiteIds(sql: string, parameters: unknown[]): Promise<number[]> {
    const rows = await this.database.query<{ website_id: number }[]>(sql, parameters);
    return rows.map(({ website_id }) => Number(website_id));
  }
}

import {
  isOfWebsite,
  websiteIn,
  type RetentionRule,
  type Moments,
} from '../../engine/database/retention-rules';
import { type Attempt, findLeft } from './removal-failures';
import type { PacedRemoval } from './paced-removal';

/** A commit that began before a website was deleted may still add rows. */
const ENTRY_STAYS_MS = 3_600_000;
const DELETED: RetentionRule = { table: 'deleted_websites', key: 'website_id' };

/** Removes the remaining rows of deleted websites: at the pace of `PacedRemoval`, in the turn of `Housekeeping`. */
export class DeletedWebsites {
  constructor(
    private readonly removal: PacedRemoval,
    private readonly rules: RetentionRule[],
  ) {}

  /** One statement per table finds the websites with rows left, as it does for expired rows. */
  async purge({ now }: Moments, attempt: Attempt): Promise<void> {
    const deleted = await this.removal.database.read((manager) =>
      manager.query<{ website_id: number; deleted_at: number }[]>(
        'SELECT website_id, deleted_at FROM deleted_websites',
      ),
    );
    if (deleted.length === 0) return;
    const notEmpty = await this.findNotEmptied(attempt);
    if (!notEmpty) return;
    const empty = deleted
      .filter(({ deleted_at }) => deleted_at < now - ENTRY_STAYS_MS)
      .map(({ website_id }) => website_id)
      .filter((websiteId) => !notEmpty.has(websiteId));
    await findLeft(empty, attempt, (websiteId) => this.removeOf(websiteId, DELETED));
  }

  /** The websites with rows that could not be removed. Undefined if not every table could be searched. */
  private async findNotEmptied(attempt: Attempt): Promise<Set<number> | undefined> {
    const notEmpty = new Set<number>();
    let areAllLookedThrough = true;
    for (const rule of this.rules.filter(({ key }) => isOfWebsite(key))) {
      const isLookedThrough = await attempt(undefined, async () => {
        const websiteIds = await this.findWithRowsIn(rule);
        const left = await findLeft(websiteIds, attempt, (websiteId) => this.removeOf(websiteId, rule));
        for (const websiteId of left) notEmpty.add(websiteId);
        return true;
      });
      areAllLookedThrough &&= isLookedThrough;
    }
    return areAllLookedThrough ? notEmpty : undefined;
  }

  /** With EXISTS, MariaDB would read the whole table if there are many websites. */
  private async findWithRowsIn({ table, key }: RetentionRule): Promise<number[]> {
    const rows = await this.removal.database.read((manager) =>
      manager.query<{ website_id: number }[]>(
        `SELECT website_id FROM deleted_websites deleted
        WHERE (SELECT 1 FROM ${table} own WHERE own.${websiteIn(key)} = deleted.website_id LIMIT 1) = 1`,
      ),
    );
    return rows.map(({ website_id }) => website_id);
  }

  private removeOf(websiteId: number, rule: RetentionRule): Promise<boolean> {
    return this.removal.remove(rule, {
      order: rule.key,
      condition: `${websiteIn(rule.key)} = ?`,
      parameters: [websiteId],
    });
  }
}

import { dayText } from '../../ground/time/days';
import { sharedFor } from '../../ground/time/shared-for';
import type { Database } from '../../database/database';
import type { RetentionClock } from '../../database/retention-clock';
import { type Warning } from '../../port';

/** Housekeeping runs every quarter of an hour. */
const LATE_AFTER_MS = 3_600_000;
const MAX_WARNINGS = 20;
/** If many are late, the first ones are enough for a warning. */
const ROWS_LOOKED_AT = 1000;
const SHARED_MS = 1000;
const TABLES = ['batch_visitors', 'checkpoint_visitors', 'day_visitors'];

interface Unforgotten {
  website_id: number | string;
  day: number;
}

/** Finds visitor hashes that should have been forgotten. */
export class UnforgottenVisitors {
  /** The first such day of some websites. Anybody may call it as often as they like. */
  readonly warnings = sharedFor(SHARED_MS, () => this.look());

  constructor(
    private readonly database: Database,
    private readonly retention: RetentionClock,
  ) {}

  /** The days whose visitors must be forgotten, as far as the first rows show. */
  async countDue(now: number): Promise<number> {
    let days = 0;
    for (const table of TABLES)
      days += await this.database.read(async (manager) => {
        const [row] = await manager.query<{ days: number | string }[]>(
          `SELECT COUNT(*) AS days FROM (SELECT DISTINCT website_id, day FROM (
            SELECT website_id, day FROM ${table} WHERE forget_at < ? ORDER BY forget_at LIMIT ${ROWS_LOOKED_AT}
          ) due) days`,
          [now],
        );
        return Number(row!.days);
      });
    return days;
  }

  private async look(): Promise<Warning[]> {
    const { now } = await this.retention.moments();
    const warnings = new Map<number, Warning>();
    for (const table of TABLES)
      for (const { website_id, day } of await this.findLateIn(table, now - LATE_AFTER_MS)) {
        const websiteId = Number(website_id);
        warnings.set(websiteId, warningOf(websiteId, day));
      }
    return [...warnings.values()].slice(0, MAX_WARNINGS);
  }

  private findLateIn(table: string, limit: number): Promise<Unforgotten[]> {
    return this.database.read((manager) =>
      manager.query<Unforgotten[]>(
        `SELECT website_id, MIN(day) AS day FROM (
          SELECT website_id, day FROM ${table} WHERE forget_at < ?
            AND website_id NOT IN (SELECT website_id FROM deleted_websites)
          ORDER BY forget_at, website_id LIMIT ${ROWS_LOOKED_AT}
        ) late GROUP BY website_id ORDER BY website_id LIMIT ${MAX_WARNINGS}`,
        [limit],
      ),
    );
  }
}

function warningOf(websiteId: number, day: number): Warning {
  return {
    code: 'visitors_not_forgotten',
    website_id: websiteId,
    detail: `The visitors of ${dayText(day)} should have been forgotten by now, but their hashes are still stored.`,
  };
}

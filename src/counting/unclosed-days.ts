import { Injectable } from '@nestjs/common';
import { dayText } from '../common/days';
import { sharedFor } from '../common/shared-for';
import { Database } from '../database/database';
import { RetentionClock } from '../retention/retention-clock';
import { untoldDays } from './kept';
import type { CountingWarning } from './website-failures';

/** A day becomes columns within minutes, one of very many hits later. */
const LATE_AFTER_MS = 3_600_000;
const MAX_WARNINGS = 20;
/** It reads a row of each website. */
const SHARED_MS = 1000;

/** Finds days whose hits still have the hashes of their visitors, although nothing stands in the way of columns. */
@Injectable()
export class UnclosedDays {
  /** The first such day of some websites. Anybody may ask as often as they like. */
  readonly warnings = sharedFor(SHARED_MS, () => this.look());

  constructor(
    private readonly database: Database,
    private readonly retention: RetentionClock,
  ) {}

  private async look(): Promise<CountingWarning[]> {
    const moments = await this.retention.moments();
    const { before } = untoldDays({ ...moments, now: moments.now - LATE_AFTER_MS });
    // Of a website of which nothing is due no other row is looked at.
    const rows = await this.database.query<{ website_id: number | string; day: number }[]>(
      `SELECT website_id, day FROM (
        SELECT counting.website_id AS website_id,
          (SELECT visitors.day FROM batch_visitors visitors WHERE visitors.website_id = counting.website_id
            ORDER BY visitors.day LIMIT 1) AS day,
          (SELECT seen.day FROM seen WHERE seen.website_id = counting.website_id ORDER BY seen.day LIMIT 1) AS seen
        FROM counting LEFT JOIN closed_days closed ON closed.website_id = counting.website_id
        WHERE (closed.website_id IS NULL OR closed.due_at <= ?)
          AND counting.website_id NOT IN (SELECT website_id FROM deleted_websites)
      ) unclosed
      WHERE day < ? AND (seen IS NULL OR seen > day) AND NOT EXISTS (SELECT 1 FROM salts WHERE salts.day <= unclosed.day)
      LIMIT ${MAX_WARNINGS}`,
      [moments.now, before],
    );
    return rows.map(({ website_id, day }) => ({
      code: 'day_not_closed',
      website_id: Number(website_id),
      detail: `The hits of ${dayText(day)} still have the hashes of their visitors, which should have been removed by now.`,
    }));
  }
}

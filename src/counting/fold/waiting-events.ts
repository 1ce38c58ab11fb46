import { Injectable } from '@nestjs/common';
import { sharedFor } from '../../common/time/shared-for';
import { Database } from '../../database/database';
import type { CountingWarning } from '../websites/website-failures';

const LATE_AFTER_MS = 10_000;
const SHARED_MS = 1000;

interface Oldest {
  website_id: number;
  accepted_at: number;
  now: number;
}

/** Events that wait to be counted, whichever process should count them. */
@Injectable()
export class WaitingEvents {
  /** Anybody may ask as often as they like. */
  readonly warnings = sharedFor(SHARED_MS, () => this.look());

  constructor(private readonly database: Database) {}

  private async look(): Promise<CountingWarning[]> {
    const { distinct, now } = this.database.dialect;
    const [oldest] = await this.database.readQuick((manager) =>
      manager.query<Oldest[]>(
        `SELECT website_id, accepted_at, ${now} AS now FROM (
          SELECT website_id, (SELECT accepted_at FROM inbox WHERE inbox.website_id = waiting.website_id
            ORDER BY id LIMIT 1) AS accepted_at
          FROM (${distinct('inbox', 'website_id')}) waiting
          WHERE website_id NOT IN (SELECT website_id FROM deleted_websites)
        ) websites ORDER BY accepted_at LIMIT 1`,
      ),
    );
    const waitedMs = oldest ? Number(oldest.now) - Number(oldest.accepted_at) : 0;
    return waitedMs > LATE_AFTER_MS ? [warningOf(oldest!, waitedMs)] : [];
  }
}

function warningOf({ website_id, accepted_at }: Oldest, waitedMs: number): CountingWarning {
  const since = new Date(Number(accepted_at)).toISOString();
  const seconds = Math.floor(waitedMs / 1000).toLocaleString('en');
  return {
    code: 'counting_waits',
    website_id: Number(website_id),
    detail: `Events wait to be counted since ${since}, for ${seconds} seconds.`,
  };
}

import type { Database } from '../database/database';
import type { RetentionClock } from '../database/retention-clock';
import { Gauge } from '../ground/measures';
import { sharedFor } from '../ground/time/shared-for';
import type { UnforgottenVisitors } from './forget/unforgotten-visitors';
import { overDays } from './seal/sealing-times';

const LOOK_EVERY_MS = 5000;
/** Further rows are not counted. */
const LOOKED_AT = { inbox: 10_000, websites: 1000 };

const INBOX = new Gauge('inbox_hits', 'Hits that wait to be counted, in at most 10,000 rows of the inbox.');
const OLDEST = new Gauge('inbox_oldest_seconds', 'How long the oldest of them has waited.');
const WEBSITES = new Gauge(
  'websites_waiting',
  'Websites with days that are over and wait to be sealed, or for other work, at most 1,000 together.',
  ['work'],
);
const TO_FORGET = new Gauge(
  'forgetting_due',
  'Days whose visitors housekeeping must forget, as far as 3,000 rows show.',
);

/** Measures what waits in the store. */
export class WaitingWork {
  readonly look = sharedFor(LOOK_EVERY_MS, () => this.lookOnce());

  constructor(
    private readonly database: Database,
    private readonly retention: RetentionClock,
    private readonly unforgotten: UnforgottenVisitors,
  ) {}

  private async lookOnce(): Promise<void> {
    try {
      const moments = await this.retention.moments();
      await this.lookAtInbox(moments.now);
      await this.lookAtDays(moments.now, overDays(moments).sealBefore);
      TO_FORGET.set(await this.unforgotten.countDue(moments.now));
    } catch (error) {
      for (const gauge of [INBOX, OLDEST, WEBSITES, TO_FORGET]) gauge.forget();
      throw error;
    }
  }

  private async lookAtInbox(now: number): Promise<void> {
    const { hits, oldest } = await this.readSums(
      `SELECT SUM(size) AS hits, MIN(accepted_at) AS oldest FROM (
        SELECT size, accepted_at FROM inbox ORDER BY id LIMIT ${LOOKED_AT.inbox}
      ) waiting`,
      [],
    );
    INBOX.set(Number(hits ?? 0));
    OLDEST.set(oldest === null ? 0 : Math.max(0, now - Number(oldest)) / 1000);
  }

  private async lookAtDays(now: number, sealBefore: number): Promise<void> {
    const { due, sealing } = await this.readSums(
      `SELECT COUNT(*) AS due, SUM(CASE WHEN sealed_before < ? THEN 1 ELSE 0 END) AS sealing FROM (
        SELECT sealed_before FROM closed_days WHERE due_at <= ? ORDER BY due_at LIMIT ${LOOKED_AT.websites}
      ) waiting`,
      [sealBefore, now],
    );
    WEBSITES.set(Number(sealing ?? 0), 'sealing');
    WEBSITES.set(Number(due) - Number(sealing ?? 0), 'other');
  }

  private async readSums<Name extends string>(
    sql: string,
    parameters: number[],
  ): Promise<Record<string, number | string | null> & Record<Name, number | string | null>> {
    const [row] = await this.database.read((manager) =>
      manager.query<Record<Name, number | string | null>[]>(sql, parameters),
    );
    return row!;
  }
}

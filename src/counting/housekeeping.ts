import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { DayClock } from '../common/day-clock';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { changedBy } from '../database/rows';

const HOUR_MS = 3_600_000;
const EVERY_MS = 60_000;
const MOST_ROWS = 2000;
const BETWEEN_CHUNKS_MS = 20;

/** How long a salt outlives its day, and with it whatever was made with it. */
export const SALT_OUTLIVES_DAY_MS = 48 * HOUR_MS;
/** How long the id of an event is known, so that sending it again is safe. */
export const EVENT_ID_LIVES_MS = 48 * HOUR_MS;
/** A commit that began before a website was deleted may still leave something behind. */
const DELETED_LEAVES_MS = HOUR_MS;

const COUNTED: { table: string; key: string }[] = [
  { table: 'inbox', key: 'website_id, id' },
  { table: 'stat_counters', key: 'website_id, name, day, value_id' },
  { table: 'stat_segments', key: 'website_id, name, span, day, part' },
  { table: 'closed_days', key: 'website_id' },
  { table: 'stat_values', key: 'website_id, name, value_id' },
  { table: 'seen', key: 'website_id, day, hash' },
  { table: 'event_ids', key: 'website_id, event_id' },
  { table: 'archive', key: 'website_id, day, fold' },
  { table: 'counting', key: 'website_id' },
];

/** Removes in the background what has had its time, in pieces small enough to be in nobody's way. */
@Injectable()
export class Housekeeping implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Housekeeping');
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
  }

  nudge(): void {
    this.running ??= this.tidy()
      .catch((error: Error) => this.logger.warn(`put off: ${error.message}`))
      .finally(() => (this.running = undefined));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  async tidy(now = Date.now()): Promise<void> {
    await this.forgetDays(now);
    await this.remove('event_ids', 'accepted_at, website_id, event_id', 'accepted_at < ?', [
      now - EVENT_ID_LIVES_MS,
    ]);
    await this.retireArchive(now);
    await this.purgeDeleted(now);
  }

  /** The salt goes first: with it nobody can be recognised any more, and nothing new can be seen of its day. */
  private async forgetDays(now: number): Promise<void> {
    const clock = new DayClock(this.settings.timezone);
    const lastForgotten = clock.dayOf(now - SALT_OUTLIVES_DAY_MS) - 1;
    await this.remove('salts', 'day', 'day <= ?', [lastForgotten]);
    for (const websiteId of await this.countedWebsites())
      await this.remove('seen', 'website_id, day, hash', 'website_id = ? AND day <= ?', [
        websiteId,
        lastForgotten,
      ]);
  }

  /** From then on nobody takes what is left of a day for the whole of it. */
  private async retireArchive(now: number): Promise<void> {
    const { archiveDays, timezone } = this.settings;
    if (archiveDays === undefined) return;
    const first = new DayClock(timezone).dayOf(now) - archiveDays;
    await this.database.write((manager) =>
      manager.query('UPDATE counting SET archived_from = ? WHERE archived_from < ?', [first, first]),
    );
    for (const websiteId of await this.countedWebsites())
      await this.remove('archive', 'website_id, day, fold', 'website_id = ? AND day < ?', [websiteId, first]);
  }

  private async purgeDeleted(now: number): Promise<void> {
    const deleted = await this.database.read((manager) =>
      manager.query<{ website_id: number; deleted_at: number }[]>(
        'SELECT website_id, deleted_at FROM deleted_websites',
      ),
    );
    for (const { website_id, deleted_at } of deleted) {
      for (const { table, key } of COUNTED) await this.remove(table, key, 'website_id = ?', [website_id]);
      if (!this.stopped && deleted_at < now - DELETED_LEAVES_MS)
        await this.remove('deleted_websites', 'website_id', 'website_id = ?', [website_id]);
    }
  }

  /** Every website that was ever counted; the large tables would have to be read through for it. */
  private async countedWebsites(): Promise<number[]> {
    const rows = await this.database.read((manager) =>
      manager.query<{ website_id: number }[]>('SELECT website_id FROM counting'),
    );
    return rows.map(({ website_id }) => website_id);
  }

  private async remove(table: string, key: string, condition: string, parameters: unknown[]): Promise<void> {
    const statement = this.database.dialect.deleteSome(table, key, condition, MOST_ROWS);
    for (let removed = MOST_ROWS; removed === MOST_ROWS && !this.stopped;) {
      removed = await this.database.write((manager) => changedBy(manager, statement, parameters));
      if (removed === MOST_ROWS) await new Promise((resolve) => setTimeout(resolve, BETWEEN_CHUNKS_MS));
    }
  }
}

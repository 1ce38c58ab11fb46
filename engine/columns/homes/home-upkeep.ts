import { errorCode } from '../../ground/error-code';
import { Log } from '../../ground/log';
import type { Database } from '../../database/database';
import type { DayKey, Warning } from '../../port';
import { HomeAway } from '../../rows/row-home';
import type { GivenHome } from './homes';
import {
  claimDue,
  listFound,
  readListed,
  releaseForgotten,
  STAYS_MS,
  unlistVersions,
} from './remote-versions';

const LOOK_EVERY_MS = 60_000;
const FORGOTTEN_EVERY_MS = 3_600_000;
const SWEEP_EVERY_MS = 24 * 3_600_000;
/** It may be away for a moment. */
const AWAY_AFTER_MS = 60_000;
const LISTED_AT_ONCE = 10_000;

/** Removes rows of a remote home that no day names, and sees whether it answers. */
export class HomeUpkeep {
  private readonly logger = new Log('Warehouse');
  private looking: Promise<void> | undefined;
  private lookAt = 0;
  private forgottenAt = 0;
  private sweepAt = 0;
  private away: { since: number; reason: string; waiting: number } | undefined;

  constructor(
    private readonly database: Database,
    private readonly given: GivenHome,
  ) {}

  /** Call it often. It does not wait for the home. */
  nudge(now = Date.now()): void {
    if (now < this.lookAt || this.looking) return;
    this.lookAt = now + LOOK_EVERY_MS;
    this.looking = this.look(now)
      .catch((error: unknown) => this.logger.warn(`The warehouse cannot be looked after: ${reasonOf(error)}`))
      .finally(() => (this.looking = undefined));
  }

  async stop(): Promise<void> {
    await this.looking;
  }

  warnings(): Warning[] {
    const { away } = this;
    if (!away || Date.now() - away.since < AWAY_AFTER_MS) return [];
    const since = new Date(away.since).toISOString();
    const waiting = away.waiting === 0 ? '' : ` ${away.waiting} days wait to be moved.`;
    return [
      {
        code: 'warehouse_away',
        detail: `The warehouse with the hits of old days does not answer since ${since}: ${away.reason}.${waiting}`,
      },
    ];
  }

  async look(now: number): Promise<void> {
    try {
      await this.given.home.ping();
      this.away = undefined;
      await this.tidy(now);
    } catch (error) {
      if (!(error instanceof HomeAway)) throw error;
      const since = this.away?.since ?? now;
      this.away = { since, reason: reasonOf(error), waiting: await this.waitingDays() };
    }
  }

  /** Removes what is due by then. */
  async removeDue(now: number): Promise<void> {
    const { database, given } = this;
    for (;;) {
      const due = await claimDue(database, given.number, now);
      if (due.length === 0) return;
      await given.home.drop(due);
      await unlistVersions(database, given.number, due);
    }
  }

  /** Removes what no day names any more. Questions that began before get no answer. */
  async removeAllUnnamed(): Promise<void> {
    await releaseForgotten(this.database, this.given.number);
    await this.removeDue(Date.now() + STAYS_MS);
  }

  private async tidy(now: number): Promise<void> {
    if (now >= this.forgottenAt) {
      await releaseForgotten(this.database, this.given.number);
      this.forgottenAt = now + FORGOTTEN_EVERY_MS;
    }
    await this.removeDue(now);
    if (now < this.sweepAt) return;
    await this.sweep();
    this.sweepAt = now + SWEEP_EVERY_MS;
  }

  /** Whatever a frozen process wrote after its version was removed is found, and removed later. */
  private async sweep(): Promise<void> {
    const { database, given } = this;
    for (let last: DayKey | undefined; ;) {
      const found: DayKey[] = await given.home.listVersions(last, LISTED_AT_ONCE);
      const listed = new Set((await readListed(database, given.number, found)).map(nameOf));
      const unknown = found.filter((key) => !listed.has(nameOf(key)));
      await listFound(database, given.number, unknown);
      if (unknown.length > 0)
        this.logger.warn(`The warehouse has rows of ${unknown.length} versions that no day names.`);
      if (found.length < LISTED_AT_ONCE) return;
      last = found.at(-1);
    }
  }

  private async waitingDays(): Promise<number> {
    const [row] = await this.database.read((reader) =>
      reader.query<{ days: number | string }[]>(
        'SELECT COUNT(*) AS days FROM hit_days WHERE home = 0 AND sealing IS NULL',
      ),
    );
    return Number(row!.days);
  }
}

function nameOf({ websiteId, day, version }: DayKey): string {
  return `${websiteId} ${day} ${version}`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof HomeAway ? error.cause : error;
  return cause instanceof Error ? errorCode(cause) || cause.message : String(cause);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from '../../ground/threads/mutex';
import { errorCode } from '../../ground/error-code';
import { Log } from '../../ground/log';
import type { Database } from '../../database/database';
import type { DayKey, Warning } from '../../port';
import { Lease } from '../../database/lease';
import { monthOf } from '../../hits/calendar';
import { areWhole, HomeAway } from '../../rows/row-home';
import { HOMES, readColumnDay } from '../segments/hit-segments';
import { HomeMark } from './home-mark';
import { type GivenHome, restFromMoving, stopHome } from './homes';
import {
  claimDue,
  isAnyDue,
  listFound,
  readListed,
  releaseForgotten,
  unlistVersions,
  WRITTEN_WITHIN_MS,
} from './remote-versions';

const LOOK_EVERY_MS = 60_000;
const FORGOTTEN_EVERY_MS = 3_600_000;
const SWEEP_EVERY_MS = 24 * 3_600_000;
/** It may be away for a moment. */
const AWAY_AFTER_MS = 60_000;
/** After a removal or a look at a month has failed. It may have been too much at once. */
const AFTER_FAILURE_MS = 10 * 60_000;
/** Another database that uses the table finds the new mark meanwhile. */
export const MARKED = { ms: 5 * 60_000 };
const LOOK_AGAIN_MS = 500;
const LEASE = { name: 'warehouse', lengthMs: 30_000 };
const MOST_OF_REASON = 300;
const LISTED_AT_ONCE = 10_000;

/** Removes rows of a remote home that no day names, and sees whether it answers. */
export class HomeUpkeep {
  private readonly logger = new Log('Warehouse');
  private looking: Promise<void> | undefined;
  private lookAt = 0;
  private readonly turns = new Mutex();
  private tidyAt = 0;
  private forgottenAt = 0;
  /** A copy of the database that was started to try something ends before. */
  private sweepAt: number | undefined;
  private sweptBefore = 0;
  private markedAt: number | undefined;
  private isDisputed = false;
  private away: { since: number; reason: string; waiting: number } | undefined;
  private readonly mark: HomeMark;
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    private readonly given: GivenHome,
    private readonly movesFrom = 0,
  ) {
    this.mark = new HomeMark(database, given);
    this.lease = new Lease(database, LEASE.name, LEASE.lengthMs);
  }

  /** Call it often. It does not wait for the home. */
  nudge(now = Date.now()): void {
    if (now < this.lookAt || this.looking) return;
    this.lookAt = now + LOOK_EVERY_MS;
    this.looking = this.look(now)
      .catch((error: unknown) => this.logger.warn(`The warehouse cannot be looked after: ${reasonOf(error)}`))
      .finally(() => (this.looking = undefined));
  }

  /** A statement takes longer than an operator waits for the end of a process. */
  stopHome(): void {
    stopHome(this.given);
  }

  async stop(): Promise<void> {
    await this.looking;
  }

  warnings(): Warning[] {
    const { away } = this;
    if (this.isDisputed)
      return [
        {
          code: 'warehouse_disputed',
          detail:
            'The warehouse with the hits of old days is also used by another database, or one side was restored. ' +
            'Nothing moves there, and nothing is removed there.',
        },
      ];
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

  look(now: number): Promise<void> {
    return this.turns.run(() => this.lookNow(now));
  }

  /** For commands, which must not change the mark while another process does. */
  async whileAlone(work: (mark: HomeMark) => Promise<void>): Promise<void> {
    const run = () => work(this.mark).then(() => true);
    while (!(await this.lease.during(run))) await sleep(LOOK_AGAIN_MS);
  }

  private async lookNow(now: number): Promise<void> {
    this.sweepAt ??= now + SWEEP_EVERY_MS;
    try {
      this.isDisputed = !(await this.mark.isOurs());
      if (this.isDisputed) restFromMoving();
      else await this.lease.during(() => this.tidy(now));
      this.away = undefined;
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
  removeAllUnnamed(): Promise<void> {
    return this.whileAlone(async (mark) => {
      await mark.expectChange();
      await releaseForgotten(this.database, this.given.number);
      await this.removeDue(Date.now() + WRITTEN_WITHIN_MS);
    });
  }

  private async tidy(now: number): Promise<void> {
    if (now < this.tidyAt) return;
    this.tidyAt = now + AFTER_FAILURE_MS;
    if (now >= this.forgottenAt) {
      await releaseForgotten(this.database, this.given.number);
      this.forgottenAt = now + FORGOTTEN_EVERY_MS;
    }
    if (this.markedAt === undefined || (await isAnyDue(this.database, this.given.number, now)))
      await this.removeOnceMarked(now);
    if (now >= this.sweepAt!) await this.sweepMonth(now);
    this.tidyAt = 0;
  }

  private async removeOnceMarked(now: number): Promise<void> {
    if (!(await this.mark.change())) this.markedAt = undefined;
    else if (now >= (this.markedAt ??= now) + MARKED.ms) await this.removeDue(now);
  }

  /** Whatever a frozen process wrote after its version was removed is found, and removed later. */
  private async sweepMonth(now: number): Promise<void> {
    const { home } = this.given;
    this.sweepAt = now + SWEEP_EVERY_MS;
    const all = await home.span();
    if (!all) return;
    const from = Math.max(all.from, this.sweptBefore);
    const end = monthOf(from, 1);
    const goesOn = end <= all.to;
    [this.sweepAt, this.sweptBefore] = goesOn ? [now, end] : [this.sweepAt, 0];
    const month = { from, to: end - 1 };
    for (let last: DayKey | undefined; ;) {
      const found: DayKey[] = await home.listVersions(month, LISTED_AT_ONCE, last);
      await this.listUnknown(found);
      if (found.length < LISTED_AT_ONCE) return;
      last = found.at(-1);
    }
  }

  private async listUnknown(found: readonly DayKey[]): Promise<void> {
    const { database, given } = this;
    const listed = new Set((await readListed(database, given.number, found)).map(nameOf));
    const unknown = found.filter((key) => !listed.has(nameOf(key)));
    if (unknown.length === 0) return;
    const removable: DayKey[] = [];
    for (const key of unknown) if (await this.hasAnotherCopy(key)) removable.push(key);
    await listFound(database, given.number, removable);
    this.logger.warn(
      `The warehouse has rows of ${unknown.length} versions that no day names. ` +
        `${removable.length} of them will be removed; the other days lack rows that they name.`,
    );
  }

  /** A version that is not known may be all that is left of the hits of its day. */
  private async hasAnotherCopy({ websiteId, day }: DayKey): Promise<boolean> {
    const { database, given } = this;
    const named = await readColumnDay(database, websiteId, day);
    if (named?.home !== given.number) return true;
    const key = { websiteId, day, version: named.segment };
    const sums = await given.home.readSums((work) => database.read(work), key);
    return areWhole(sums, named.hits);
  }

  private async waitingDays(): Promise<number> {
    const [row] = await this.database.read((reader) =>
      reader.query<{ days: number | string }[]>(
        `SELECT COUNT(*) AS days FROM hit_days WHERE home = ${HOMES.columns} AND sealing IS NULL AND website_id IN (
          SELECT website_id FROM hit_days GROUP BY website_id HAVING SUM(hits) >= ?)`,
        [this.movesFrom],
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
  if (!(cause instanceof Error)) return String(cause);
  const code = errorCode(cause);
  // The numbers of ClickHouse say nothing.
  return /^(?:\d+|Error)$/.test(code) ? cause.message.slice(0, MOST_OF_REASON) : code;
}

import type { Database } from '../../database/database';
import { inChunks, type Transaction } from '../../database/rows';
import type { RetentionClock } from '../../database/retention-clock';
import { monthOf } from '../../hits/calendar';
import { removeSomeCheckpoints } from '../checkpoints/checkpoints';
import { raiseCountsVersion } from '../closed-days';
import { SPANS } from '../rollups/rollup-format';
import { readSpans, removeMonth, removeSpans } from '../rollups/rollup-rows';
import { BYTES_AT_ONCE } from '../upkeep/column-work';
import { generationOfReadable } from '../upkeep/rollup-work';
import { overDays } from '../seal/sealing-times';
import { HeldLease } from '../leases/held-lease';
import { makeMissingRollups } from './missing-rollups';
import type { Verification } from './verification';

/** The number of days whose rollups one statement removes. */
const DAYS_AT_ONCE = 500;

/** Rebuilds rollups that differ from the hits or are damaged. */
export class Rebuilding {
  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    private readonly verification: Verification,
  ) {}

  /** Makes the missing rollups. */
  addMissing(websiteId: number): Promise<void> {
    return HeldLease.during(this.database, websiteId, (held) => this.rollUp(held));
  }

  /**
   * Removes the rollups of a day and of its month, and its checkpoints, and makes the rollups again. Meanwhile the hits
   * answer.
   */
  rebuildDay(websiteId: number, day: number): Promise<void> {
    return this.rebuild(websiteId, day, (manager) => removeSpans(manager, websiteId, [day]));
  }

  /** Rebuilds the rollup of a month. The rollups of its days are read first, because they may be the only copy. */
  async rebuildMonth(websiteId: number, month: number): Promise<void> {
    const spans = await readSpans(this.database, websiteId, SPANS.day, month, monthOf(month, 1) - 1);
    for (const { day } of spans) await this.verification.readDay(websiteId, day);
    await this.rebuild(websiteId, month, (manager) => removeMonth(manager, websiteId, month));
  }

  /**
   * Rebuilds all rollups of a website with a new text table. If the hits have expired, values without a text become
   * `(other)`.
   */
  async rebuildTexts(websiteId: number): Promise<void> {
    const withHits = (await this.verification.days(websiteId)).map(({ day }) => day);
    const { valueLimits } = overDays(await this.clock.moments());
    await HeldLease.during(this.database, websiteId, async (held) => {
      await held.write(async (manager) => {
        for (const days of inChunks(withHits, DAYS_AT_ONCE)) await removeSpans(manager, websiteId, days);
        await raiseCountsVersion(manager, websiteId);
      });
      await generationOfReadable(this.database, held.lease, valueLimits).run(held.turn);
      await this.rollUp(held);
    });
  }

  /** Damage of other days is reported when those are rebuilt. */
  private async rebuild(
    websiteId: number,
    day: number,
    remove: (manager: Transaction) => Promise<unknown>,
  ): Promise<void> {
    await HeldLease.during(this.database, websiteId, async (held) => {
      for (let isDone = false; !isDone;)
        await held.write(async (manager) => {
          isDone = await removeSomeCheckpoints(manager, { websiteId, day }, 0, BYTES_AT_ONCE);
        });
      await held.write(async (manager) => {
        await remove(manager);
        await raiseCountsVersion(manager, websiteId);
      });
      await this.rollUp(held, (days) => days.includes(day));
    });
  }

  /** Makes all missing rollups. Throws if a requested one cannot be made. */
  private async rollUp(
    held: HeldLease,
    isWanted: (days: readonly number[]) => boolean = () => true,
  ): Promise<void> {
    const over = overDays(await this.clock.moments());
    const notMade = await makeMissingRollups(this.database, held, over);
    const failed = notMade.find(({ days }) => isWanted(days));
    if (failed) throw failed.damage;
  }
}

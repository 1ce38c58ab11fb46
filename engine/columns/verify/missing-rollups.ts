import { CommandError } from '../../ground/errors';
import { dayText } from '../../ground/time/days';
import type { Database } from '../../database/database';
import { DamagedHits, DamagedRollups } from '../damaged-hits';
import type { ColumnWork } from '../upkeep/column-work';
import type { HeldLease } from '../leases/held-lease';
import type { OverDays } from '../seal/sealing-times';
import { nextRollup } from '../upkeep/rollup-work';

/** The days of a rollup may change, but not each time. */
const MAX_ATTEMPTS = 10;

/** A rollup that cannot be made, with its days. */
interface NotMade {
  readonly days: readonly number[];
  readonly damage: DamagedHits | DamagedRollups;
}

/** Makes all missing rollups of a website. A failure does not prevent the others. */
export async function makeMissingRollups(
  database: Database,
  { lease, turn }: HeldLease,
  over: OverDays,
): Promise<NotMade[]> {
  const notMade: NotMade[] = [];
  const isLeftOut = (day: number) => notMade.some(({ days }) => days.includes(day));
  // Only the removal of hits gives days up.
  const next = () => nextRollup(database, lease, { ...over, giveUpBefore: 0 }, isLeftOut);
  const attempts = new Attempts(lease.websiteId);
  for (let work = await next(); work; work = await next()) {
    attempts.add(work);
    try {
      await work.run(turn);
    } catch (error) {
      if (!(error instanceof DamagedHits || error instanceof DamagedRollups)) throw error;
      notMade.push({ days: work.days, damage: error });
    }
  }
  return notMade;
}

/** If the hits changed, the work did nothing and is tried again. */
class Attempts {
  private of = '';
  private inTurn = 0;

  constructor(private readonly websiteId: number) {}

  add({ days }: ColumnWork): void {
    const isSame = days.join() === this.of;
    if (isSame && this.inTurn === MAX_ATTEMPTS)
      throw new CommandError(
        `the rollup of ${dayText(days[0]!)} cannot be made: its days changed ${MAX_ATTEMPTS} times (website ${this.websiteId})`,
      );
    this.inTurn = isSame ? this.inTurn + 1 : 1;
    this.of = days.join();
  }
}

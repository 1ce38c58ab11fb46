import { CommandError } from '../common/commands/command';
import { dayText } from '../common/time/days';
import type { Database } from '../database/database';
import { DamagedHits, DamagedRollups } from '../storage/damaged-hits';
import type { ColumnWork } from './columns/column-work';
import type { HeldLease } from './websites/held-lease';
import type { OverDays } from './seal/sealing-times';
import { nextRollup } from './columns/rollup-work';

/** What a rollup is made of may change under it, but not each time. */
const MAX_ATTEMPTS = 10;

/** A rollup that cannot be made, with the days that it is made of. */
interface NotMade {
  readonly days: readonly number[];
  readonly damage: DamagedHits | DamagedRollups;
}

/** Makes all rollups of a website that are missing. One that cannot be made keeps no other one from it. */
export async function makeMissingRollups(
  database: Database,
  { lease, turn }: HeldLease,
  over: OverDays,
): Promise<NotMade[]> {
  const notMade: NotMade[] = [];
  const isLeftOut = (day: number) => notMade.some(({ days }) => days.includes(day));
  // To give a day up is for who removes its hits.
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

/** Work whose hits changed meanwhile has done nothing, and is the next one again. */
class Attempts {
  private of = '';
  private inTurn = 0;

  constructor(private readonly websiteId: number) {}

  add({ days }: ColumnWork): void {
    const isSame = days.join() === this.of;
    if (isSame && this.inTurn === MAX_ATTEMPTS)
      throw new CommandError(
        `the rollup of ${dayText(days[0]!)} cannot be made: what it is made of changed ${MAX_ATTEMPTS} times (website ${this.websiteId})`,
      );
    this.inTurn = isSame ? this.inTurn + 1 : 1;
    this.of = days.join();
  }
}

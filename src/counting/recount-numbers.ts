import type { Settings } from '../config/settings';
import type { Database } from '../database/database';
import { closedDays } from '../storage/closed-days';
import { applyValues, Dictionary, type PreparedValues } from '../storage/dictionary';
import type { StatName } from '../storage/dimensions';
import type { CountsByName } from '../storage/segment-store';
import { VALUE_LIMITS } from '../storage/value-limits';
import type { HeldLease } from './held-lease';
import type { RecountedDay, Report } from './recounted-day';

/** The numbers of the values that are counted again, of one website at a time. */
export class RecountNumbers {
  /** Values are mostly the same from day to day. */
  private cached: { websiteId: number; dictionary: Dictionary } | undefined;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  /** A value keeps its number while the epoch is the same, so cached numbers need no lease. */
  async dictionaryOf(websiteId: number): Promise<Dictionary> {
    const { epoch } = await closedDays(this.database, websiteId);
    const limits = { ...VALUE_LIMITS, newPerDay: this.settings.newValuesPerDay };
    if (this.cached?.websiteId !== websiteId)
      this.cached = { websiteId, dictionary: new Dictionary(this.database.dialect, websiteId, limits) };
    const { dictionary } = this.cached;
    dictionary.begin();
    dictionary.leaseEnded();
    dictionary.at(epoch);
    return dictionary;
  }

  /**
   * The counts of a day, of one name or of all. Numbers of values that no counter has yet do no harm, so they are
   * inserted first, in a transaction of their own.
   */
  async assigned(
    websiteId: number,
    held: HeldLease,
    recounted: RecountedDay,
    renewing: Report,
    only?: StatName,
  ): Promise<CountsByName> {
    const dictionary = await this.dictionaryOf(websiteId);
    const counts = await recounted.counts(this.database, dictionary, renewing, only);
    const prepared = dictionary.prepared();
    if (newValuesOf(prepared).length > 0)
      await held.write((manager) => applyValues(manager, websiteId, prepared));
    dictionary.remember();
    return counts;
  }
}

/** The rows of the values that have no number yet. */
export function newValuesOf({ insertions }: PreparedValues): unknown[][] {
  return insertions.find(({ table }) => table === 'stat_values')?.rows ?? [];
}

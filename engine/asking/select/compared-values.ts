import { InvalidFields } from '../../ground/errors';
import { OTHER } from '../../hits/rules/value-limits';
import { type Condition, conditionsIn, type Filter } from '../../questions/parse/filter';
import type { Asker } from '../../questions/asker';
import { originOf, type QueryName } from '../../questions/parse/names';
import type { Values } from '../../questions/plan/values-from-columns';
import type { WebsiteValues } from './website-values';

/**
 * The values that filters compare. Beyond the limits of a query, texts are merged and cannot be compared any more. A
 * filter for whole values of a column stays exact: these values have codes of their own from the beginning.
 */
export class ComparedValues {
  private readonly searched = new Map<QueryName, Values>();

  constructor(
    filters: Filter[],
    private readonly values: WebsiteValues,
  ) {
    for (const condition of filters.flatMap(conditionsIn)) this.add(condition);
  }

  /**
   * Throws if merged values were compared. Call it after all hits are read. The name may be that of a filter which
   * viewers do not see.
   */
  expectWhole(field: 'filter' | 'filters' | 'steps' | 'funnel', asker?: Asker): void {
    for (const [name, values] of this.searched)
      if (this.values.isMerged(values))
        throw new InvalidFields(
          asker === undefined || asker.isOwner
            ? { [field]: [`cannot compare ${name}, which has too many distinct values; request fewer days`] }
            : { range: ['has too many distinct values to compare; request fewer days'] },
        );
  }

  private add({ name, test, values: compared }: Condition): void {
    const origin = originOf(name);
    if (origin.level === 'moment') return;
    const { values } = origin;
    if (typeof values !== 'string' || test !== 'is' || compared.includes(OTHER))
      this.searched.set(name, values);
    else for (const value of compared) this.values.of(values).addNeeded(value);
  }
}

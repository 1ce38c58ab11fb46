import { InvalidFields } from '../../common/problem';
import {
  conditionsIn,
  type Filter,
  FILTER_LIMITS,
  filterOf,
  type ResolvedFilter,
} from '../../stats/queries/parse/filter';
import { contradictionIn } from './contradiction';

/** Refuses steps if one can never be taken once its goals and saved filters are written out. */
export function expectPossible(steps: readonly ResolvedFilter[][]): void {
  for (const [index, filters] of steps.entries())
    if (contradictionIn(filters) !== undefined)
      throw new InvalidFields({
        [`steps.${index}.filters`]: ['can never be true, with what goals and saved filters stand for'],
      });
}

/** The limits of one query hold for all filters of a funnel together. */
export function expectFewConditions(all: readonly ResolvedFilter[][]): void {
  const found = all.flatMap((filters) => conditionsOf(filterOf(filters)));
  const values = found.reduce((sum, condition) => sum + condition.values.length, 0);
  const { conditions, values: most } = FILTER_LIMITS;
  if (found.length > conditions || values > most)
    throw new InvalidFields({
      steps: [
        `must have at most ${conditions} conditions with ${most.toLocaleString('en')} values in all filters together`,
      ],
    });
}

function conditionsOf(filter: Filter | undefined) {
  return filter ? conditionsIn(filter) : [];
}

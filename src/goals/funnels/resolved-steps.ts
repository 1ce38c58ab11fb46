import { FILTER_LIMITS } from '../../../engine/questions/question-limits';
import { InvalidFields } from '../../../engine/ground/errors';
import { conditionsIn, filterOf, type ResolvedFilter } from '../../../engine/questions/parse/filter';
import { contradictionIn } from './contradiction';

const NEVER = 'can never be true, with what goals and saved filters stand for';

/**
 * Refuses steps if one can never be taken once its goals and saved filters are written out. The steps of a stored
 * funnel were not sent.
 */
export function expectPossible(steps: readonly ResolvedFilter[][], areStored = false): void {
  const index = steps.findIndex((filters) => contradictionIn(filters) !== undefined);
  if (index < 0) return;
  throw new InvalidFields(
    areStored
      ? { funnel: [`cannot be taken: step ${index + 1} ${NEVER}`] }
      : { [`steps.${index}.filters`]: [NEVER] },
  );
}

/** The limits of one query hold for all steps of a funnel together, and for these with further filters. */
export function expectFewConditions(
  steps: readonly ResolvedFilter[][],
  field: 'steps' | 'funnel' = 'steps',
  filters: ResolvedFilter[] = [],
): void {
  expectFew(steps.flat(), field);
  expectFew([...steps.flat(), ...filters], 'filters');
}

function expectFew(filters: ResolvedFilter[], field: string): void {
  const filter = filterOf(filters);
  const found = filter ? conditionsIn(filter) : [];
  const values = found.reduce((sum, condition) => sum + condition.values.length, 0);
  const { conditions, values: most } = FILTER_LIMITS;
  if (found.length > conditions || values > most)
    throw new InvalidFields({
      [field]: [
        `must have at most ${conditions} conditions with ${most.toLocaleString('en')} values in all filters together`,
      ],
    });
}

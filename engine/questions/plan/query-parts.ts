import { GOAL } from '../parse/filter';
import type { CountedGoals, HitQuery } from './hit-query';
import type { CountedMetric } from './metrics';

/** The hits that a part counts: those that the filter selects, those of them that reach a goal, or one goal at a time. */
type CountedHits = 'selected' | 'of any goal' | 'by goal';

/** A count of the query, and the count of the part that it is. */
type Copy = readonly [to: CountedMetric, from: CountedMetric];

/** A query as one scan counts it. */
export interface Part {
  readonly hitQuery: HitQuery;
  readonly hits: CountedHits;
  readonly copies: readonly Copy[];
}

export interface Parts {
  readonly main: Part;
  /** A scan of other hits, with rows of the same values. */
  readonly beside?: Part | undefined;
}

const OTHERS: readonly CountedMetric[] = ['converters', 'all_visitors'];

/**
 * A query about goals is about those that convert, and about all visitors. If `keepsGoal`, all visitors have rows with
 * the dimension of goals too.
 */
export function partsOf(hitQuery: HitQuery, keepsGoal = false): Parts {
  const { goals, dimensions } = hitQuery;
  if (!goals) return { main: { hitQuery, hits: 'selected', copies: [] } };
  return goals.list && !dimensions.includes(GOAL) ? ofAnyGoal(hitQuery) : ofGoals(hitQuery, goals, keepsGoal);
}

/** All selected visitors, and those of them who convert. */
function ofAnyGoal(hitQuery: HitQuery): Parts {
  const own = ownMetrics(hitQuery).filter((metric) => metric !== 'conversions');
  const copies = asked(hitQuery, ['conversions', 'conversions'], ['converters', 'visitors']);
  return {
    main: part(hitQuery, 'selected', own, asked(hitQuery, ['all_visitors', 'visitors'])),
    beside: copies.length > 0 ? part(hitQuery, 'of any goal', [], copies) : undefined,
  };
}

/** The selected hits, all of which are conversions, and all visitors. */
function ofGoals(hitQuery: HitQuery, { list, value, rest }: CountedGoals, keepsGoal: boolean): Parts {
  const areMultiples = value !== undefined && hitQuery.metrics.includes('value_high');
  const copies = asked(hitQuery, ['all_visitors', 'visitors']);
  const dimensions = hitQuery.dimensions.filter((name) => keepsGoal || name !== GOAL);
  const others = { filter: rest, dimensions };
  return {
    main: part(
      hitQuery,
      list ? 'by goal' : 'selected',
      // A goal with a conversion has a row, and values are multiples of the conversions.
      list || areMultiples ? [...ownMetrics(hitQuery), 'conversions'] : ownMetrics(hitQuery),
      asked(hitQuery, ['converters', 'visitors']),
    ),
    beside: copies.length > 0 ? part({ ...hitQuery, ...others }, 'selected', [], copies) : undefined,
  };
}

function ownMetrics({ metrics }: HitQuery): CountedMetric[] {
  return metrics.filter((metric) => !OTHERS.includes(metric));
}

function asked({ metrics }: HitQuery, ...copies: Copy[]): Copy[] {
  return copies.filter(([to]) => metrics.includes(to));
}

function part(hitQuery: HitQuery, hits: CountedHits, own: CountedMetric[], copies: Copy[]): Part {
  const metrics = [...new Set([...own, ...copies.map(([, from]) => from)])];
  return { hitQuery: { ...hitQuery, metrics }, hits, copies };
}

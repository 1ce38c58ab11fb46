import { InvalidFields } from '../../ground/errors';
import { entriesOf, type EntryName } from '../listed-names';
import { comparedRange, type RangeQuery } from '../range-query';
import { filterOf } from '../parse/filter';
import type { QueryName } from '../parse/names';
import type { HitQuery, Ordering } from './hit-query';

export const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** The largest entries first. */
export function hitQueryOf(name: EntryName, query: RangeQuery): HitQuery {
  const { from, to, filter, filters } = query;
  const previous = comparedRange(query);
  const { counts } = entriesOf(name);
  const order: Ordering = { by: { metric: counts }, direction: 'desc' };
  return {
    range: { days: { from, to } },
    previous: previous && { days: previous },
    filter: filters && filterOf(filters),
    dimensions: [dimensionOf(name, filter)],
    metrics: [counts],
    needsValue: true,
    fill: false,
    order: [order],
    skip: 0,
    take: ALL_ROWS,
  };
}

function dimensionOf(name: EntryName, filter: string | undefined): QueryName {
  if (name === 'pageview' || name === 'visitor') return 'day';
  if (name !== 'dropped') return name;
  throw new InvalidFields(
    filter === undefined
      ? { names: ['must not have dropped, which has no hits, with names that are counted from hits'] }
      : { filter: ['is not possible for dropped events, which have no hits'] },
  );
}

import { InvalidFields } from '../../common/errors';
import { foldCase } from '../../common/text';
import { offsetOf } from '../../common/rows';
import type { ListValues } from '../dto/list-values.dto';
import type { ShowStats } from '../dto/show-stats.dto';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, type EntryName } from '../listed-names';
import { filterOf, type ResolvedFilter } from '../queries/parse/filter';
import type { QueryName } from '../queries/parse/names';
import type { Ordering, HitQuery } from '../queries/plan/hit-query';
import { comparedRange, type Comparing, EVER, type Filtered, type RangeQuery } from '../range-query';

export const ALL_ROWS = Number.MAX_SAFE_INTEGER;
const BY_VALUE = { dimension: 0 };

export function queryOfPage(query: Filtered<ShowStats>): HitQuery {
  const { name, sort_by, sort, search, per_page } = query;
  const by = sort_by === 'value' ? BY_VALUE : { metric: entriesOf(name).counts };
  return {
    ...hitQueryOf(name, query),
    order: [{ by, direction: sort }],
    search: search === undefined ? undefined : foldCase(search),
    skip: offsetOf(query),
    take: per_page,
  };
}

/** All days in order; of other names the largest entries. */
export function queryOfSummary(name: EntryName, query: Filtered<SummariseStats & Comparing>): HitQuery {
  const { fill, per_page } = query;
  const { days } = entriesOf(name);
  return {
    ...hitQueryOf(name, query),
    ...(days && { order: [{ by: BY_VALUE, direction: 'asc' }] }),
    fill: days ? fill : false,
    take: days ? ALL_ROWS : per_page,
  };
}

export function queryOfValues(
  { name, search, per_page }: ListValues,
  statsFrom: number,
  filters: ResolvedFilter[] | undefined,
): HitQuery {
  return {
    ...hitQueryOf(name, { ...EVER, from: statsFrom, ...(filters && { filters }) }),
    search: search === undefined ? undefined : foldCase(search),
    take: per_page,
  };
}

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

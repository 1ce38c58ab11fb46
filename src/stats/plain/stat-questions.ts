import { InvalidFields } from '../../common/problem';
import { foldCase } from '../../common/text';
import { offsetOf } from '../../common/rows';
import type { ListValues } from '../dto/list-values.dto';
import type { ShowStats } from '../dto/show-stats.dto';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, type EntryName } from '../name-list';
import { filterOf } from '../questions/parse/filter';
import type { AskedName } from '../questions/parse/names';
import type { Ordering, Question } from '../questions/plan/question';
import { parseFilterSyntax } from '../questions/parse/filter-syntax';
import { comparedRange, type Comparing, EVER, type RangeQuery } from '../range-query';

export const ALL_ROWS = Number.MAX_SAFE_INTEGER;
const BY_VALUE = { dimension: 0 };

export function questionOfPage(query: ShowStats): Question {
  const { name, sort_by, sort, search, per_page } = query;
  const by = sort_by === 'value' ? BY_VALUE : { metric: entriesOf(name).counts };
  return {
    ...questionOf(name, query),
    order: [{ by, direction: sort }],
    search: search === undefined ? undefined : foldCase(search),
    skip: offsetOf(query),
    take: per_page,
  };
}

/** Days are all shown, and in their order; of others the largest. */
export function questionOfSummary(name: EntryName, query: SummariseStats & Comparing): Question {
  const { fill, per_page } = query;
  const { days } = entriesOf(name);
  return {
    ...questionOf(name, query),
    ...(days && { order: [{ by: BY_VALUE, direction: 'asc' }] }),
    fill: days ? fill : false,
    take: days ? ALL_ROWS : per_page,
  };
}

export function questionOfValues({ name, search, per_page }: ListValues, keptFrom: number): Question {
  return {
    ...questionOf(name, { ...EVER, from: keptFrom }),
    search: search === undefined ? undefined : foldCase(search),
    take: per_page,
  };
}

/** The largest entries first. */
export function questionOf(name: EntryName, query: RangeQuery): Question {
  const { from, to, filter } = query;
  const previous = comparedRange(query);
  const { counts } = entriesOf(name);
  const order: Ordering = { by: { metric: counts }, direction: 'desc' };
  return {
    range: { days: { from, to } },
    previous: previous && { days: previous },
    filter: filter === undefined ? undefined : filterOf(parseFilterSyntax(filter)),
    dimensions: [dimensionOf(name, filter)],
    metrics: [counts],
    needsValue: true,
    fill: false,
    order: [order],
    skip: 0,
    take: ALL_ROWS,
  };
}

function dimensionOf(name: EntryName, filter: string | undefined): AskedName {
  if (name === 'pageview' || name === 'visitor') return 'day';
  if (name !== 'dropped') return name;
  throw new InvalidFields(
    filter === undefined
      ? { names: ['must not have dropped, which leaves no hits, beside names that are counted from hits'] }
      : { filter: ['is not possible for dropped events, which leave no hits'] },
  );
}

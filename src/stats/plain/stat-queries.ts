import { foldCase } from '../../../engine/ground/text-search';
import { offsetOf } from '../../../engine/ground/rows';
import { ALL_ROWS, hitQueryOf } from '../../../engine/questions/plan/query-of-name';
import type { ListValues } from '../dto/list-values.dto';
import type { ShowStats } from '../dto/show-stats.dto';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, type EntryName } from '../../../engine/questions/listed-names';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import type { HitQuery } from '../../../engine/questions/plan/hit-query';
import { type Comparing, EVER, type Filtered } from '../../../engine/questions/range-query';

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

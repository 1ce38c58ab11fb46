import { Injectable } from '@nestjs/common';
import { version as release } from '../../../package.json';
import type { Caller } from '../../common/gate';
import { offsetOf } from '../../common/rows';
import { foldCase } from '../../common/text';
import { Settings } from '../../config/settings';
import { CollectedNames } from '../collected-names';
import type { ShowStats } from '../dto/show-stats.dto';
import type { StatSummaryView } from '../dto/stats.view';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf } from '../listed-names';
import type { QueryResult } from '../queries/plan/hit-query';
import { QueriesRepository } from '../queries/queries.repository';
import { checkRange, comparedRange, type Comparing, type RangeQuery } from '../range-query';
import { StatsRepository } from '../stats.repository';
import { type HasVersion, metaOf, type Versioned } from '../website-versions';
import { pageFiltersOf, type Viewer } from '../viewers/viewer';
import { LEFT_OUT, mergedWarnings, queryWarnings, SMALL_GROUPED, type Warning } from '../warnings';
import { FilteredDays } from './filtered-days';
import { SharedCalendar } from './shared-calendar';
import { isOfDays, type Shown, type Wanted } from './entries-for-viewers';
import { queriesOfHits, shownOfHits } from './hits-for-viewers';

const LARGEST_FIRST = { by: 'count', direction: 'desc' } as const;
const IN_ORDER = { by: 'value', direction: 'asc' } as const;

interface Answered {
  shown: Shown[];
  asOf: Date;
  warnings: Warning[];
}

/** Statistics for viewers of a shared page whose website does not let them filter. */
@Injectable()
export class SharedStats {
  constructor(
    private readonly stats: StatsRepository,
    private readonly filteredDays: FilteredDays,
    private readonly hitQueries: QueriesRepository,
    private readonly names: CollectedNames,
    private readonly calendar: SharedCalendar,
    private readonly settings: Settings,
  ) {}

  async page(viewer: Viewer, websiteId: number, query: ShowStats, caller: Caller, has: HasVersion) {
    const { name, search, sort_by, sort, per_page } = query;
    const wanted: Wanted = {
      name,
      search: search === undefined ? undefined : foldCase(search),
      order: { by: sort_by, direction: sort },
      page: { skip: offsetOf(query), take: per_page },
    };
    const { shown, ...answered } = await this.answer(viewer, websiteId, query, [wanted], caller);
    const { entries, total, ...sums } = shown[0]!;
    const own = { name, counts: entriesOf(name).counts, ...worded(sums) };
    const meta = this.metaOf(websiteId, query, answered, own);
    return versioned({ rows: entries, total, meta }, has);
  }

  async summarise(
    viewer: Viewer,
    websiteId: number,
    query: SummariseStats & Comparing,
    caller: Caller,
    has: HasVersion,
  ) {
    const { names, fill, per_page } = query;
    const wanted = names.map((name): Wanted => {
      const page = { skip: 0, take: per_page };
      return entriesOf(name).days
        ? { name, order: IN_ORDER, page, allDays: { fill } }
        : { name, order: LARGEST_FIRST, page };
    });
    const { shown, ...answered } = await this.answer(viewer, websiteId, query, wanted, caller);
    const summaries = shown.map(({ entries, total, ...sums }, index): StatSummaryView => {
      const name = names[index]!;
      return { name, counts: entriesOf(name).counts, total, ...worded(sums), entries };
    });
    return versioned({ summaries, meta: this.metaOf(websiteId, query, answered, {}) }, has);
  }

  /** The fourteen names have one snapshot. It decides the busy days whose hits are then queried. */
  private async answer(
    viewer: Viewer,
    websiteId: number,
    query: RangeQuery,
    wanted: Wanted[],
    caller: Caller,
  ): Promise<Answered> {
    checkRange(query);
    const { today, startOfToday, statsFrom } = await this.calendar.now();
    const { from, to } = query;
    const previous = comparedRange(query);
    const request = { viewer, websiteId, statsFrom, today, range: { from, to }, previous, wanted };
    const filters = pageFiltersOf(viewer);
    const { ranges, asOf, merged, availableFrom, ...counted } = await (filters
      ? this.filteredDays.shown(request, filters, caller)
      : this.stats.shown(request, caller));
    const warnings = mergedWarnings(merged);
    const ofHits = wanted.map((one, index) =>
      counted.shown[index] ? [] : queriesOfHits(one, ranges, filters),
    );
    const hitQueries = ofHits.flat();
    const cutAt = (first: number) =>
      [ranges.previous, ranges].some((one) => one?.over && one.over.span.from < first) ? first : undefined;
    let answers: QueryResult['answers'] = [];
    if (hitQueries.length === 0 && availableFrom !== undefined)
      warnings.push(
        ...queryWarnings({ availableFrom: cutAt(availableFrom), isMerged: false, forgotten: [] }),
      );
    if (hitQueries.length > 0) {
      const queried = await this.hitQueries.ask(viewer, websiteId, caller, statsFrom, hitQueries);
      const late = await this.names.findLateIn(hitQueries, queried.firstDay);
      const { isMerged, forgotten } = queried;
      const begins = cutAt(queried.availableFrom);
      warnings.push(...queryWarnings({ availableFrom: begins, late, isMerged, forgotten }));
      answers = queried.answers;
    }
    const shown: Shown[] = [];
    for (const [index, one] of wanted.entries()) {
      const own = answers.splice(0, ofHits[index]!.length);
      shown.push(counted.shown[index] ?? (await shownOfHits(one, ranges, own)));
    }
    if (query.to >= today) warnings.push(LEFT_OUT);
    if (wanted.some(({ name }) => !isOfDays(name))) warnings.push(SMALL_GROUPED);
    return { shown, warnings, asOf: new Date(Math.min(asOf.getTime(), startOfToday)) };
  }

  private metaOf<T extends object>(
    websiteId: number,
    query: RangeQuery,
    { asOf, warnings }: Omit<Answered, 'shown'>,
    own: T,
  ) {
    return {
      ...metaOf(this.settings, websiteId, query, asOf),
      ...own,
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

function worded({ sum, previousSum }: Pick<Shown, 'sum' | 'previousSum'>) {
  return { sum, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

/** The version of the visible result: the website's version would reveal each hit. */
function versioned<T>(result: T, has: HasVersion): Versioned<T> {
  const version = [release, result];
  return { version, result: has(version) ? undefined : result };
}

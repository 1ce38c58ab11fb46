import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import { offsetOf } from '../../../engine/ground/rows';
import { foldCase } from '../../../engine/ground/text-search';
import { Settings } from '../../config/settings';
import { CollectedNames } from '../collected-names';
import type { ShowStats } from '../dto/show-stats.dto';
import type { StatSummaryView } from '../dto/stats.view';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, isStatName } from '../../../engine/questions/listed-names';
import type { ResolvedFilter } from '../../../engine/questions/parse/filter';
import type { HitQuery, QueryResult } from '../../../engine/questions/plan/hit-query';
import { QueriesRepository } from '../queries/queries.repository';
import {
  checkRange,
  comparedRange,
  type Comparing,
  type RangeQuery,
  worded,
} from '../../../engine/questions/range-query';
import { StatsRepository } from '../stats.repository';
import type { Span } from '../../../engine/hits/calendar';
import { type HasVersion, metaOf, versionedByContent } from '../website-versions';
import { knownTo } from '../viewers/known-to';
import { askerOf, pageFiltersOf, type Viewer } from '../viewers/viewer';
import { LEFT_OUT, mergedWarnings, queryWarnings, SMALL_GROUPED, type Warning } from '../warnings';
import {
  pastDays,
  shownOfDays,
  type ShownRequest,
  type ShownResult,
} from '../../../engine/questions/viewers/answer-for-viewers';
import { daysOfBoth, daysWithHits, detailedRange } from '../../../engine/questions/viewers/detailed-days';
import { countsByDayIn, queryByDay } from '../../../engine/questions/viewers/shown-queries';
import { SharedCalendar } from './shared-calendar';
import {
  isOfDays,
  type PastDays,
  type Shown,
  type Wanted,
} from '../../../engine/questions/viewers/entries-for-viewers';
import { queriesOfHits, shownOfHits } from '../../../engine/questions/viewers/hits-for-viewers';

const LARGEST_FIRST = { by: 'count', direction: 'desc' } as const;
const IN_ORDER = { by: 'value', direction: 'asc' } as const;

interface Answered {
  shown: Shown[];
  asOf: Date;
  /** The part of the range for which all details are shown. */
  detailed: Span | undefined;
  /** The smallest range around it for which all details are shown, if no part of it has any. */
  around: Span | undefined;
  warnings: Warning[];
}

/** The days of a request, and the answers to its queries of hits. */
interface Counted extends ShownResult {
  queried: QueryResult | undefined;
}

/** Statistics for viewers of a shared page whose website does not let them filter. */
@Injectable()
export class SharedStats {
  constructor(
    private readonly stats: StatsRepository,
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
    const own = { name, counts: entriesOf(name).counts, ...sumsOf(sums) };
    const meta = this.metaOf(websiteId, query, answered, own);
    return versionedByContent({ rows: entries, total, meta }, has);
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
      return { name, counts: entriesOf(name).counts, total, ...sumsOf(sums), entries };
    });
    return versionedByContent({ summaries, meta: this.metaOf(websiteId, query, answered, {}) }, has);
  }

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
    const request = {
      asker: askerOf(viewer),
      websiteId,
      statsFrom,
      today,
      range: { from, to },
      previous,
      wanted,
    };
    const filters = pageFiltersOf(viewer);
    const spans = { over: pastDays(request.range, today), previous: previous && pastDays(previous, today) };
    const ofHits = wanted.map((one) =>
      isOfDays(one.name) || (!filters && isStatName(one.name)) ? [] : queriesOfHits(one, spans, filters),
    );
    const hitQueries = ofHits.flat();
    const { ranges, around, asOf, queried, ...counted } = await (filters
      ? this.limited(request, hitQueries, filters, caller)
      : this.unlimited(request, hitQueries, caller));
    const warnings = mergedWarnings(counted.merged);
    if (queried) {
      const { availableFrom, firstDay, isMerged, forgotten } = queried;
      const isCut = [spans.previous, spans.over].some((span) => span && span.from < availableFrom);
      const asked = hitQueries.map((one) => knownTo(viewer, one, []));
      const late = await this.names.findLateIn(asked, firstDay);
      warnings.push(
        ...queryWarnings({ availableFrom: isCut ? availableFrom : undefined, late, isMerged, forgotten }),
      );
    }
    const answers = queried ? [...queried.answers] : [];
    const shown: Shown[] = [];
    for (const [index, one] of wanted.entries()) {
      const own = answers.splice(0, ofHits[index]!.length);
      shown.push(counted.shown[index] ?? (await shownOfHits(one, ranges, own)));
    }
    if (query.to >= today) warnings.push(LEFT_OUT);
    if (wanted.some(({ name }) => !isOfDays(name))) warnings.push(SMALL_GROUPED);
    return {
      ...{ shown, warnings, around },
      asOf: new Date(Math.min(asOf.getTime(), startOfToday)),
      detailed: ranges.over && detailedIn(ranges.over, queried),
    };
  }

  /** The days and the values of a page that is limited to a saved filter are of one moment. */
  private async limited(
    request: ShownRequest,
    hitQueries: HitQuery[],
    filters: ResolvedFilter[],
    caller: Caller,
  ): Promise<Counted> {
    const { asker, websiteId, statsFrom } = request;
    const byDay = queryByDay(request, filters);
    const queried = await this.hitQueries.ask(asker, websiteId, caller, statsFrom, hitQueries, { byDay });
    const days = await shownOfDays(countsByDayIn(queried.byDay!), queried.blocks!, request);
    return { ...days, merged: [], asOf: queried.asOf, queried };
  }

  /** The fourteen names have one snapshot. It decides the shown days whose hits are then queried. */
  private async unlimited(request: ShownRequest, hitQueries: HitQuery[], caller: Caller): Promise<Counted> {
    const { asker, websiteId, statsFrom } = request;
    const days = await this.stats.shown(request, caller);
    if (hitQueries.length === 0) return { ...days, queried: undefined };
    const { over, previous } = days.ranges;
    const shownBy = { days: daysOfBoth(over, previous?.over) };
    const queried = await this.hitQueries.ask(asker, websiteId, caller, statsFrom, hitQueries, shownBy);
    return { ...days, queried };
  }

  private metaOf<T extends object>(
    websiteId: number,
    query: RangeQuery,
    { asOf, detailed, around, warnings }: Omit<Answered, 'shown'>,
    own: T,
  ) {
    return {
      ...metaOf(this.settings, websiteId, query, asOf),
      ...own,
      detailed_range: detailed ? worded(detailed) : null,
      ...(!detailed && { surrounding_range: around ? worded(around) : null }),
      ...(warnings.length > 0 && { warnings }),
    };
  }
}

function detailedIn(over: PastDays, queried: QueryResult | undefined): Span | undefined {
  return detailedRange(queried ? daysWithHits(over, queried.availableFrom) : over, over.span);
}

function sumsOf({ sum, previousSum }: Pick<Shown, 'sum' | 'previousSum'>) {
  return { sum, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

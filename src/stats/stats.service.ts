import { Injectable } from '@nestjs/common';
import type { Caller } from '../../engine/ground/gate';
import { offsetOf, type Rows } from '../../engine/ground/rows';
import { foldCase } from '../../engine/ground/text-search';
import { Settings } from '../config/settings';
import { DIMENSIONS, type StatName } from '../../engine/hits/stat-names';
import type { Span } from '../../engine/hits/calendar';
import type { RequestedRange } from '../../engine/questions/parse/query-range';
import { day } from '../../engine/ground/time/parsed';
import type { ListValues, ValuesMetaView } from './dto/list-values.dto';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView, StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import { isStatName, statNameOf } from '../../engine/questions/listed-names';
import {
  checkRange,
  comparedRange,
  type Comparing,
  EVER,
  type RangeQuery,
  rangesOf,
} from '../../engine/questions/range-query';
import type { EntriesOfName, PageOfName } from '../../engine/questions/plain-request';
import type { Order } from '../../engine/questions/plain-request';
import { StatsOfHits } from './plain/stats-of-hits';
import { StatsRepository } from './stats.repository';
import {
  type AsOf,
  hasNone,
  type HasVersion,
  metaOf,
  type StatsFile,
  type StatsVersion,
  type Versioned,
  versionOf,
} from './website-versions';
import { forgottenWarnings, mergedWarnings, type Warning } from './warnings';
import { SharedStats } from './shared/shared-stats.service';
import { askerOf, isLimited, type Owner, pageFiltersOf, type Viewer } from './viewers/viewer';
import { checkFilter, checkNames, checkValues } from './viewers/viewer-limits';

const LARGEST_FIRST: Order = { by: 'count', direction: 'desc' };
const EARLIEST_FIRST: Order = { by: 'value', direction: 'asc' };

type StatsPage = Rows<StatEntryView> & { meta: AsOf };
type Values = { values: StatEntryView[]; meta: ValuesMetaView };
type Summaries = { summaries: StatSummaryView[]; meta: AsOf };

/** One of the fourteen names without a filter: the plain lane answers it. */
export function isPlain(query: ShowStats, viewer?: Viewer): query is ShowStats & { name: StatName } {
  return isUnfiltered(query, viewer) && isStatName(query.name);
}

export function arePlain<Q extends SummariseStats>(
  query: Q,
  viewer?: Viewer,
): query is Q & { names: StatName[] } {
  return isUnfiltered(query, viewer) && query.names.every(isStatName);
}

function isUnfiltered({ filter }: { filter?: string }, viewer: Viewer | undefined): boolean {
  return filter === undefined && !(viewer && pageFiltersOf(viewer));
}

@Injectable()
export class StatsService {
  constructor(
    private readonly stats: StatsRepository,
    private readonly ofHits: StatsOfHits,
    private readonly shared: SharedStats,
    private readonly settings: Settings,
  ) {}

  page(
    viewer: Viewer,
    websiteId: number,
    query: ShowStats,
    caller: Caller,
    has = hasNone,
  ): Promise<Versioned<StatsPage>> {
    checkNames(viewer, 'name', [query.name]);
    checkFilter(viewer, query.filter);
    if (isLimited(viewer)) return this.shared.page(viewer, websiteId, query, caller, has);
    if (!isPlain(query, viewer)) return this.ofHits.page(viewer, websiteId, query, caller, has);
    const { name, search } = query;
    const { sort_by: by, sort: direction, per_page: take } = query;
    const page = { name, search: folded(search), order: { by, direction }, skip: offsetOf(query), take };
    return this.unlessKnown(viewer, websiteId, query, caller, has, [page], ([found]) => {
      const { entries: rows, total, mergedDays, forgotten } = found!;
      const meta = {
        ...{ name, counts: DIMENSIONS[name].counts, ...sumsOf(found!) },
        ...warningsOf([{ name, days: mergedDays }], forgotten),
      };
      return { rows, total, meta };
    });
  }

  daysOf(websiteId: number, range: RequestedRange): Promise<Span> {
    return this.ofHits.daysOf(websiteId, range);
  }

  /** The first day with visitors. */
  async firstDay(viewer: Owner, websiteId: number, caller: Caller): Promise<number | undefined> {
    const page = { name: 'visitor', order: EARLIEST_FIRST, skip: 0, take: 1 } as const;
    const request = { asker: askerOf(viewer), websiteId, range: EVER, previous: undefined, names: [page] };
    const [first] = (await this.stats.answer(request, caller)).names[0]!.entries;
    return first && day(first.value);
  }

  /** The values of a name on any day, the most frequent first. */
  async values(viewer: Viewer, websiteId: number, query: ListValues, caller: Caller): Promise<Values> {
    const { name } = query;
    checkValues(viewer, name);
    const counted = pageFiltersOf(viewer) ? undefined : statNameOf(name);
    const { values, total, asOf } = counted
      ? await this.plainValues(viewer, websiteId, counted, query, caller)
      : await this.ofHits.values(viewer, websiteId, query, caller);
    return { values, meta: { website_id: websiteId, name, total, as_of: asOf.toISOString() } };
  }

  private async plainValues(
    viewer: Viewer,
    websiteId: number,
    name: StatName,
    { search, per_page }: ListValues,
    caller: Caller,
  ) {
    const page = { name, search: folded(search), order: LARGEST_FIRST, skip: 0, take: per_page };
    const request = { asker: askerOf(viewer), websiteId, range: EVER, previous: undefined, names: [page] };
    const { names, asOf } = await this.stats.answer(request, caller);
    const { entries: values, total } = names[0]!;
    return { values, total, asOf };
  }

  summarise(
    viewer: Viewer,
    websiteId: number,
    query: SummariseStats & Comparing,
    caller: Caller,
    has = hasNone,
  ): Promise<Versioned<Summaries>> {
    checkNames(viewer, 'names', query.names);
    checkFilter(viewer, query.filter);
    if (isLimited(viewer)) return this.shared.summarise(viewer, websiteId, query, caller, has);
    if (!arePlain(query, viewer)) return this.ofHits.summarise(viewer, websiteId, query, caller, has);
    const names: StatName[] = query.names;
    const pages = names.map((name) => pageOfSummary(name, query));
    return this.unlessKnown(viewer, websiteId, query, caller, has, pages, (found) => {
      const summaries = found.map(({ entries, total, ...sums }, index): StatSummaryView => {
        const name = names[index]!;
        return { name, counts: DIMENSIONS[name].counts, total, ...sumsOf(sums), entries };
      });
      const merged = found.map(({ mergedDays: days }, index) => ({ name: names[index]!, days }));
      return {
        summaries,
        meta: warningsOf(
          merged,
          found.flatMap(({ forgotten }) => forgotten),
        ),
      };
    });
  }

  /** All entries. Viewers get pages alone. */
  file(viewer: Owner, websiteId: number, query: ShowStats, caller: Caller): StatsFile<StatEntryView> {
    if (!isPlain(query, viewer)) return this.ofHits.file(viewer, websiteId, query, caller);
    const { name, from, to, search, sort_by: by, sort: direction } = query;
    const range = { asker: askerOf(viewer), websiteId, range: { from, to }, previous: comparedRange(query) };
    return {
      version: async () => {
        checkRange(query);
        return this.versionNow(viewer, websiteId, query);
      },
      pieces: () =>
        this.stats.whole({ ...range, name, search: folded(search), order: { by, direction } }, caller),
    };
  }

  /** Reads the version first, so that nothing is loaded for a caller who has it. */
  private async unlessKnown<T extends { meta: object }>(
    viewer: Viewer,
    websiteId: number,
    query: RangeQuery,
    caller: Caller,
    has: HasVersion,
    names: PageOfName[],
    resultOf: (found: EntriesOfName[]) => T,
  ): Promise<Versioned<T & { meta: AsOf }>> {
    checkRange(query);
    if (has !== hasNone) {
      const version = await this.versionNow(viewer, websiteId, query);
      if (has(version)) return { version, result: undefined };
    }
    const { from, to } = query;
    const request = {
      asker: askerOf(viewer),
      websiteId,
      range: { from, to },
      previous: comparedRange(query),
      names,
    };
    const { version, asOf, excluded, names: found } = await this.stats.answer(request, caller);
    const result = resultOf(found);
    const meta = {
      ...metaOf(this.settings, websiteId, query, asOf),
      ...(excluded.length > 0 && { excluded }),
      ...result.meta,
    };
    return { version: versionOf(this.settings, websiteId, query, version), result: { ...result, meta } };
  }

  private async versionNow(viewer: Viewer, websiteId: number, query: RangeQuery): Promise<StatsVersion> {
    const version = await this.stats.version('counts', viewer, websiteId, rangesOf(query));
    return versionOf(this.settings, websiteId, query, version);
  }
}

function folded(search: string | undefined): string | undefined {
  return search === undefined ? undefined : foldCase(search);
}

function sumsOf({ sum, previousSum }: Pick<EntriesOfName, 'sum' | 'previousSum'>) {
  return { sum, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

function warningsOf(
  merged: Parameters<typeof mergedWarnings>[0],
  forgotten: readonly number[],
): { warnings?: Warning[] } {
  const warnings = [...mergedWarnings(merged), ...forgottenWarnings(forgotten)];
  return warnings.length === 0 ? {} : { warnings };
}

/** All days in order; of other names the largest entries. */
function pageOfSummary(name: StatName, { fill, per_page }: SummariseStats): PageOfName {
  const page = { name, order: LARGEST_FIRST, skip: 0, take: per_page };
  return DIMENSIONS[name].days ? { ...page, days: { fill } } : page;
}

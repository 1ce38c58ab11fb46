import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import type { Rows } from '../common/rows';
import { foldCase } from '../common/text';
import { Settings } from '../config/settings';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import { offsetOf } from '../common/page';
import { Breakdown } from './breakdown';
import type { ListValues, ValuesMetaView } from './dto/list-values.dto';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView, StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import { countersOf, hasCounters } from './name-list';
import { checkRange, comparedRange, type Comparing, EVER, type RangeQuery, rangesOf } from './range-query';
import type { Order, Selection, Snapshot } from './snapshot';
import { StatsOfHits } from './stats-of-hits';
import { StatsRepository } from './stats.repository';
import {
  type AsOf,
  hasNone,
  type HasVersion,
  metaOf,
  type StatsVersion,
  type Versioned,
  versionOf,
} from './versions';
import { warningsOf } from './warnings';
import { SharedStats } from './shared/shared-stats.service';
import { isLimited, type Viewer } from './viewer';
import { checkFilter, checkNames, checkValues } from './viewer-limits';

const LARGEST_FIRST: Order = { by: 'count', direction: 'desc' };

type StatsPage = Rows<StatEntryView> & { meta: AsOf };
type Values = { values: StatEntryView[]; meta: ValuesMetaView };
type Summaries = { summaries: StatSummaryView[]; meta: AsOf };

/** What the counters answer, as they are kept for the fourteen names. */
type Counted<Q> = Q & { name: StatName };

export function isOfCounters(query: ShowStats): query is Counted<ShowStats> {
  return query.filter === undefined && hasCounters(query.name);
}

export function areOfCounters<Q extends SummariseStats>(query: Q): query is Q & { names: StatName[] } {
  return query.filter === undefined && query.names.every(hasCounters);
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
    if (!isOfCounters(query)) return this.ofHits.page(viewer, websiteId, query, caller, has);
    const { name } = query;
    return this.unlessKnown(viewer, websiteId, query, caller, has, async (snapshot) => {
      const breakdown = await Breakdown.of(snapshot, selectionOf(query), comparedRange(query));
      const rows = await breakdown.page(orderOf(query), offsetOf(query), query.per_page);
      const warnings = await warningsOf(snapshot, [name], rangesOf(query));
      const meta = { name, counts: DIMENSIONS[name].counts, ...sumsOf(breakdown), ...warnings };
      return { rows, total: breakdown.total, meta };
    });
  }

  /** The values of a name that were counted on any day, the most frequent first. */
  async values(viewer: Viewer, websiteId: number, query: ListValues, caller: Caller): Promise<Values> {
    const { name } = query;
    checkValues(viewer, name);
    const counters = countersOf(name);
    const { values, total, asOf } = counters
      ? await this.valuesOfCounters(viewer, websiteId, counters, query, caller)
      : await this.ofHits.values(viewer, websiteId, query, caller);
    return { values, meta: { website_id: websiteId, name, total, as_of: asOf.toISOString() } };
  }

  private async valuesOfCounters(
    viewer: Viewer,
    websiteId: number,
    name: StatName,
    { search, per_page }: ListValues,
    caller: Caller,
  ) {
    const { result, asOf } = await this.stats.at(viewer, websiteId, caller, async (snapshot) => {
      const breakdown = await Breakdown.of(snapshot, selectionOf({ name, ...EVER, search }), undefined);
      return { values: await breakdown.page(LARGEST_FIRST, 0, per_page), total: breakdown.total };
    });
    return { ...result, asOf };
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
    if (!areOfCounters(query)) return this.ofHits.summarise(viewer, websiteId, query, caller, has);
    return this.unlessKnown(viewer, websiteId, query, caller, has, async (snapshot) => {
      const summaries: StatSummaryView[] = [];
      for (const name of query.names) {
        caller.signal?.throwIfAborted();
        summaries.push(await summaryOf(snapshot, name, query));
      }
      return { summaries, meta: await warningsOf(snapshot, query.names, rangesOf(query)) };
    });
  }

  async version(viewer: Viewer, websiteId: number, query: ShowStats, caller: Caller): Promise<StatsVersion> {
    if (isLimited(viewer)) return (await this.page(viewer, websiteId, query, caller)).version;
    checkNames(viewer, 'name', [query.name]);
    checkFilter(viewer, query.filter);
    if (!isOfCounters(query)) return this.ofHits.version(viewer, websiteId, query, caller);
    checkRange(query);
    const { result } = await this.stats.at(viewer, websiteId, caller, (snapshot) =>
      Promise.resolve(versionOf(this.settings, websiteId, query, snapshot.state)),
    );
    return result;
  }

  /** All entries, in pieces. */
  async *pieces(
    viewer: Viewer,
    websiteId: number,
    query: ShowStats,
    caller: Caller,
  ): AsyncGenerator<StatEntryView[]> {
    checkNames(viewer, 'name', [query.name]);
    checkFilter(viewer, query.filter);
    if (isLimited(viewer)) {
      yield (await this.page(viewer, websiteId, query, caller)).result!.rows;
      return;
    }
    if (!isOfCounters(query)) {
      yield* this.ofHits.pieces(viewer, websiteId, query, caller);
      return;
    }
    checkRange(query);
    const { result: breakdown } = await this.stats.at(viewer, websiteId, caller, (snapshot) =>
      Breakdown.of(snapshot, selectionOf(query), comparedRange(query)),
    );
    for await (const counted of this.stats.whole(
      websiteId,
      caller,
      query.name,
      breakdown.sums,
      orderOf(query),
      breakdown.epoch,
    ))
      yield counted.map(({ id, value }) => breakdown.entry(id, value));
  }

  /** Looks at the version in the same snapshot, so that nothing is loaded for a caller who has it. */
  private async unlessKnown<T extends { meta: object }>(
    viewer: Viewer,
    websiteId: number,
    query: RangeQuery,
    caller: Caller,
    has: HasVersion,
    load: (snapshot: Snapshot) => Promise<T>,
  ): Promise<Versioned<T & { meta: AsOf }>> {
    checkRange(query);
    const { result: found, asOf } = await this.stats.at(viewer, websiteId, caller, async (snapshot) => {
      const version = versionOf(this.settings, websiteId, query, snapshot.state);
      return { version, result: has(version) ? undefined : await load(snapshot) };
    });
    const { version, result } = found;
    const meta = result && { ...metaOf(this.settings, websiteId, query, asOf), ...result.meta };
    return { version, result: result && { ...result, meta: meta! } };
  }
}

function selectionOf({
  name,
  from,
  to,
  search,
}: Counted<Pick<ShowStats, 'name' | 'from' | 'to' | 'search'>>): Selection {
  return { name, range: { from, to }, search: search === undefined ? undefined : foldCase(search) };
}

function orderOf({ sort_by, sort }: ShowStats): Order {
  return { by: sort_by, direction: sort };
}

function sumsOf({ sum, previousSum }: Breakdown) {
  return { sum, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

async function summaryOf(
  snapshot: Snapshot,
  name: StatName,
  query: SummariseStats & Comparing,
): Promise<StatSummaryView> {
  const { from, to, fill, per_page } = query;
  const { days, counts } = DIMENSIONS[name];
  const breakdown = await Breakdown.of(snapshot, { name, range: { from, to } }, comparedRange(query));
  const entries = days ? await breakdown.days(fill) : await breakdown.page(LARGEST_FIRST, 0, per_page);
  const total = days ? entries.length : breakdown.total;
  return { name, counts, total, ...sumsOf(breakdown), entries };
}

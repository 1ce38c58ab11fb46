import { Injectable } from '@nestjs/common';
import { version as release } from '../../package.json';
import { dayText } from '../common/days';
import type { Caller } from '../common/gate';
import { InvalidFields } from '../common/problem';
import type { Rows } from '../common/rows';
import { foldCase } from '../common/text';
import { Settings } from '../config/settings';
import type { Span } from '../storage/calendar';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import { offsetOf } from '../validation/page-query';
import { Breakdown, previousRange } from './breakdown';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView, StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import type { Order, Selection, Snapshot } from './snapshot';
import { StatsRepository } from './stats.repository';
import { warningsOf } from './warnings';

const MAX_FILLED_DAYS = 3660;
const LARGEST_FIRST: Order = { by: 'count', direction: 'desc' };

/** All that statistics depend on: they are the same as long as it is. */
export type StatsVersion = readonly unknown[];
export type HasVersion = (version: StatsVersion) => boolean;
const hasNone: HasVersion = () => false;

export interface Versioned<T> {
  version: StatsVersion;
  /** Undefined where the caller has this version already, so that it was not loaded. */
  result: T | undefined;
}

/** What `meta` always says. */
interface AsOf {
  as_of: string;
}
type StatsPage = Rows<StatEntryView> & { meta: AsOf };
type Summaries = { summaries: StatSummaryView[]; meta: AsOf };

@Injectable()
export class StatsService {
  constructor(
    private readonly stats: StatsRepository,
    private readonly settings: Settings,
  ) {}

  page(
    ownerId: number,
    websiteId: number,
    query: ShowStats,
    caller: Caller,
    has = hasNone,
  ): Promise<Versioned<StatsPage>> {
    const { name } = query;
    return this.unlessKnown(ownerId, websiteId, query, caller, has, async (snapshot) => {
      const breakdown = await Breakdown.of(snapshot, selectionOf(query), comparedRange(query));
      const rows = await breakdown.page(orderOf(query), offsetOf(query), query.per_page);
      const warnings = await warningsOf(snapshot, [name], rangesOf(query));
      const meta = { name, counts: DIMENSIONS[name].counts, ...sumsOf(breakdown), ...warnings };
      return { rows, total: breakdown.total, meta };
    });
  }

  summarise(
    ownerId: number,
    websiteId: number,
    query: SummariseStats & Comparing,
    caller: Caller,
    has = hasNone,
  ): Promise<Versioned<Summaries>> {
    return this.unlessKnown(ownerId, websiteId, query, caller, has, async (snapshot) => {
      const summaries: StatSummaryView[] = [];
      for (const name of query.names) {
        caller.signal?.throwIfAborted();
        summaries.push(await summaryOf(snapshot, name, query));
      }
      return { summaries, meta: await warningsOf(snapshot, query.names, rangesOf(query)) };
    });
  }

  async version(ownerId: number, websiteId: number, query: ShowStats, caller: Caller): Promise<StatsVersion> {
    checkRange(query);
    const { result } = await this.stats.at(ownerId, websiteId, caller, (snapshot) =>
      Promise.resolve(this.versionOf(snapshot, query)),
    );
    return result;
  }

  /** All entries, in pieces. */
  async *pieces(
    ownerId: number,
    websiteId: number,
    query: ShowStats,
    caller: Caller,
  ): AsyncGenerator<StatEntryView[]> {
    checkRange(query);
    const { result: breakdown } = await this.stats.at(ownerId, websiteId, caller, (snapshot) =>
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
    ownerId: number,
    websiteId: number,
    query: RangeQuery,
    caller: Caller,
    has: HasVersion,
    load: (snapshot: Snapshot) => Promise<T>,
  ): Promise<Versioned<T & { meta: AsOf }>> {
    checkRange(query);
    const { result: found, asOf } = await this.stats.at(ownerId, websiteId, caller, async (snapshot) => {
      const version = this.versionOf(snapshot, query);
      return { version, result: has(version) ? undefined : await load(snapshot) };
    });
    const { version, result } = found;
    const meta = result && { ...this.metaOf(websiteId, query, asOf), ...result.meta };
    return { version, result: result && { ...result, meta: meta! } };
  }

  /** Counts of closed days change with their version, others with each fold; labels change with a release. */
  private versionOf(
    { websiteId, state: { version: closed, folds, closedBefore, epoch } }: Snapshot,
    query: RangeQuery,
  ): StatsVersion {
    const last = Math.max(...rangesOf(query).map(({ to }) => to));
    const state = last < closedBefore ? { closed, epoch } : { folds, epoch };
    return [release, this.settings.timezone, websiteId, query, state];
  }

  private metaOf(websiteId: number, query: RangeQuery, asOf: Date) {
    const previous = comparedRange(query);
    return {
      website_id: websiteId,
      range: worded(query),
      ...(previous && { previous_range: worded(previous) }),
      timezone: this.settings.timezone,
      as_of: asOf.toISOString(),
    };
  }
}

/** The range that a query is compared with, where it is not that of as many days right before. */
interface Comparing {
  previous?: Span;
}
type RangeQuery = Span & Comparing & { compare?: 'previous'; fill?: boolean };

function checkRange({ from, to, previous, fill = false }: RangeQuery): void {
  if (from > to) throw new InvalidFields({ to: ['must not be before "from"'] });
  if (previous && previous.from > previous.to)
    throw new InvalidFields({ previous_to: ['must not be before "previous_from"'] });
  if (fill && to - from >= MAX_FILLED_DAYS)
    throw new InvalidFields({ fill: ['is possible for ranges of up to 3,660 days'] });
}

function selectionOf({ name, from, to, search }: ShowStats): Selection {
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

function comparedRange({ previous, compare, ...range }: RangeQuery): Span | undefined {
  return previous ?? (compare && previousRange(range));
}

function rangesOf(query: RangeQuery): Span[] {
  const { from, to } = query;
  const previous = comparedRange(query);
  return previous ? [previous, { from, to }] : [{ from, to }];
}

function worded({ from, to }: Span) {
  return { from: dayText(from), to: dayText(to) };
}

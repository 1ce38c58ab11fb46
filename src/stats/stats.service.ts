import { Injectable } from '@nestjs/common';
import { version } from '../../package.json';
import { entityTagOf, type Precondition } from '../common/entity-tags';
import type { Listing } from '../common/listing';
import { offsetOf, Page, WithMeta } from '../common/pagination';
import { dayText } from '../common/parsers';
import { InvalidFields } from '../common/problem';
import { Tagged } from '../common/revalidation';
import { Settings } from '../config/settings';
import { Breakdown, previousRange } from './breakdown';
import type { Span } from './cover';
import { DIMENSIONS, type StatName } from './dimensions';
import type { ShowStats } from './dto/show-stats.dto';
import { COMPARED_COLUMNS, ENTRY_COLUMNS, type StatEntryView, type StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import type { Order, Selection, Snapshot } from './snapshot';
import { StatsRepository } from './stats.repository';

const LARGEST_FIRST: Order = { by: 'count', direction: 'desc' };
const never: Precondition = () => false;

@Injectable()
export class StatsService {
  constructor(
    private readonly stats: StatsRepository,
    private readonly settings: Settings,
  ) {}

  list(ownerId: number, websiteId: number, query: ShowStats, isKnown: Precondition): Listing<StatEntryView> {
    const { name, from, to, compare } = query;
    checkRange(query);
    return {
      name: `${name}-${dayText(from)}-${dayText(to)}`,
      columns: compare ? COMPARED_COLUMNS : ENTRY_COLUMNS,
      page: () => this.page(ownerId, websiteId, query, isKnown),
      pieces: () => this.pieces(ownerId, websiteId, query),
    };
  }

  summarise(ownerId: number, websiteId: number, query: SummariseStats, isKnown: Precondition) {
    checkRange(query);
    const load = async (snapshot: Snapshot) => {
      const summaries: StatSummaryView[] = [];
      for (const name of query.names) summaries.push(await summaryOf(snapshot, name, query));
      return (meta: object) => new WithMeta(summaries, meta);
    };
    return this.tagged(ownerId, websiteId, query, isKnown, load);
  }

  private page(
    ownerId: number,
    websiteId: number,
    query: ShowStats,
    isKnown: Precondition,
  ): Promise<Tagged<Page<StatEntryView>>> {
    const { name } = query;
    return this.tagged(ownerId, websiteId, query, isKnown, async (snapshot) => {
      const breakdown = await Breakdown.of(snapshot, selectionOf(query), query.compare !== undefined);
      const entries = await breakdown.page(orderOf(query), offsetOf(query), query.per_page);
      const { counts } = DIMENSIONS[name];
      return (meta) =>
        new Page(entries, breakdown.total, query, { ...meta, name, counts, ...sumsOf(breakdown) });
    });
  }

  private async *pieces(
    ownerId: number,
    websiteId: number,
    query: ShowStats,
  ): AsyncGenerator<StatEntryView[]> {
    const { result: breakdown } = await this.stats.at(ownerId, websiteId, (snapshot) =>
      Breakdown.of(snapshot, selectionOf(query), query.compare !== undefined),
    );
    for await (const counted of this.stats.whole(websiteId, query.name, breakdown.sums, orderOf(query)))
      yield counted.map(({ id, value }) => breakdown.entry(id, value));
  }

  /** Loads in the snapshot that the tag is of, and only for a caller who has not got that version. */
  private async tagged<Q extends Question, T>(
    ownerId: number,
    websiteId: number,
    query: Q,
    isKnown: Precondition,
    load: (snapshot: Snapshot) => Promise<(meta: object) => T>,
  ): Promise<Tagged<T>> {
    const { result, asOf } = await this.stats.at(ownerId, websiteId, async (snapshot) => {
      const tag = this.tagOf(snapshot, query);
      return { tag, worded: isKnown(tag) ? undefined : await load(snapshot) };
    });
    const { tag, worded } = result;
    if (worded) return new Tagged(tag, () => worded(this.metaOf(websiteId, query, asOf)));
    const again = () => this.tagged(ownerId, websiteId, query, never, load);
    return new Tagged(tag, async () => (await again()).load());
  }

  /** Counts of closed days change with their version, others with each fold; labels change with a release. */
  private tagOf({ websiteId, state: { version: closed, folds, closedBefore } }: Snapshot, query: Question) {
    const state = query.to < closedBefore ? { closed } : { folds };
    return entityTagOf([version, this.settings.timezone, websiteId, query, state]);
  }

  private metaOf(websiteId: number, query: Question, asOf: Date) {
    return {
      website_id: websiteId,
      range: worded(query),
      ...(query.compare && { previous_range: worded(previousRange(query)) }),
      timezone: this.settings.timezone,
      as_of: asOf.toISOString(),
    };
  }
}

type Question = Span & { compare?: 'previous' };

function checkRange({ from, to }: Span): void {
  if (from > to) throw new InvalidFields({ to: ['must not lie before from'] });
}

function selectionOf({ name, from, to, search }: ShowStats): Selection {
  return { name, range: { from, to }, search };
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
  query: SummariseStats,
): Promise<StatSummaryView> {
  const { from, to, compare, per_page } = query;
  const breakdown = await Breakdown.of(snapshot, { name, range: { from, to } }, compare !== undefined);
  const entries = await breakdown.page(LARGEST_FIRST, 0, per_page);
  return { name, counts: DIMENSIONS[name].counts, total: breakdown.total, ...sumsOf(breakdown), entries };
}

function worded({ from, to }: Span) {
  return { from: dayText(from), to: dayText(to) };
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../engine/ground/gate';
import type { Rows } from '../../../engine/ground/rows';
import { textAt } from '../../../engine/ground/lists/text-list';
import { Settings } from '../../config/settings';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { CollectedNames } from '../collected-names';
import type { ListValues } from '../dto/list-values.dto';
import type { ShowStats } from '../dto/show-stats.dto';
import type { StatEntryView, StatSummaryView } from '../dto/stats.view';
import { entryOf } from '../../../engine/questions/stat-entry';
import type { SummariseStats } from '../dto/summarise-stats.dto';
import { entriesOf, type EntryName } from '../../../engine/questions/listed-names';
import type { Answer, HitQuery, QueryResult } from '../../../engine/questions/plan/hit-query';
import { QueriesRepository } from '../queries/queries.repository';
import type { Span } from '../../../engine/hits/calendar';
import { Zone } from '../../../engine/questions/plan/buckets';
import { type RequestedRange, resolved } from '../../../engine/questions/parse/query-range';
import { parseFilterSyntax } from '../../../engine/questions/parse/filter-syntax';
import { checkRange, type Comparing, type RangeQuery, rangesOf } from '../../../engine/questions/range-query';
import { ALL_ROWS } from '../../../engine/questions/plan/query-of-name';
import { queryOfPage, queryOfSummary, queryOfValues } from './stat-queries';
import {
  type AsOf,
  hasNone,
  type HasVersion,
  metaOf,
  type StatsFile,
  type StatsVersion,
  type Versioned,
  versionedByContent,
  versionOf,
} from '../website-versions';
import { StatsRepository } from '../stats.repository';
import { knownTo } from '../viewers/known-to';
import { askerOf, pageFiltersOf, type Viewer } from '../viewers/viewer';
import { WebsiteFilters } from '../website-filters';
import { type LateName, queryWarnings, type Warning } from '../warnings';

const ENTRIES_PER_PIECE = 1000;

/** Statistics of further names, or of filtered hits. The answers have the same form and are counted from hits. */
@Injectable()
export class StatsOfHits {
  constructor(
    private readonly stats: StatsRepository,
    private readonly hitQueries: QueriesRepository,
    private readonly names: CollectedNames,
    private readonly filters: WebsiteFilters,
    private readonly memory: ReadMemory,
    private readonly settings: Settings,
  ) {}

  /** The days of a range, given today and the first day with hits. */
  async daysOf(websiteId: number, range: RequestedRange): Promise<Span> {
    const calendar = await this.hitQueries.calendar(websiteId);
    return resolved(range, calendar, new Zone(this.settings.timezone)).days;
  }

  async page(viewer: Viewer, websiteId: number, sent: ShowStats, caller: Caller, has: HasVersion) {
    const query = await this.filters.filtered(viewer, websiteId, sent);
    const { name } = query;
    return this.unlessKnown(viewer, websiteId, query, caller, has, [queryOfPage(query)], ([answer]) => ({
      rows: entryViews(name, answer!),
      total: answer!.total,
      meta: { name, counts: entriesOf(name).counts, ...sumsOf(answer!) },
    })) satisfies Promise<Versioned<Rows<StatEntryView> & { meta: AsOf }>>;
  }

  async summarise(
    viewer: Viewer,
    websiteId: number,
    sent: SummariseStats & Comparing,
    caller: Caller,
    has: HasVersion,
  ) {
    const query = await this.filters.filtered(viewer, websiteId, sent);
    const { names } = query;
    const hitQueries = names.map((name) => queryOfSummary(name, query));
    return this.unlessKnown(viewer, websiteId, query, caller, has, hitQueries, (answers) => ({
      summaries: answers.map((answer, index) => summaryOf(names[index]!, answer)),
      meta: {},
    }));
  }

  /** The values of a name in any hit, the most frequent first. */
  async values(viewer: Viewer, websiteId: number, query: ListValues, caller: Caller) {
    const statsFrom = await this.hitQueries.statsFrom();
    const hitQuery = queryOfValues(query, statsFrom, pageFiltersOf(viewer));
    const { answers, asOf } = await this.hitQueries.ask(askerOf(viewer), websiteId, caller, statsFrom, [
      hitQuery,
    ]);
    const answer = answers[0]!;
    return { values: entryViews(query.name, answer), total: answer.total, asOf };
  }

  /** All entries, with what their filter stands for and their hits from one moment each. */
  file(viewer: Viewer, websiteId: number, sent: ShowStats, caller: Caller): StatsFile<StatEntryView> {
    let found: Answer | undefined;
    return {
      version: async (has) => {
        checkRange(sent);
        const query = await this.filters.filtered(viewer, websiteId, sent);
        const statsFrom = await this.hitQueries.statsFrom();
        const version = await this.versionNow(viewer, websiteId, query);
        if (has(version)) return version;
        const hitQuery = { ...queryOfPage(query), skip: 0, take: ALL_ROWS };
        const queried = await this.hitQueries.ask(askerOf(viewer), websiteId, caller, statsFrom, [hitQuery]);
        [found] = queried.answers;
        return versionOf(this.settings, websiteId, query, queried.version);
      },
      pieces: () => {
        const take = () => {
          const answer = found;
          found = undefined;
          return answer;
        };
        return this.pieces(sent.name, take, caller);
      },
    };
  }

  /** They stay in memory as bytes until the client has read them. */
  private async *pieces(
    name: EntryName,
    take: () => Answer | undefined,
    caller: Caller,
  ): AsyncGenerator<StatEntryView[]> {
    let left = take();
    if (!left) return;
    const memory = this.memory.reserve(caller, bytesOf(left));
    memory.signal.addEventListener('abort', () => (left = undefined), { once: true });
    const all = function* () {
      for (let from = 0; left && from < left.total; from += ENTRIES_PER_PIECE)
        yield entryViews(name, left, from, Math.min(from + ENTRIES_PER_PIECE, left.total));
    };
    yield* memory.offer(all());
  }

  /**
   * Reads the version first, so that nothing is scanned for a caller who has it. Viewers of a page that is limited to a
   * filter are scanned for.
   */
  private async unlessKnown<T extends { meta: object }>(
    viewer: Viewer,
    websiteId: number,
    query: RangeQuery,
    caller: Caller,
    has: HasVersion,
    hitQueries: HitQuery[],
    result: (answers: Answer[]) => T,
  ): Promise<Versioned<T & { meta: AsOf }>> {
    checkRange(query);
    const statsFrom = await this.hitQueries.statsFrom();
    const isOfPage = pageFiltersOf(viewer) !== undefined;
    if (has !== hasNone && !isOfPage) {
      const version = await this.versionNow(viewer, websiteId, query);
      if (has(version)) return { version, result: undefined };
    }
    const queried = await this.hitQueries.ask(askerOf(viewer), websiteId, caller, statsFrom, hitQueries);
    const answered = result(queried.answers);
    const sent = query.filter === undefined ? undefined : parseFilterSyntax(query.filter);
    const asked = hitQueries.map((one) => knownTo(viewer, one, sent ?? []));
    const late = await this.names.findLateIn(asked, queried.firstDay);
    const meta = {
      ...metaOf(this.settings, websiteId, query, queried.asOf),
      ...answered.meta,
      ...(sent && { filters: sent }),
      ...(queried.excluded.length > 0 && { excluded: queried.excluded }),
      ...warningsOf(queried, query, late),
    };
    const whole = { ...answered, meta };
    if (isOfPage) return versionedByContent(whole, has);
    return {
      version: versionOf(this.settings, websiteId, query, queried.version),
      result: whole,
    };
  }

  private async versionNow(viewer: Viewer, websiteId: number, query: RangeQuery): Promise<StatsVersion> {
    const version = await this.stats.version('hits', viewer, websiteId, rangesOf(query));
    return versionOf(this.settings, websiteId, query, version);
  }
}

function entryViews(
  name: EntryName,
  { rows }: Answer,
  from = 0,
  to = rows.metrics[0]!.length,
): StatEntryView[] {
  const [values, [counts], [previous]] = [rows.dimensions[0]!, rows.metrics, rows.previous];
  return Array.from({ length: to - from }, (_, index) => {
    const row = from + index;
    return entryOf(name, textAt(values, row)!, counts![row]!, previous?.[row]);
  });
}

function summaryOf(name: EntryName, answer: Answer): StatSummaryView {
  const { counts } = entriesOf(name);
  return { name, counts, total: answer.total, ...sumsOf(answer), entries: entryViews(name, answer) };
}

function sumsOf({ sums: [sum], previousSums: [previousSum] }: Answer) {
  return { sum: sum!, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

function warningsOf(
  { availableFrom: statsFrom, isMerged, forgotten }: QueryResult,
  query: RangeQuery,
  late: LateName[],
): { warnings?: Warning[] } {
  const isBefore = rangesOf(query).some(({ from }) => from < statsFrom);
  const begins = isBefore ? statsFrom : undefined;
  const warnings = queryWarnings({ availableFrom: begins, late, isMerged, forgotten });
  return warnings.length === 0 ? {} : { warnings };
}

function bytesOf({ rows: { dimensions, metrics, previous } }: Answer): number {
  const arrays = [
    ...dimensions.flatMap((list) => Object.values(list) as Uint8Array[]),
    ...metrics,
    ...previous,
  ];
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

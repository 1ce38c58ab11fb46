import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/gate';
import type { Rows } from '../common/rows';
import { InvalidFields } from '../common/problem';
import { foldCase } from '../common/text';
import { textAt } from '../common/text-list';
import { Settings } from '../config/settings';
import { ReadGate } from '../database/read-gate';
import { DIMENSIONS, type StatName } from '../storage/dimensions';
import { offsetOf } from '../validation/page-query';
import type { ShowStats } from './dto/show-stats.dto';
import type { StatEntryView, StatSummaryView } from './dto/stats.view';
import type { SummariseStats } from './dto/summarise-stats.dto';
import type { AskedName } from './questions/names';
import { type FilterJson, filterOf } from './questions/filter';
import type { Answer, Ordering, Question, QuestionResult } from './questions/question';
import { QuestionsRepository } from './questions/questions.repository';
import { parseSegment } from './questions/segment';
import { checkRange, comparedRange, type Comparing, type RangeQuery, rangesOf } from './range-query';
import type { State } from './state';
import { StatsRepository } from './stats.repository';
import { type AsOf, type HasVersion, metaOf, type StatsVersion, type Versioned, versionOf } from './versions';
import type { Viewer } from './viewer';
import { questionWarnings, type Warning } from './warnings';

const ENTRIES_PER_PIECE = 1000;
const ALL = Number.MAX_SAFE_INTEGER;

export type Filtered<Q> = Q & { filter: string };

export function isFiltered<Q extends { filter?: string }>(query: Q): query is Filtered<Q> {
  return query.filter !== undefined;
}

/** Statistics of the hits that a filter selects: the same answers, counted from the hits themselves. */
@Injectable()
export class FilteredStats {
  constructor(
    private readonly stats: StatsRepository,
    private readonly questions: QuestionsRepository,
    private readonly gate: ReadGate,
    private readonly settings: Settings,
  ) {}

  page(viewer: Viewer, websiteId: number, query: Filtered<ShowStats>, caller: Caller, has: HasVersion) {
    const { name, per_page } = query;
    const questions = (filters: FilterJson[]) => [
      questionOf(name, query, filters, { ...arrangement(query), skip: offsetOf(query), take: per_page }),
    ];
    return this.unlessKnown(viewer, websiteId, query, caller, has, questions, ([answer]) => ({
      rows: entriesOf(name, answer!),
      total: answer!.total,
      meta: { name, counts: DIMENSIONS[name].counts, ...sumsOf(answer!) },
    })) satisfies Promise<Versioned<Rows<StatEntryView> & { meta: AsOf }>>;
  }

  summarise(
    viewer: Viewer,
    websiteId: number,
    query: Filtered<SummariseStats & Comparing>,
    caller: Caller,
    has: HasVersion,
  ) {
    const { names } = query;
    const questions = (filters: FilterJson[]) =>
      names.map((name) => questionOf(name, query, filters, arrangementOfSummary(name, query)));
    return this.unlessKnown(viewer, websiteId, query, caller, has, questions, (answers) => ({
      summaries: answers.map((answer, index) => summaryOf(names[index]!, answer)),
      meta: {},
    }));
  }

  async version(
    viewer: Viewer,
    websiteId: number,
    query: Filtered<ShowStats>,
    caller: Caller,
  ): Promise<StatsVersion> {
    checkRange(query);
    const keptFrom = await this.questions.keptFrom();
    return this.versionAt(websiteId, query, keptFrom, await this.state(viewer, websiteId, caller));
  }

  /** All entries, in pieces. They are of one moment, and kept as bytes until the client has taken them. */
  async *pieces(
    viewer: Viewer,
    websiteId: number,
    query: Filtered<ShowStats>,
    caller: Caller,
  ): AsyncGenerator<StatEntryView[]> {
    checkRange(query);
    const { name } = query;
    const question = questionOf(name, query, parseSegment(query.filter), {
      ...arrangement(query),
      skip: 0,
      take: ALL,
    });
    const keptFrom = await this.questions.keptFrom();
    const { answers } = await this.questions.ask(viewer, websiteId, caller, keptFrom, [question]);
    const answer = answers[0]!;
    const memory = this.gate.reserve(caller, bytesOf(answer));
    try {
      for (let from = 0; from < answer.total; from += ENTRIES_PER_PIECE)
        yield entriesOf(name, answer, from, Math.min(from + ENTRIES_PER_PIECE, answer.total));
    } finally {
      memory.release();
    }
  }

  /** Asks for the version first, so that nothing is scanned for a caller who has it. */
  private async unlessKnown<T extends { meta: object }>(
    viewer: Viewer,
    websiteId: number,
    query: Filtered<RangeQuery>,
    caller: Caller,
    has: HasVersion,
    questions: (filters: FilterJson[]) => Question[],
    result: (answers: Answer[]) => T,
  ): Promise<Versioned<T & { meta: AsOf }>> {
    checkRange(query);
    const keptFrom = await this.questions.keptFrom();
    const state = await this.state(viewer, websiteId, caller);
    const version = this.versionAt(websiteId, query, keptFrom, state);
    if (has(version)) return { version, result: undefined };
    const filters = parseSegment(query.filter);
    const asked = await this.questions.ask(viewer, websiteId, caller, keptFrom, questions(filters));
    const answered = result(asked.answers);
    const meta = {
      ...metaOf(this.settings, websiteId, query, asked.asOf),
      ...answered.meta,
      filters,
      ...warningsOf(asked, query),
    };
    return {
      version: this.versionAt(websiteId, query, keptFrom, asked.state),
      result: { ...answered, meta },
    };
  }

  /** What is kept of the hits may end without a change of the counters. */
  private versionAt(
    websiteId: number,
    query: Filtered<RangeQuery>,
    keptFrom: number,
    state: State,
  ): StatsVersion {
    const from = Math.max(keptFrom, state.archivedFrom);
    return [...versionOf(this.settings, websiteId, query, state), from];
  }

  private async state(viewer: Viewer, websiteId: number, caller: Caller): Promise<State> {
    const { result } = await this.stats.at(viewer, websiteId, caller, ({ state }) => Promise.resolve(state));
    return result;
  }
}

type Arrangement = Pick<Question, 'order' | 'skip' | 'take' | 'fill' | 'search'>;

const BY_VALUE = { dimension: 0 };

function arrangement({
  name,
  sort_by,
  sort,
  search,
}: ShowStats): Pick<Question, 'order' | 'fill' | 'search'> {
  const by = sort_by === 'value' ? BY_VALUE : { metric: DIMENSIONS[name].counts };
  return {
    order: [{ by, direction: sort }],
    fill: false,
    search: search === undefined ? undefined : foldCase(search),
  };
}

function arrangementOfSummary(name: StatName, { fill, per_page }: SummariseStats): Arrangement {
  const { days, counts } = DIMENSIONS[name];
  const order: Ordering = days
    ? { by: BY_VALUE, direction: 'asc' }
    : { by: { metric: counts }, direction: 'desc' };
  return { order: [order], fill: days ? fill : false, skip: 0, take: days ? ALL : per_page };
}

function questionOf(
  name: StatName,
  query: RangeQuery,
  filters: FilterJson[],
  arranged: Arrangement,
): Question {
  const { from, to } = query;
  const previous = comparedRange(query);
  return {
    range: { days: { from, to } },
    previous: previous && { days: previous },
    filter: filterOf(filters),
    dimensions: [dimensionOf(name)],
    metrics: [DIMENSIONS[name].counts],
    needsValue: true,
    ...arranged,
  };
}

function dimensionOf(name: StatName): AskedName {
  if (name === 'dropped')
    throw new InvalidFields({ filter: ['is not possible for dropped events, which leave no hits'] });
  return name === 'pageview' || name === 'visitor' ? 'day' : name;
}

function entriesOf(
  name: StatName,
  { rows }: Answer,
  from = 0,
  to = rows.metrics[0]!.length,
): StatEntryView[] {
  const [values, [counts], [previous]] = [rows.dimensions[0]!, rows.metrics, rows.previous];
  return Array.from({ length: to - from }, (_, index) => {
    const value = textAt(values, from + index)!;
    const entry = { value, label: DIMENSIONS[name].label(value), count: counts![from + index]! };
    return previous ? { ...entry, previous_count: previous[from + index]! } : entry;
  });
}

function summaryOf(name: StatName, answer: Answer): StatSummaryView {
  const { counts } = DIMENSIONS[name];
  return { name, counts, total: answer.total, ...sumsOf(answer), entries: entriesOf(name, answer) };
}

function sumsOf({ sums: [sum], previousSums: [previousSum] }: Answer) {
  return { sum: sum!, ...(previousSum !== undefined && { previous_sum: previousSum }) };
}

function warningsOf({ keptFrom, isMerged }: QuestionResult, query: RangeQuery): { warnings?: Warning[] } {
  const isBefore = rangesOf(query).some(({ from }) => from < keptFrom);
  const warnings = questionWarnings({ keptFrom: isBefore ? keptFrom : undefined, isMerged });
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

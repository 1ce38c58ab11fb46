import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../common/problem';
import type { Database } from '../../database/database';
import type { Span } from '../../storage/calendar';
import { placesOf } from '../../storage/column-hits';
import { COLUMNS } from '../../storage/hit-columns';
import { standing } from '../state';
import { AnswerWriter } from './answer';
import { valuesAsked } from './asked-values';
import { BUCKETS, type Buckets, type Zone } from './buckets';
import type { Check } from './check';
import type { ColumnCache } from './column-cache';
import { DayView } from './day-view';
import type { Filter } from './filter';
import { FilterMemory } from './filter-memory';
import { GroupKeys } from './group-keys';
import { type AskedName, placeOf } from './names';
import { neededColumns } from './needed-columns';
import { ALL_PASS, ofHits, type Passed } from './passed';
import type { Question, QuestionRequest, QuestionResult, SelectedHits, SelectionRequest } from './question';
import { type ColumnSource, HitSource } from './hit-source';
import { RowMemory } from './row-memory';
import { Scan } from './scan';
import { Selection } from './selection';
import type { WebsiteValues } from './website-values';

interface Asked {
  question: Question;
  scan: Scan;
  previous: Scan | undefined;
  selection: Selection | undefined;
}

/** Answers questions about a website, all from one snapshot. */
export class QuestionAnswering {
  constructor(
    private readonly database: Database,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
  ) {}

  answer(request: QuestionRequest, patienceMs: number, check: Check): Promise<QuestionResult> {
    return this.database.read((manager) => this.answerAt(manager, request, check), patienceMs);
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, patienceMs: number, check: Check): Promise<SelectedHits> {
    return this.database.read((manager) => this.selectAt(manager, request, check), patienceMs);
  }

  private async selectAt(
    manager: EntityManager,
    { websiteId, day, filter }: SelectionRequest,
    check: Check,
  ): Promise<SelectedHits> {
    const span = { from: day, to: day };
    const asked = { range: { days: span }, previous: undefined, filter, dimensions: [], metrics: [] };
    const values = valuesAsked([asked]);
    const known = this.cache.website(websiteId, values);
    const needed = [...new Set([...neededColumns([asked]), COLUMNS.referrer.code])];
    const source = new HitSource(manager, this.cache, known, websiteId, span, needed, day, check);
    const selection = this.selections(await source.days(), check)(filter);
    const selected = new Uint8Array(source.hitsOf(day).hits);
    let begin = 0;
    for await (const columns of source.columns(day)) {
      const view = new DayView(columns, known.values);
      const passed = ofHits(selection.of(view), view);
      const places = columns.accepted ?? placesOf(columns);
      for (let hit = 0; hit < passed.length; hit++) selected[begin + places[hit]!] = passed[hit]!;
      begin += columns.hits;
    }
    if (values.some((own) => known.values.isMerged(own)))
      throw new InvalidFields({ filter: ['names what has too many different values to tell them apart'] });
    this.cache.trim(websiteId, span);
    return { selected, inColumns: source.hitsOf(day).columns?.hits ?? 0 };
  }

  private async answerAt(
    manager: EntityManager,
    { viewer, websiteId, keptFrom: statsFrom, questions }: QuestionRequest,
    check: Check,
  ): Promise<QuestionResult> {
    const { state, asOf } = await standing(this.database, manager, viewer, websiteId);
    const keptFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf(questions, keptFrom);
    const values = valuesAsked(questions);
    const known = this.cache.website(websiteId, values);
    const needed = neededColumns(questions);
    const { closedBefore } = state;
    const source = new HitSource(manager, this.cache, known, websiteId, span, needed, closedBefore, check);
    const days = await source.days();
    const selections = this.selections(days, check);
    const memory = new RowMemory();
    const asked = questions.map((question): Asked => {
      const keys = new GroupKeys(question.dimensions.length);
      const scanOf = (range: Question['range']) => new Scan(question, range, keys, this.zone, check, memory);
      return {
        question,
        scan: scanOf(question.range),
        previous: question.previous && scanOf(question.previous),
        selection: question.filter && selections(question.filter),
      };
    });
    await scanDays(source, days, known.values, asked, check);
    const isMerged = values.some((own) => known.values.isMerged(own));
    const answers = asked.map(({ scan, previous }) =>
      new AnswerWriter(scan, previous, known.values, check).answer(),
    );
    this.cache.trim(websiteId, span);
    return { answers, state, asOf, keptFrom, firstDay: days[0] ?? Infinity, isMerged };
  }

  /** Questions with the same filter share what it selects. */
  private selections(days: number[], check: Check): (filter: Filter) => Selection {
    const span = { from: days[0] ?? 0, to: days.at(-1) ?? 0 };
    const buckets = new Map<AskedName, Buckets>();
    const bucketsOf = (name: AskedName): Buckets => {
      const place = placeOf(name);
      if (place.level !== 'moment') throw new Error(`${name} has no buckets`);
      const known = buckets.get(name) ?? BUCKETS[place.bucket](span, this.zone);
      buckets.set(name, known);
      return known;
    };
    const known = new Map<string, Selection>();
    const memory = new FilterMemory();
    return (filter) => {
      const key = JSON.stringify(filter);
      const selection = known.get(key) ?? new Selection(filter, bucketsOf, check, memory);
      known.set(key, selection);
      return selection;
    };
  }
}

/** From the first day of all ranges to the last one, as far as hits are kept. */
function spanOf(questions: Question[], keptFrom: number): Span {
  const ranges = questions.flatMap(({ range, previous }) => (previous ? [range, previous] : [range]));
  const from = Math.min(...ranges.map(({ days }) => days.from));
  return { from: Math.max(from, keptFrom), to: Math.max(...ranges.map(({ days }) => days.to)) };
}

async function scanDays(
  source: ColumnSource,
  days: number[],
  values: WebsiteValues,
  asked: Asked[],
  check: Check,
): Promise<void> {
  for (const day of days) {
    const scans = asked.flatMap(({ scan, previous, selection }) =>
      [scan, previous].flatMap((one) => (one?.covers(day) ? [{ scan: one, selection }] : [])),
    );
    if (scans.length === 0) continue;
    check();
    for await (const columns of source.columns(day)) {
      const view = new DayView(columns, values);
      const passed = new Map<Selection, Passed>();
      for (const { scan, selection } of scans) {
        if (selection && !passed.has(selection)) passed.set(selection, selection.of(view));
        scan.add(view, selection ? passed.get(selection)! : ALL_PASS);
      }
    }
  }
}

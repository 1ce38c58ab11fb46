import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../../common/problem';
import type { Reader } from '../../../database/database';
import type { Span } from '../../../storage/calendar';
import { placesOf } from '../../../storage/segments/column-hits';
import { COLUMNS } from '../../../storage/hit-columns';
import type { HitsOfDay } from '../../../storage/kept-hits';
import { forgottenDays } from '../../../storage/rollups/rollup-rows';
import { readState, versionOfDays } from '../../state';
import { areAskedAlike } from '../plan/asked-days';
import { AskedScans } from './asked-scans';
import { neededColumns, valuesAsked } from '../plan/asked-values';
import { BoundedWork } from './bounded-work';
import type { Zone } from '../plan/buckets';
import type { Check } from './check';
import type { ColumnCache } from '../read/column-cache';
import { FilterMemory } from './filter-memory';
import { HitSource } from '../read/hit-source';
import { ofHits } from '../select/matches';
import type {
  Question,
  QuestionRequest,
  QuestionResult,
  SelectedHits,
  SelectionRequest,
} from '../plan/question';
import { RowMemory } from './row-memory';
import { Selections } from '../select/selections';
import { BlockView } from '../select/block-view';
import { WorkingMemory } from './working-memory';

/** Answers questions about a website, all from one snapshot. */
export class QuestionAnswering {
  private readonly bounded: BoundedWork;

  constructor(
    private readonly reader: Reader,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory = new WorkingMemory(),
  ) {
    this.bounded = new BoundedWork(cache, memory);
  }

  answer(request: QuestionRequest, patienceMs: number, check: Check): Promise<QuestionResult> {
    const asked = spanOf(request.questions, request.keptFrom);
    const subject = { websiteId: request.websiteId, asked };
    return this.bounded.run(subject, check, (bounded) =>
      this.reader.read((manager) => this.answerAt(manager, request, bounded), patienceMs),
    );
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, patienceMs: number, check: Check): Promise<SelectedHits> {
    const asked = { from: request.day, to: request.day };
    const subject = { websiteId: request.websiteId, asked };
    return this.bounded.run(subject, check, (bounded) =>
      this.reader.read((manager) => this.selectAt(manager, request, bounded), patienceMs),
    );
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
    const areAlike = areAskedAlike([asked]);
    const hits = { websiteId, known, span, areAlike, needed, openFrom: day };
    const source = new HitSource(manager, this.cache, hits, check, this.memory.take);
    const days = await source.days();
    const selection = new Selections(span, this.zone, this.filterMemory(), check).of(filter);
    const selected = new Uint8Array(days[0]?.hits ?? 0);
    let begin = 0;
    for await (const block of source.all(days)) {
      const view = new BlockView(block, known.values);
      const matches = ofHits(selection.of(view), view);
      const places = block.accepted ?? placesOf(block);
      for (let hit = 0; hit < matches.length; hit++) selected[begin + places[hit]!] = matches[hit]!;
      begin = source.foundOf(day);
    }
    if (values.some((own) => known.values.isMerged(own)))
      throw new InvalidFields({ filter: ['uses a name with too many distinct values to filter by'] });
    return { selected, inColumns: days[0]?.columns?.hits ?? 0 };
  }

  private async answerAt(
    manager: EntityManager,
    { viewer, websiteId, keptFrom: statsFrom, questions }: QuestionRequest,
    check: Check,
  ): Promise<QuestionResult> {
    const { state, asOf } = await readState(this.reader, manager, viewer, websiteId);
    const keptFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf(questions, keptFrom);
    const known = this.cache.website(websiteId, valuesAsked(questions));
    const [areAlike, needed] = [areAskedAlike(questions), neededColumns(questions)];
    const hits = { websiteId, known, span, areAlike, needed, openFrom: state.closedBefore };
    const source = new HitSource(manager, this.cache, hits, check, this.memory.take);
    const days = await source.days();
    const rows = new RowMemory(undefined, this.memory.take);
    const selections = new Selections(spanOfDays(days), this.zone, this.filterMemory(), check);
    const scans = new AskedScans(questions, selections, this.zone, known.values, rows, check);
    await scans.addAll(source.all(days.filter(({ day }) => scans.covers(day))));
    const { isMerged } = scans;
    const version = versionOfDays(state, rangesOf(questions), statsFrom);
    const answers = scans.answers();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await forgottenDays(manager, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => scans.covers(day))];
    return { answers, version, asOf, keptFrom, firstDay, isMerged, forgotten };
  }

  private filterMemory(): FilterMemory {
    return new FilterMemory(undefined, this.memory.take);
  }
}

function spanOfDays(days: HitsOfDay[]): Span {
  return { from: days[0]?.day ?? 0, to: days.at(-1)?.day ?? 0 };
}

/** From the first day of all ranges to the last one, as far as hits are kept. */
function spanOf(questions: Question[], keptFrom: number): Span {
  const ranges = rangesOf(questions);
  const from = Math.min(...ranges.map((days) => days.from));
  return { from: Math.max(from, keptFrom), to: Math.max(...ranges.map(({ to }) => to)) };
}

function rangesOf(questions: Question[]): Span[] {
  return questions.flatMap(({ range, previous }) => (previous ? [range.days, previous.days] : [range.days]));
}

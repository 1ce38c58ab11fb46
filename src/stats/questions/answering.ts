import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../common/problem';
import type { Reader } from '../../database/database';
import type { Span } from '../../storage/calendar';
import { placesOf } from '../../storage/column-hits';
import { COLUMNS } from '../../storage/hit-columns';
import type { HitsOfDay } from '../../storage/kept-hits';
import { forgottenDays } from '../../storage/rollups/rollup-rows';
import { standing, versionOfDays } from '../state';
import { areAskedAlike } from './asked-days';
import { AskedScans } from './asked-scans';
import { valuesAsked } from './asked-values';
import { BoundedWork } from './bounded-work';
import type { Zone } from './buckets';
import type { Check } from './check';
import type { ColumnCache, KnownWebsite } from './column-cache';
import { FilterMemory } from './filter-memory';
import { type AskedHits, HitSource } from './hit-source';
import { neededColumns } from './needed-columns';
import { ofHits } from './passed';
import { ALONE, areInSameColumns, divided, type Portion, type PortionResult, type Sharing } from './portions';
import type { Question, QuestionRequest, QuestionResult, SelectedHits, SelectionRequest } from './question';
import { RowMemory, ROWS_OF_QUERY } from './row-memory';
import { Selections } from './selections';
import { StretchView } from './stretch-view';
import { Translations } from './translations';
import { WorkingMemory } from './working-memory';

const MIB = 1024 * 1024;
/** A thread gives a portion up that takes more; the one that answers scans it with the limits of a question then. */
const PORTION = {
  textBytes: 24 * MIB,
  rows: { bytesOfOne: 16 * MIB, bytesTogether: 32 * MIB },
  filterBytes: 24 * MIB,
};

/** Ends the scan of a portion. */
class PortionTooLarge extends Error {}

/** Answers questions about a website, all from one snapshot. */
export class QuestionAnswering {
  private readonly translations = new Translations();
  private readonly bounded: BoundedWork;

  constructor(
    private readonly reader: Reader,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly portionLimits = PORTION,
    private readonly memory = new WorkingMemory(),
  ) {
    this.bounded = new BoundedWork(cache, memory);
  }

  /** Other threads may scan a portion of what is in columns. */
  answer(
    request: QuestionRequest,
    patienceMs: number,
    check: Check,
    sharing: Sharing = ALONE,
  ): Promise<QuestionResult> {
    const asked = spanOf(request.questions, request.keptFrom);
    const subject = { pool: 'queries', websiteId: request.websiteId, asked } as const;
    return this.bounded.run(subject, check, (bounded) =>
      this.reader.read((manager) => this.answerAt(manager, request, bounded, sharing), patienceMs),
    );
  }

  /** Scans a portion for a thread that answers; undefined where it has to do it itself. */
  scan(portion: Portion, patienceMs: number, check: Check): Promise<PortionResult | undefined> {
    const subject = { pool: 'portions', websiteId: portion.websiteId, asked: portion.span } as const;
    return this.bounded.run(subject, check, (bounded) =>
      this.reader.read((manager) => this.scanAt(manager, portion, bounded), patienceMs),
    );
  }

  /** Which hits of a day a filter selects. */
  select(request: SelectionRequest, patienceMs: number, check: Check): Promise<SelectedHits> {
    const asked = { from: request.day, to: request.day };
    const subject = { pool: 'queries', websiteId: request.websiteId, asked } as const;
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
    const source = new HitSource(manager, this.cache, hits, check);
    const days = await source.days();
    const selection = new Selections(span, this.zone, this.filterMemory(), check).of(filter);
    const selected = new Uint8Array(days[0]?.hits ?? 0);
    let begin = 0;
    for await (const stretch of source.all(days)) {
      const view = new StretchView(stretch, known.values);
      const passed = ofHits(selection.of(view), view);
      const places = stretch.accepted ?? placesOf(stretch);
      for (let hit = 0; hit < passed.length; hit++) selected[begin + places[hit]!] = passed[hit]!;
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
    sharing: Sharing,
  ): Promise<QuestionResult> {
    const { state, asOf } = await standing(this.reader, manager, viewer, websiteId);
    const keptFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf(questions, keptFrom);
    const known = this.cache.website(websiteId, valuesAsked(questions));
    const hits = hitsFor(questions, { websiteId, known, span, openFrom: state.closedBefore });
    const source = new HitSource(manager, this.cache, hits, check);
    const days = await source.days();
    const rows = new RowMemory(ROWS_OF_QUERY, true, this.memory.take);
    const scans = this.scans(questions, days, known, rows, this.filterMemory(), check);
    const asked = days.filter(({ day }) => scans.covers(day));
    const [own, ...portions] = divided(asked, sharing);
    const heard = scans.knownOf(this.translations);
    const offered = portions.map((portion) => ({
      portion,
      result: sharing.offer({ websiteId, questions, span, known: heard, ...portion }),
    }));
    await scans.addAll(source.inParts(own.parts, own.days));
    await scans.addAll(source.inBatches(asked));
    for (const { portion, result } of offered) {
      const done = await result();
      if (!done) await scans.addAll(source.inParts(portion.parts, portion.days));
      else {
        scans.addFound(done.found, this.translations);
        for (const [index, { day }] of portion.days.entries()) source.noteFound(day, done.hits[index]!);
      }
    }
    source.checkFound(asked);
    const { isMerged } = scans;
    const version = versionOfDays(state, rangesOf(questions), statsFrom);
    const answers = scans.answers();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await forgottenDays(manager, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => scans.covers(day))];
    return { answers, version, asOf, keptFrom, firstDay, isMerged, forgotten };
  }

  private async scanAt(
    manager: EntityManager,
    { websiteId, questions, span, known: heard, parts, days }: Portion,
    check: Check,
  ): Promise<PortionResult | undefined> {
    const known = this.cache.website(websiteId, valuesAsked(questions));
    const { textBytes, rows: rowLimits, filterBytes } = this.portionLimits;
    const bounded = () => {
      check();
      if (known.values.bytes > textBytes) throw new PortionTooLarge();
    };
    const hits = hitsFor(questions, { websiteId, known, span, openFrom: Infinity });
    const source = new HitSource(manager, this.cache, hits, bounded);
    const now = await source.days();
    if (!areInSameColumns(days, now)) return undefined;
    const rows = new RowMemory(rowLimits, false, this.memory.take);
    const filters = this.filterMemory(filterBytes);
    const scans = this.scans(questions, now, known, rows, filters, bounded);
    try {
      await scans.addAll(source.inParts(parts, days));
    } catch (error) {
      if (!(error instanceof PortionTooLarge)) throw error;
      // Other portions would find these texts, however few they need.
      this.cache.forget(websiteId);
      return undefined;
    }
    const found = scans.found(heard);
    return { found, hits: days.map(({ day }) => source.foundOf(day)) };
  }

  private filterMemory(bytes?: number): FilterMemory {
    return new FilterMemory(bytes, this.memory.take);
  }

  private scans(
    questions: Question[],
    days: HitsOfDay[],
    { values }: KnownWebsite,
    rows: RowMemory,
    filters: FilterMemory,
    check: Check,
  ): AskedScans {
    const selections = new Selections(spanOfDays(days), this.zone, filters, check);
    return new AskedScans(questions, selections, this.zone, values, rows, check);
  }
}

type OfWebsite = Omit<AskedHits, 'areAlike' | 'needed'>;

function hitsFor(questions: Question[], ofWebsite: OfWebsite): AskedHits {
  return { ...ofWebsite, areAlike: areAskedAlike(questions), needed: neededColumns(questions) };
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

import { createHash } from 'node:crypto';
import type { Queryable } from '../../database/rows';
import { InvalidFields } from '../../ground/errors';
import type { Reader } from '../../database/database';
import type { Span } from '../../hits/calendar';
import { readBlocks } from '../../columns/day-blocks';
import type { HitsOfDay } from '../../columns/stored-days';
import { readForgottenDays } from '../../columns/rollups/rollup-rows';
import { onShownDays, visitorsIn } from '../../questions/shown/shown-queries';
import { readState, versionOfHits, type WebsiteVersions } from '../../columns/website-state';
import { areInSameRanges } from '../../questions/plan/range-days';
import { filtersIn, neededColumns, neededValues } from '../../questions/plan/needed-values';
import { RowsDisagree } from '../count/goals/keys-by-goal';
import { BoundedWork } from './bounded-work';
import type { Zone } from '../../questions/plan/buckets';
import type { Check, Turn } from '../../ground/deadline-check';
import type { ColumnCache, KnownWebsite } from '../../columns/read/column-cache';
import { FilterMemory } from './filter-memory';
import { HitSource } from '../../columns/read/hit-source';
import type { HitQuery, QueryRequest, QueryResult } from '../../questions/plan/hit-query';
import { PeakMemory } from './peak-memory';
import { QueryScans } from './query-scans';
import { type RowLimits, RowMemory } from './row-memory';
import { ComparedValues } from '../select/compared-values';
import type { Filter } from '../../questions/parse/filter';
import { Selections } from '../select/selections';
import { QueryTooLarge, WorkingMemory } from './working-memory';
import { type Values, valuesKey } from '../../questions/plan/derived';

/** The values and filters that decide which texts are in memory. */
interface NeededOfHits {
  websiteId: number;
  values: Values[];
  filters: Filter[];
  span: Span;
}

/** The snapshot from which queries are answered, and their memory. */
interface Moment {
  reader: Queryable;
  request: QueryRequest;
  state: WebsiteVersions;
  known: KnownWebsite;
  check: Check;
  blocks: PeakMemory;
  rows: PeakMemory;
}

type Counted = Omit<QueryResult, 'asOf'>;

/** Answers queries about a website. All queries of a request have the same snapshot. */
export class QueryAnswering {
  private readonly bounded: BoundedWork;
  /** The only request of a cached website so far. */
  private readonly askedBy = new WeakMap<KnownWebsite, string>();

  constructor(
    private readonly database: Reader,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory = new WorkingMemory(),
    private readonly rowLimits?: RowLimits,
  ) {
    this.bounded = new BoundedWork(cache, memory);
  }

  answer(request: QueryRequest, patienceMs: number, check: Check): Promise<QueryResult> {
    const { websiteId, statsFrom, byDay } = request;
    const hitQueries = byDay ? [byDay, ...request.hitQueries] : request.hitQueries;
    const subject = { websiteId, requested: spanOf(hitQueries, statsFrom) };
    return this.bounded.run(subject, check, (bounded) =>
      this.database.read(
        (reader) =>
          this.fromHitsAlone(
            websiteId,
            neededValues(hitQueries),
            hitQueries.flatMap(filtersIn),
            subject.requested,
            (known) => this.answerAt(reader, request, known, bounded),
            ({ isMerged, answers }) => isMerged || answers.some((answer) => answer.isMerged),
          ),
        patienceMs,
      ),
    );
  }

  /** Other work over hits, with the same limits and one snapshot. */
  run<T extends { isMerged: boolean }>(
    { websiteId, values, filters, span }: NeededOfHits,
    { patienceMs, check }: Turn,
    work: (reader: Queryable, known: KnownWebsite, check: Check) => Promise<T>,
  ): Promise<T> {
    return this.bounded.run({ websiteId, requested: span }, check, (bounded) =>
      this.database.read(
        (reader) =>
          this.fromHitsAlone(
            websiteId,
            values,
            filters,
            span,
            (known) => work(reader, known, bounded),
            ({ isMerged }) => isMerged,
          ),
        patienceMs,
      ),
    );
  }

  /**
   * Texts of earlier queries may use up the limits of texts and rows. If a limit applied, the work runs once more
   * without these texts, so that its result depends on the stored hits alone.
   */
  private async fromHitsAlone<T>(
    websiteId: number,
    values: Values[],
    filters: Filter[],
    days: Span,
    work: (known: KnownWebsite) => Promise<T>,
    isMerged: (result: T) => boolean,
  ): Promise<T> {
    const begin = () => this.websiteFor(websiteId, values, filters, days);
    const known = begin();
    const isAlone = this.askedBy.has(known);
    try {
      const result = await work(known);
      if (isAlone || !isMerged(result)) return result;
    } catch (error) {
      if (isAlone || !(error instanceof InvalidFields) || error instanceof QueryTooLarge) throw error;
    }
    this.bounded.beginAgain(websiteId);
    return work(begin());
  }

  /** Notes whether all of its texts are those of this request, which may have been sent before. */
  private websiteFor(
    websiteId: number,
    values: Values[],
    filters: Filter[],
    { from, to }: Span,
  ): KnownWebsite {
    const known = this.cache.website(websiteId, values);
    // Values that filters compare take room, too.
    const sent = JSON.stringify([values.map(valuesKey), filters, from, to]);
    // Filters may be long, and the hash stays as long as the website.
    const request = createHash('sha256').update(sent).digest('base64');
    if (known.values.bytes === 0) this.askedBy.set(known, request);
    else if (this.askedBy.get(known) !== request) this.askedBy.delete(known);
    return known;
  }

  private async answerAt(
    reader: Queryable,
    request: QueryRequest,
    known: KnownWebsite,
    check: Check,
  ): Promise<QueryResult> {
    const { asker, websiteId, hitQueries, byDay } = request;
    const { state, asOf } = await readState(this.database, reader, asker, websiteId);
    const { take } = this.memory;
    const at = {
      reader,
      request,
      state,
      known,
      check,
      blocks: new PeakMemory(take),
      rows: new PeakMemory(take),
    };
    if (!byDay) return { ...(await this.counted(at, hitQueries)), asOf };
    const days = await this.counted(at, [byDay]);
    const answer = days.answers[0]!;
    const { from, to } = byDay.range.days;
    const blocks = await readBlocks(reader, websiteId, asker, { from: Math.max(from, request.statsFrom), to });
    if (hitQueries.length === 0) return { ...days, answers: [], byDay: answer, blocks, asOf };
    for (const memory of [at.blocks, at.rows]) memory.begin();
    const shown = onShownDays(hitQueries, { visitors: visitorsIn(answer), blocks }, this.zone);
    const counted = await this.counted(at, shown);
    return { ...counted, byDay: answer, blocks, asOf };
  }

  /** If rows would be merged in two ways, all are counted once more. */
  private async counted(at: Moment, hitQueries: HitQuery[]): Promise<Counted> {
    try {
      return await this.countedOnce(at, hitQueries, false);
    } catch (error) {
      if (!(error instanceof RowsDisagree)) throw error;
      at.blocks.begin();
      return this.countedOnce(at, hitQueries, true);
    }
  }

  private async countedOnce(at: Moment, hitQueries: HitQuery[], agree: boolean): Promise<Counted> {
    const { reader, request, state, known, check, blocks, rows } = at;
    const { asker, websiteId, statsFrom } = request;
    const availableFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf(hitQueries, availableFrom);
    const [areAlike, needed] = [areInSameRanges(hitQueries), neededColumns(hitQueries)];
    const hits = { websiteId, known, span, areAlike, needed, openFrom: state.closedBefore };
    const compared = new ComparedValues(hitQueries.flatMap(filtersIn), known.values);
    const source = new HitSource(reader, this.cache, hits, check, blocks);
    const days = await source.days();
    const selections = new Selections(spanOfDays(days), this.zone, this.filterMemory(), check);
    const rowMemory = new RowMemory(this.rowLimits, rows);
    const around = { selections, zone: this.zone, values: known.values, rows: rowMemory, check, agree };
    const scans = new QueryScans(hitQueries, around, known.sealedCounts, blocks);
    await scans.addAll(days, (some) => source.all(some));
    if (scans.mustRepeat) {
      for (const memory of [blocks, rows]) memory.begin();
      return this.countedOnce(at, hitQueries, agree);
    }
    compared.expectWhole('filters', asker);
    const { isMerged, isCached } = scans;
    const version = versionOfHits(state, rangesOf(hitQueries), statsFrom);
    const answers = scans.answers();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await readForgottenDays(reader, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => scans.covers(day))];
    return { answers, version, availableFrom, firstDay, isMerged, isCached, forgotten };
  }

  private filterMemory(): FilterMemory {
    return new FilterMemory(undefined, this.memory.take);
  }
}

type Ranges = Pick<HitQuery, 'range' | 'previous'>;

export function spanOfDays(days: HitsOfDay[]): Span {
  return { from: days[0]?.day ?? 0, to: days.at(-1)?.day ?? 0 };
}

/** From the first to the last day of all ranges, within the stored hits. */
export function spanOf(hitQueries: Ranges[], availableFrom: number): Span {
  const ranges = rangesOf(hitQueries);
  const from = Math.min(...ranges.map((days) => days.from));
  return { from: Math.max(from, availableFrom), to: Math.max(...ranges.map(({ to }) => to)) };
}

function rangesOf(hitQueries: Ranges[]): Span[] {
  return hitQueries.flatMap(({ range, previous }) => (previous ? [range.days, previous.days] : [range.days]));
}

import { createHash } from 'node:crypto';
import type { Queryable } from '../../database/rows';
import { InvalidFields } from '../../ground/errors';
import type { Reader } from '../../database/database';
import type { Span } from '../../hits/calendar';
import { readBlocks } from '../day-blocks';
import { readForgottenDays } from '../rollups/rollup-rows';
import { daysWithHits } from '../../questions/viewers/detailed-days';
import { onShownDays, visitorsIn } from '../../questions/viewers/shown-queries';
import { readState, versionOfHits, type WebsiteVersions } from '../website-state';
import { areInSameRanges } from '../../questions/plan/range-days';
import { filtersIn, neededColumns, neededValues } from '../../questions/plan/needed-values';
import { BoundedWork } from './bounded-work';
import type { Zone } from '../../questions/plan/buckets';
import type { Check, TimeLimit } from '../../ground/deadline-check';
import type { ColumnCache, KnownWebsite } from '../read/column-cache';
import { HitSource } from '../read/hit-source';
import { QueryCounting } from '../../asking/answer/query-counting';
import type { PeakMemory } from '../../asking/memory/peak-memory';
import type { RowLimits } from '../../asking/memory/bytes-of-rows';
import type { HitQuery, QueryRequest, QueryResult } from '../../questions/plan/hit-query';
import { type Exclusion, excludedBy, excludingIn, keptOf } from '../../questions/exclusions';
import type { Filter } from '../../questions/parse/filter';
import { QueryTooLarge, WorkingMemory } from '../../asking/memory/working-memory';
import { type Values, valuesKey } from '../../questions/plan/values-from-columns';

/** Work over hits, and the values and filters that decide which texts are in memory. */
interface WorkOverHits<T> {
  values: Values[];
  filters: Filter[];
  run: (known: KnownWebsite, check: Check) => Promise<T>;
}

type Counted = Omit<QueryResult, 'asOf' | 'excluded'>;
type State = Awaited<ReturnType<typeof readState>>;

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
    const { asker, websiteId, statsFrom } = request;
    const span = spanOf(queriesOf(request), statsFrom);
    return this.run(
      { websiteId, span },
      { patienceMs, check },
      async (reader) => {
        const state = await readState(this.database, reader, asker, websiteId);
        const counted = withoutExcluded(request, state.state.exclusions);
        const hitQueries = queriesOf(counted);
        return {
          values: neededValues(hitQueries),
          filters: hitQueries.flatMap(filtersIn),
          run: (known, bounded) => this.answerAt(reader, counted, state, known, bounded),
        };
      },
      ({ isMerged, answers }) => isMerged || answers.some((answer) => answer.isMerged),
    );
  }

  /** Work over hits, which is planned in the same snapshot. */
  run<T extends { isMerged: boolean }>(
    { websiteId, span }: { websiteId: number; span: Span },
    { patienceMs, check }: TimeLimit,
    plan: (reader: Queryable) => Promise<WorkOverHits<T>>,
    isMerged = (result: T) => result.isMerged,
  ): Promise<T> {
    return this.bounded.run({ websiteId, requested: span }, check, (bounded) =>
      this.database.read(async (reader) => {
        const { values, filters, run } = await plan(reader);
        const work = (known: KnownWebsite) => run(known, bounded);
        return this.fromHitsAlone(websiteId, values, filters, span, work, isMerged);
      }, patienceMs),
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
    { state, asOf }: State,
    known: KnownWebsite,
    check: Check,
  ): Promise<QueryResult> {
    const { asker, websiteId, hitQueries, shownBy } = request;
    const excluded = excludedBy(asker, state.exclusions, rangesOf(hitQueries));
    const around = { asOf, excluded };
    const count = this.countingAt(reader, request, state, known, check);
    const availableFrom = availableFromOf(request, state);
    if (shownBy && 'days' in shownBy) {
      const days = daysWithHits(shownBy.days, availableFrom);
      return { ...(await count(onShownDays(hitQueries, days, this.zone))), ...around };
    }
    const byDay = byDayOf(request);
    if (!byDay) return { ...(await count(hitQueries)), ...around };
    const days = await count([byDay]);
    const answer = days.answers[0]!;
    const { from, to } = byDay.range.days;
    const blocks = await readBlocks(reader, websiteId, asker, { from: Math.max(from, availableFrom), to });
    if (hitQueries.length === 0) return { ...days, answers: [], byDay: answer, blocks, ...around };
    const shown = onShownDays(hitQueries, { visitors: visitorsIn(answer), blocks }, this.zone);
    return { ...(await count(shown)), byDay: answer, blocks, ...around };
  }

  /** Counts queries at the moment of a snapshot. */
  private countingAt(
    reader: Queryable,
    request: QueryRequest,
    state: WebsiteVersions,
    known: KnownWebsite,
    check: Check,
  ): (hitQueries: HitQuery[]) => Promise<Counted> {
    const { asker, websiteId, statsFrom } = request;
    const availableFrom = availableFromOf(request, state);
    const open = (hitQueries: HitQuery[], memory: PeakMemory) => {
      const [areAlike, needed] = [areInSameRanges(hitQueries), neededColumns(hitQueries)];
      const span = spanOf(hitQueries, availableFrom);
      const needs = { websiteId, known, span, areAlike, needed, openFrom: state.closedBefore };
      return new HitSource(reader, this.cache, needs, check, memory);
    };
    const { values, sealedCounts: sealed } = known;
    const { zone, rowLimits } = this;
    const counting = new QueryCounting(
      open,
      { zone, values, sealed, take: this.memory.take, rowLimits, check },
      asker,
    );
    return async (hitQueries) => {
      const { scans, hits, days } = await counting.count(hitQueries);
      const { isMerged, isCached } = scans;
      const version = versionOfHits(state, rangesOf(hitQueries), statsFrom);
      const answers = scans.answers();
      const firstDay = days[0]?.day ?? Infinity;
      const noted = await readForgottenDays(reader, websiteId, spanOf(hitQueries, availableFrom));
      const forgotten = [...hits.forgotten, ...noted.filter((day) => scans.covers(day))];
      return { answers, version, availableFrom, firstDay, isMerged, isCached, forgotten };
    };
  }
}

type Ranges = Pick<HitQuery, 'range' | 'previous'>;

function queriesOf(request: QueryRequest): HitQuery[] {
  const byDay = byDayOf(request);
  return byDay ? [byDay, ...request.hitQueries] : request.hitQueries;
}

/** The request, with filters that leave exclusions out. */
function withoutExcluded(request: QueryRequest, exclusions: readonly Exclusion[]): QueryRequest {
  if (exclusions.length === 0) return request;
  const counted = (hitQuery: HitQuery): HitQuery => {
    const { filter, goals } = hitQuery;
    const excluding = excludingIn(exclusions, rangesOf([hitQuery]));
    if (excluding.length === 0) return hitQuery;
    return {
      ...hitQuery,
      // They know nothing of exclusions.
      statements: undefined,
      filter: keptOf(filter, excluding),
      goals: goals && { ...goals, rest: keptOf(goals.rest, excluding) },
    };
  };
  const byDay = byDayOf(request);
  return {
    ...request,
    hitQueries: request.hitQueries.map(counted),
    shownBy: byDay ? { byDay: counted(byDay) } : request.shownBy,
  };
}

function byDayOf({ shownBy }: QueryRequest): HitQuery | undefined {
  return shownBy && 'byDay' in shownBy ? shownBy.byDay : undefined;
}

/** The first day with all of its hits. */
function availableFromOf({ statsFrom }: QueryRequest, { archivedFrom }: WebsiteVersions): number {
  return Math.max(statsFrom, archivedFrom);
}

/** From the first to the last day of all ranges, within the stored hits. */
export function spanOf(hitQueries: Ranges[], availableFrom: number): Span {
  const ranges = rangesOf(hitQueries);
  const from = Math.min(...ranges.map((days) => days.from));
  return { from: Math.max(from, availableFrom), to: Math.max(...ranges.map(({ to }) => to)) };
}

export function rangesOf(hitQueries: Ranges[]): Span[] {
  return hitQueries.flatMap(({ range, previous }) => (previous ? [range.days, previous.days] : [range.days]));
}

import type { EntityManager } from 'typeorm';
import { InvalidFields } from '../../../common/problem';
import type { Reader } from '../../../database/database';
import type { Span } from '../../../storage/calendar';
import { placesOf } from '../../../storage/segments/column-hits';
import { COLUMNS } from '../../../storage/hit-columns';
import type { HitsOfDay } from '../../../storage/stored-days';
import { readForgottenDays } from '../../../storage/rollups/rollup-rows';
import { readState, versionOfDays } from '../../state';
import { areInSameRanges } from '../plan/range-days';
import { neededColumns, neededValues } from '../plan/needed-values';
import { BoundedWork } from './bounded-work';
import type { Zone } from '../plan/buckets';
import type { Check } from './check';
import type { ColumnCache } from '../read/column-cache';
import { FilterMemory } from './filter-memory';
import { HitSource } from '../read/hit-source';
import { ALL_MATCH, type Matches, ofHits } from '../select/matches';
import type {
  Answer,
  HitQuery,
  QueryRequest,
  QueryResult,
  Range,
  SelectedHits,
  SelectionRequest,
} from '../plan/hit-query';
import { RowMemory } from './row-memory';
import { Selections } from '../select/selections';
import { BlockView } from '../select/block-view';
import { WorkingMemory } from './working-memory';
import type { HitBlock } from '../../../storage/segments/hit-block';
import { OTHER } from '../../../storage/rollups/limits/value-limits';
import { AnswerWriter } from './answer';
import type { Values } from '../plan/derived';
import { GroupKeys } from '../count/group-keys';
import { type QueryName, placeOf } from '../parse/names';
import { Scan } from '../count/scan';
import type { Selection } from '../select/selection';
import type { WebsiteValues } from '../read/website-values';

/** Answers queries about a website. All queries of a request have the same snapshot. */
export class QueryAnswering {
  private readonly bounded: BoundedWork;

  constructor(
    private readonly reader: Reader,
    private readonly cache: ColumnCache,
    private readonly zone: Zone,
    private readonly memory = new WorkingMemory(),
  ) {
    this.bounded = new BoundedWork(cache, memory);
  }

  answer(request: QueryRequest, patienceMs: number, check: Check): Promise<QueryResult> {
    const requested = spanOf(request.hitQueries, request.statsFrom);
    const subject = { websiteId: request.websiteId, requested };
    return this.bounded.run(subject, check, (bounded) =>
      this.reader.read((manager) => this.answerAt(manager, request, bounded), patienceMs),
    );
  }

  /** The hits of a day that a filter selects. */
  select(request: SelectionRequest, patienceMs: number, check: Check): Promise<SelectedHits> {
    const requested = { from: request.day, to: request.day };
    const subject = { websiteId: request.websiteId, requested };
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
    const requested = { range: { days: span }, previous: undefined, filter, dimensions: [], metrics: [] };
    const values = neededValues([requested]);
    const known = this.cache.website(websiteId, values);
    const needed = [...new Set([...neededColumns([requested]), COLUMNS.referrer.code])];
    const areAlike = areInSameRanges([requested]);
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
    { viewer, websiteId, statsFrom, hitQueries }: QueryRequest,
    check: Check,
  ): Promise<QueryResult> {
    const { state, asOf } = await readState(this.reader, manager, viewer, websiteId);
    const availableFrom = Math.max(statsFrom, state.archivedFrom);
    const span = spanOf(hitQueries, availableFrom);
    const known = this.cache.website(websiteId, neededValues(hitQueries));
    const [areAlike, needed] = [areInSameRanges(hitQueries), neededColumns(hitQueries)];
    const hits = { websiteId, known, span, areAlike, needed, openFrom: state.closedBefore };
    const source = new HitSource(manager, this.cache, hits, check, this.memory.take);
    const days = await source.days();
    const rows = new RowMemory(undefined, this.memory.take);
    const selections = new Selections(spanOfDays(days), this.zone, this.filterMemory(), check);
    const scans = new QueryScans(hitQueries, selections, this.zone, known.values, rows, check);
    await scans.addAll(source.all(days.filter(({ day }) => scans.covers(day))));
    const { isMerged } = scans;
    const version = versionOfDays(state, rangesOf(hitQueries), statsFrom);
    const answers = scans.answers();
    const firstDay = days[0]?.day ?? Infinity;
    const noted = await readForgottenDays(manager, websiteId, span);
    const forgotten = [...source.forgotten, ...noted.filter((day) => scans.covers(day))];
    return { answers, version, asOf, availableFrom, firstDay, isMerged, forgotten };
  }

  private filterMemory(): FilterMemory {
    return new FilterMemory(undefined, this.memory.take);
  }
}

function spanOfDays(days: HitsOfDay[]): Span {
  return { from: days[0]?.day ?? 0, to: days.at(-1)?.day ?? 0 };
}

/** From the first to the last day of all ranges, within the stored hits. */
function spanOf(hitQueries: HitQuery[], availableFrom: number): Span {
  const ranges = rangesOf(hitQueries);
  const from = Math.min(...ranges.map((days) => days.from));
  return { from: Math.max(from, availableFrom), to: Math.max(...ranges.map(({ to }) => to)) };
}

function rangesOf(hitQueries: HitQuery[]): Span[] {
  return hitQueries.flatMap(({ range, previous }) => (previous ? [range.days, previous.days] : [range.days]));
}

interface QueryScan {
  scan: Scan;
  /** The compared range. */
  previous: Scan | undefined;
  selection: Selection | undefined;
}

/** The queries of a request while they are counted. */
class QueryScans {
  private readonly scans: QueryScan[];
  private readonly asksFor: Values[];

  constructor(
    hitQueries: HitQuery[],
    selections: Selections,
    zone: Zone,
    private readonly values: WebsiteValues,
    memory: RowMemory,
    private readonly check: Check,
  ) {
    this.asksFor = neededValues(hitQueries);
    this.scans = hitQueries.map((hitQuery) => {
      const keys = new GroupKeys(hitQuery.dimensions.length, () => otherCodes(hitQuery.dimensions, values));
      const scanOf = (range: Range) => new Scan(hitQuery, range, keys, zone, check, memory);
      return {
        scan: scanOf(hitQuery.range),
        previous: hitQuery.previous && scanOf(hitQuery.previous),
        selection: hitQuery.filter && selections.of(hitQuery.filter),
      };
    });
  }

  /** Whether values of a name were merged. */
  get isMerged(): boolean {
    return this.asksFor.some((own) => this.values.isMerged(own));
  }

  covers(day: number): boolean {
    return this.scans.some(({ scan, previous }) => scan.covers(day) || previous?.covers(day));
  }

  async addAll(blocks: AsyncIterable<HitBlock>): Promise<void> {
    for await (const block of blocks) {
      this.check();
      this.add(block);
    }
  }

  answers(): Answer[] {
    return this.scans.map(({ scan, previous }) =>
      new AnswerWriter(scan, previous, this.values, this.check).answer(),
    );
  }

  /** All days of a block must be in the same ranges. */
  private add(block: HitBlock): void {
    const view = new BlockView(block, this.values);
    const { day } = block.days[0]!;
    const matches = new Map<Selection, Matches>();
    for (const { scan, previous, selection } of this.scans)
      for (const one of [scan, previous]) {
        if (!one?.covers(day)) continue;
        if (selection && !matches.has(selection)) matches.set(selection, selection.of(view));
        one.add(view, selection ? matches.get(selection)! : ALL_MATCH);
      }
  }
}

function otherCodes(dimensions: QueryName[], values: WebsiteValues): (number | undefined)[] {
  return dimensions.map((name) => {
    const place = placeOf(name);
    return place.level === 'moment' ? undefined : values.of(place.values).codeOf(OTHER);
  });
}

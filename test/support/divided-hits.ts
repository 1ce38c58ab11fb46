import { SealedCounts } from '../../engine/asking/answer/sealed-counts';
import { QueryCounting } from '../../engine/asking/answer/query-counting';
import { FunnelWalk } from '../../engine/asking/funnel/funnel-walk';
import { JourneyWalk } from '../../engine/asking/journey/journey-walk';
import { FilterMemory } from '../../engine/asking/memory/filter-memory';
import { PeakMemory } from '../../engine/asking/memory/peak-memory';
import type { Partials } from '../../engine/asking/partial';
import { BlockView } from '../../engine/asking/select/block-view';
import { ofHits } from '../../engine/asking/select/matching-rows';
import { Selections } from '../../engine/asking/select/selections';
import { WebsiteValues } from '../../engine/asking/select/website-values';
import { type Walk, walkOver, type WalkTools } from '../../engine/asking/walk/walk';
import { WalkMemory } from '../../engine/asking/walk/walk-memory';
import type { ClickhouseDays } from '../../engine/clickhouse/clickhouse-days';
import { ColumnCache } from '../../engine/columns/read/column-cache';
import { HitSource } from '../../engine/columns/read/hit-source';
import type { Queryable } from '../../engine/database/rows';
import { dayText } from '../../engine/ground/time/days';
import type { Span } from '../../engine/hits/calendar';
import { NDJSON } from '../../engine/hits/files/file-formats';
import type { DayOfHits, HitBlocks } from '../../engine/hits/hit-block';
import { COLUMN_NAMES, kindOf, TIMES } from '../../engine/hits/hit-columns';
import { type HitLine, hitLines } from '../../engine/hits/files/hit-lines';
import { hitsOfBlock, placesOf } from '../../engine/hits/hits-of-block';
import { type FunnelCounts, type FunnelRequest, scopeOfFunnel } from '../../engine/questions/funnel-request';
import {
  type JourneyCounts,
  type JourneyRequest,
  scopeOfJourney,
} from '../../engine/questions/journey-request';
import type { Filter } from '../../engine/questions/parse/filter';
import type { Zone } from '../../engine/questions/plan/buckets';
import type { Answer, HitQuery } from '../../engine/questions/plan/hit-query';
import { neededColumns, type QueryScope } from '../../engine/questions/plan/needed-values';
import { type AreInSameRanges, areInSameRanges } from '../../engine/questions/plan/range-days';
import { EVER } from '../../engine/questions/range-query';
import type { DayKey } from '../../engine/port';
import type { PartialQuery } from '../../engine/asking/partial';
import type { Aggregation } from '../../engine/questions/plan/aggregation';
import { noRows } from '../../engine/asking/count/partial-rows';
import { WebsiteTexts } from '../../engine/hits/codes/text-codes';
import type { Range } from '../../engine/questions/plan/hit-query';
import { hasDay } from '../../engine/questions/plan/range-days';
import { RowCounts, rowsOfDay } from '../../engine/rows/counted-rows';
import { RowDays } from '../../engine/rows/row-days';
import type { EntityDatabase } from '../../src/database/entity-database';
import { withStatements } from '../../src/stats/dimensions/hit-aggregation';
import { ArrayDays } from './array-days';
import { linesIn } from './hit-answers';

const ALL_COLUMNS = [...new Set([TIMES, ...COLUMN_NAMES.map(kindOf)])];
/** Those of hits, visits and visitors. */
const STATEMENTS = 3;
const check = () => undefined;
const NO_HITS: HitBlocks = {
  texts: new WebsiteTexts(Infinity),
  days: () => Promise.resolve([]),
  // eslint-disable-next-line @typescript-eslint/require-await -- it has none
  async *all() {
    yield* [];
  },
};

/** What counts hits of some days, and may be given the counts of others. */
interface Counted<R, P> {
  partial(): P;
  addPartial(counted: P): void;
  result(): R;
}

/** Days of a website that are copied into memory. */
export class DividedHits {
  private readonly array = new ArrayDays();
  private readonly rows: RowDays;
  private days: number[] = [];
  /** Visitors of other days are known with what each hit told. */
  sealed: number[] = [];

  private constructor(
    private readonly database: EntityDatabase,
    private readonly zone: Zone,
    private readonly websiteId: number,
    private readonly copied: number,
    private readonly remote: ClickhouseDays | undefined,
  ) {
    this.rows = new RowDays(database);
  }

  /** `copied` has a bit for each day whose copy is asked together with the columns of the others. */
  static async copy(
    database: EntityDatabase,
    zone: Zone,
    websiteId: number,
    copied: number,
    remote?: ClickhouseDays,
  ): Promise<DividedHits> {
    const divided = new DividedHits(database, zone, websiteId, copied, remote);
    await database.read(async (reader) => {
      const hits = divided.sourceOf(reader, () => false, ALL_COLUMNS);
      const days = await hits.days();
      divided.days = days.map(({ day }) => day);
      divided.sealed = days.filter(({ isSealed }) => isSealed).map(({ day }) => day);
      for (const day of divided.days) await divided.array.put(divided.keyOf(day), hits);
    });
    for (const day of divided.days)
      await divided.array.read([divided.keyOf(day)], async (hits) => {
        await divided.rows.put(divided.keyOf(day), hits);
        await remote?.put(divided.keyOf(day), hits);
      });
    return divided;
  }

  /** Answers from the copies alone, from copies of some days with the columns of the others, and by SQL. */
  async answers(hitQueries: HitQuery[]): Promise<Answer[][]> {
    const count = async (hits: HitBlocks) => {
      const tools = {
        zone: this.zone,
        values: new WebsiteValues(hits.texts),
        sealed: new SealedCounts(1),
        check,
      };
      const { scans } = await new QueryCounting(() => hits, tools).count(hitQueries);
      return {
        partial: () => scans.partial(),
        addPartial: (counted: Partials['hitQueries']) => scans.addPartial(counted),
        result: () => scans.answers(),
      };
    };
    const partials = await this.countedBySql(hitQueries);
    if (!partials) return this.asked(hitQueries, count);
    const counted = await count(NO_HITS);
    for (const partial of partials) counted.addPartial(partial);
    return [...(await this.asked(hitQueries, count)), counted.result()];
  }

  /** Undefined if SQL cannot count one of the queries. */
  private async countedBySql(hitQueries: HitQuery[]): Promise<Partials['hitQueries'][] | undefined> {
    const written = hitQueries.map((hitQuery) => withStatements(this.database.writer, hitQuery, this.zone));
    if (written.some(({ statements }) => !statements)) return undefined;
    const partials: Partials['hitQueries'][] = [];
    await this.database.read(async (reader) => {
      const rowsOf = async (
        hitQuery: HitQuery,
        range: Range,
        day: number,
        statement: Aggregation | undefined,
      ) =>
        statement && hasDay(range, day)
          ? (await new RowCounts(reader, hitQuery, range, this.zone).count(
              statement,
              rowsOfDay(this.keyOf(day)),
            ))!
          : noRows(hitQuery);
      for (const day of this.days)
        for (let of = 0; of < STATEMENTS; of++) {
          const queries: PartialQuery[] = [];
          for (const hitQuery of written) {
            const { range, previous, statements } = hitQuery;
            const rows = await rowsOf(hitQuery, range, day, statements!.range[of]);
            const before = previous && (await rowsOf(hitQuery, previous, day, statements!.previous![of]));
            queries.push([{ rows, previous: before }]);
          }
          partials.push({ queries, isMerged: false });
        }
    });
    return partials;
  }

  funnel(request: FunnelRequest): Promise<FunnelCounts[]> {
    const walkOf = (tools: WalkTools) => new FunnelWalk(request, tools);
    return this.asked([scopeOfFunnel(request)], (hits) => this.walked(hits, walkOf));
  }

  journey(request: JourneyRequest): Promise<JourneyCounts[]> {
    const walkOf = (tools: WalkTools) => new JourneyWalk(request, tools);
    return this.asked([scopeOfJourney(request)], (hits) => this.walked(hits, walkOf));
  }

  /** The hits of sealed days that a filter selects, as lines of an export from the copies. */
  async exported({ from, to }: Span, filter: Filter, kept: Filter | undefined): Promise<HitLine[]> {
    const lines = hitLines({ type: NDJSON });
    for (const day of this.sealed.filter((day) => from <= day && day <= to))
      await this.array.read([this.keyOf(day)], async (hits) => {
        const stored = await hits.days();
        const selections = new Selections(stored, this.zone, new FilterMemory(), check);
        const selection = selections.of(filter);
        const values = new WebsiteValues(hits.texts);
        for await (const block of hits.all(stored)) {
          const view = new BlockView(block, values);
          const matches = ofHits(selection.of(view), view);
          const shown = kept && ofHits(selections.of(kept).of(view), view);
          const all = [...hitsOfBlock(block, hits.texts, (visitor) => String(visitor + 1))].flat();
          const selected = [...placesOf(block)].flatMap((place, index) =>
            matches[index] ? { hit: all[place]!, isExcluded: shown?.[index] === 0 } : [],
          );
          lines.add(
            selected.map(({ hit, isExcluded }) => ({
              ...{ hit, isExcluded, day: dayText(day) },
              visitor: Number(hit.visitor) || null,
            })),
          );
        }
      });
    return linesIn(lines.take());
  }

  private async walked<R, P>(hits: HitBlocks, walkOf: (tools: WalkTools) => Walk<R, P>): Promise<Walk<R, P>> {
    const days = await hits.days();
    const values = new WebsiteValues(hits.texts);
    const selections = new Selections(days, this.zone, new FilterMemory(), check);
    const walk = walkOf({ selections, values, zone: this.zone, memory: new WalkMemory(), check });
    await walkOver(walk, hits, days, { values, blocks: new PeakMemory(), check });
    return walk;
  }

  private async asked<R, P>(
    scopes: QueryScope[],
    count: (hits: HitBlocks) => Promise<Counted<R, P>>,
  ): Promise<R[]> {
    const { array, days } = this;
    const keys = days.map((day) => this.keyOf(day));
    const alone = await array.read(keys, async (hits) => (await count(hits)).result());
    const copied = days.filter((day) => (this.copied & (1 << (day % 32))) !== 0);
    const copies = keys.filter(({ day }) => copied.includes(day));
    const partial = await array.read(copies, async (hits) => (await count(hits)).partial());
    const together = await this.database.read(async (reader) => {
      const hits = this.sourceOf(reader, areInSameRanges(scopes), neededColumns(scopes));
      const counted = await count(without(copied, hits));
      counted.addPartial(structuredClone(partial));
      return counted.result();
    });
    const fromRows = await this.rows.read(keys, async (hits) => (await count(hits)).result());
    const fromRemote = await this.remote?.read(keys, async (hits) => (await count(hits)).result());
    return [alone, together, fromRows, ...(fromRemote ? [fromRemote] : [])];
  }

  private keyOf(day: number): DayKey {
    return { websiteId: this.websiteId, day, version: 1 };
  }

  private sourceOf(reader: Queryable, areAlike: AreInSameRanges, needed: number[]): HitSource {
    const { websiteId } = this;
    const cache = new ColumnCache();
    const known = cache.website(websiteId, []);
    const needs = { websiteId, known, span: EVER, areAlike, needed, openFrom: Infinity };
    return new HitSource(reader, cache, needs, check);
  }
}

function without(left: readonly number[], hits: HitBlocks): HitBlocks {
  return {
    texts: hits.texts,
    days: async () => (await hits.days()).filter(({ day }) => !left.includes(day)),
    all: (days: readonly DayOfHits[]) => hits.all(days),
  };
}

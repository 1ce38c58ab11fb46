import type { DayOfHits, HitBlock, HitBlocks } from '../../hits/hit-block';
import type { Values } from '../../questions/plan/values-from-columns';
import type { Answer, HitQuery } from '../../questions/plan/hit-query';
import { neededValues } from '../../questions/plan/needed-values';
import { isSettled, type SealedCounts } from './sealed-counts';
import { BlockLists } from '../select/block-lists';
import { BlockView } from '../select/block-view';
import type { Matches } from '../select/matching-rows';
import type { Selection } from '../select/selection';
import { AnswerTexts } from '../memory/working-memory';
import { CountedQuery, type Surroundings } from './counted-query';
import type { PeakMemory } from '../memory/peak-memory';
import type { HitsWithRows, Partials } from '../partial';

/** Not all hits may be rows. */
export type AnyHits = HitBlocks & Partial<HitsWithRows>;

/** The queries of a request while they are counted. */
export class QueryScans {
  private readonly counted: CountedQuery[];
  private readonly rowLists: BlockLists;
  private readonly shownValues: Values[];
  /** Tells whether counts of an earlier request were used. */
  private isContinued = false;
  private othersAreMerged = false;
  /** The names of the counts of settled days. */
  private readonly names: string[] = [];

  constructor(
    private readonly hitQueries: HitQuery[],
    private readonly around: Surroundings,
    private readonly sealed: SealedCounts,
    private readonly blocks: PeakMemory,
  ) {
    this.rowLists = new BlockLists(blocks);
    // Values that are only compared are whole, or the query is refused.
    this.shownValues = neededValues(
      hitQueries.map((hitQuery) => ({ ...hitQuery, filter: undefined, goals: undefined })),
    );
    this.counted = hitQueries.map((hitQuery) => new CountedQuery(hitQuery, around));
  }

  /** Tells whether values of a shown name were merged. */
  get isMerged(): boolean {
    return this.othersAreMerged || this.shownValues.some((own) => this.around.values.isMerged(own));
  }

  /** Tells whether rows were merged earlier than without cached counts, which are no longer cached then. */
  get mustRepeat(): boolean {
    return this.isContinued && this.isClosed;
  }

  /** Tells whether the counts of all settled days are cached. */
  get isCached(): boolean {
    return this.names.length > 0 && this.names.every((name) => this.sealed.get(name) !== undefined);
  }

  covers(day: number): boolean {
    return this.counted.some((counted) => counted.covers(day));
  }

  /** Counts all days, settled ones only where an earlier request has not counted them. */
  async addAll(days: readonly DayOfHits[], hits: AnyHits): Promise<void> {
    const ranges = this.hitQueries.flatMap(({ range, previous }) => (previous ? [range, previous] : [range]));
    const settled: DayOfHits[] = [];
    const others: DayOfHits[] = [];
    for (const day of days) (isSettled(day, ranges) ? settled : others).push(day);
    await this.addSettled(settled, hits);
    await this.addDays(others, this.counted, hits);
    // Which rows are merged depends on all queries of the request.
    if (this.isClosed) this.sealed.clear();
  }

  private get isClosed(): boolean {
    return this.counted.some((counted) => counted.isClosed);
  }

  private async addSettled(days: DayOfHits[], hits: AnyHits): Promise<void> {
    // Which rows are merged depends on all hits.
    if (this.around.agree) return this.addDays(days, this.counted, hits);
    const missing = new Map<CountedQuery, string>();
    for (const counted of this.counted) {
      const name = counted.nameOf(days);
      if (days.length > 0) this.names.push(name);
      const known = this.sealed.get(name);
      if (known) {
        counted.continueFrom(known);
        this.isContinued = true;
      } else missing.set(counted, name);
    }
    await this.addDays(days, [...missing.keys()], hits);
    for (const [counted, name] of missing) {
      this.around.check();
      if (this.sealed.mayHaveRoomFor(counted.bytes)) this.sealed.set(name, counted.copyCounts());
    }
  }

  private async addDays(days: DayOfHits[], counted: CountedQuery[], hits: AnyHits): Promise<void> {
    const covered = days.filter(({ day }) => counted.some((one) => one.covers(day)));
    // Blocks are read once for all queries, so statements pay only if no query needs the blocks.
    const blocks =
      hits.outsideOfRows && counted.every(({ hasStatements }) => hasStatements)
        ? await this.addRows(covered, counted, hits as HitsWithRows)
        : hits.all(covered);
    for await (const block of blocks) {
      this.around.check();
      this.add(block, counted);
    }
  }

  /** Counts rows by statements. Returns the blocks of the other hits. */
  private async addRows(days: DayOfHits[], counted: CountedQuery[], hits: HitsWithRows) {
    for (const one of counted)
      for await (const rows of hits.countRows(days, one.hitQuery, this.around.zone)) {
        this.around.check();
        one.addPartial(rows);
      }
    return hits.outsideOfRows(days);
  }

  partial(): Partials['hitQueries'] {
    return { queries: this.counted.map((counted) => counted.partial()), isMerged: this.isMerged };
  }

  /** Adds what was counted of other days. Call it before the answers. */
  addPartial({ queries, isMerged }: Partials['hitQueries']): void {
    this.othersAreMerged ||= isMerged;
    for (const [index, counted] of this.counted.entries()) counted.addPartial(queries[index]!);
  }

  answers(): Answer[] {
    const texts = new AnswerTexts();
    return this.counted.map((counted) => counted.answer(texts));
  }

  private add(block: HitBlock, requested: CountedQuery[]): void {
    const view = new BlockView(block, this.around.values, this.blocks, this.rowLists);
    const known = new Map<Selection, Matches>();
    const matchesOf = (selection: Selection) => {
      const matches = known.get(selection) ?? selection.of(view);
      known.set(selection, matches);
      return matches;
    };
    for (const counted of requested) counted.add(view, matchesOf);
  }
}

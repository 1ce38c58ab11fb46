import type { HitBlock } from '../../../storage/segments/hit-block';
import type { Values } from '../plan/derived';
import type { Answer, HitQuery } from '../plan/hit-query';
import { neededValues } from '../plan/needed-values';
import { BlockView } from '../select/block-view';
import type { Matches } from '../select/matches';
import type { Selection } from '../select/selection';
import { AnswerTexts } from './working-memory';
import { CountedQuery, type Surroundings } from './counted-query';
import type { PeakMemory } from './peak-memory';

/** The queries of a request while they are counted. */
export class QueryScans {
  private readonly counted: CountedQuery[];
  private readonly shownValues: Values[];

  constructor(
    hitQueries: HitQuery[],
    private readonly around: Surroundings,
    private readonly blocks: PeakMemory,
  ) {
    // Values that are only compared are whole, or the query is refused.
    this.shownValues = neededValues(
      hitQueries.map((hitQuery) => ({ ...hitQuery, filter: undefined, goals: undefined })),
    );
    this.counted = hitQueries.map((hitQuery) => new CountedQuery(hitQuery, around));
  }

  /** Whether values of a shown name were merged. */
  get isMerged(): boolean {
    return this.shownValues.some((own) => this.around.values.isMerged(own));
  }

  covers(day: number): boolean {
    return this.counted.some((counted) => counted.covers(day));
  }

  async addAll(blocks: AsyncIterable<HitBlock>): Promise<void> {
    for await (const block of blocks) {
      this.around.check();
      this.add(block);
    }
  }

  answers(): Answer[] {
    const texts = new AnswerTexts();
    return this.counted.map((counted) => counted.answer(texts));
  }

  private add(block: HitBlock): void {
    const view = new BlockView(block, this.around.values, this.blocks);
    const known = new Map<Selection, Matches>();
    const matchesOf = (selection: Selection) => {
      const matches = known.get(selection) ?? selection.of(view);
      known.set(selection, matches);
      return matches;
    };
    for (const counted of this.counted) counted.add(view, matchesOf);
  }
}

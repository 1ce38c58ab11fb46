import type { Check } from '../../ground/deadline-check';
import type { Zone } from '../../questions/plan/buckets';
import type { WebsiteValues } from '../select/website-values';
import type { DayOfHits, HitBlocks } from '../../hits/hit-block';
import type { PeakMemory } from '../memory/peak-memory';
import { BlockLists } from '../select/block-lists';
import { BlockView } from '../select/block-view';
import type { Selections } from '../select/selections';
import type { WalkMemory } from './walk-memory';

/** What a walk works with. */
export interface WalkTools {
  readonly selections: Selections;
  readonly values: WebsiteValues;
  readonly zone: Zone;
  readonly memory: WalkMemory;
  readonly check: Check;
}

/** A walk over the hits of some days, with its counts so far. */
export interface Walk<R, P = unknown> {
  covers(day: number): boolean;
  /** All days of a block must be in the same ranges. */
  add(view: BlockView): void;
  /** The counts so far, for another walk. */
  partial(): P;
  /** Adds what was counted of other days. Call it before the result. */
  addPartial(counted: P): void;
  /** Throws if the values that it compared were merged. */
  result(): R;
  /** Tells whether values that it shows were merged. Known after the result. */
  readonly isMerged: boolean;
}

/** Adds the hits of the days that a walk covers. */
export async function walkOver(
  walk: Walk<unknown>,
  hits: HitBlocks,
  days: readonly DayOfHits[],
  { values, blocks, check }: Pick<WalkTools, 'values' | 'check'> & { blocks: PeakMemory },
): Promise<void> {
  const rowLists = new BlockLists(blocks);
  for await (const block of hits.all(days.filter(({ day }) => walk.covers(day)))) {
    check();
    walk.add(new BlockView(block, values, blocks, rowLists));
  }
}

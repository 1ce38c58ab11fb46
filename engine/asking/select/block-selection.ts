import type { Check } from '../../ground/deadline-check';
import type { DayOfHits, HitBlock } from '../../hits/hit-block';
import type { Filter } from '../../questions/parse/filter';
import type { Zone } from '../../questions/plan/buckets';
import { FilterMemory } from '../memory/filter-memory';
import type { PeakMemory } from '../memory/peak-memory';
import { BlockLists } from './block-lists';
import { BlockView } from './block-view';
import { ComparedValues } from './compared-values';
import { ofHits, visitorsOf } from './matching-rows';
import type { Selection } from './selection';
import { Selections } from './selections';
import type { WebsiteValues } from './website-values';

/** What is selected in a block. A missing list means all. */
export interface SelectedOfBlock {
  /** One for each visitor with a selected hit. */
  readonly visitors: Uint8Array | undefined;
  /** One for each selected hit. */
  readonly hits: Uint8Array | undefined;
}

interface Tools {
  readonly values: WebsiteValues;
  readonly zone: Zone;
  readonly memory: PeakMemory;
  readonly take?: (bytes: number) => void;
  readonly check?: Check;
}

/** Finds what a filter selects in blocks of some days, for work without a query. */
export class BlockSelection {
  private readonly selection: Selection;
  private readonly lists: BlockLists;
  private readonly compared: ComparedValues;

  /** Call it before the hits are read. */
  constructor(
    filter: Filter,
    /** In order. */
    days: readonly Pick<DayOfHits, 'day'>[],
    private readonly tools: Tools,
  ) {
    const { values, zone, memory, take, check = () => undefined } = tools;
    this.lists = new BlockLists(memory);
    this.compared = new ComparedValues([filter], values);
    this.selection = new Selections(days, zone, new FilterMemory(undefined, take), check).of(filter);
  }

  /** Valid until the next block. */
  in(block: HitBlock): SelectedOfBlock {
    const { values, memory } = this.tools;
    const view = new BlockView(block, values, memory, this.lists);
    const matches = this.selection.of(view);
    if (!matches.visitors && !matches.hits) return { visitors: undefined, hits: undefined };
    return { visitors: visitorsOf(matches, view), hits: ofHits(matches, view) };
  }

  /** Throws if merged values were compared. Call it after all hits are read. */
  expectWhole(): void {
    this.compared.expectWhole('filter');
  }
}

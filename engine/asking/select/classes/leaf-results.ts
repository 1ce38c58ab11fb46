import type { Codes } from '../../../hits/codes/code-list';
import type { BlockView } from '../block-view';
import type { Leaf } from './leaves';
import { ofHits } from '../matching-rows';
import type { Selection } from '../selection';

/** The results of some leaves in a block. */
export interface RowResults {
  /** A number for each hit, or for each visitor. */
  readonly rows: Codes;
  /** The result of each number. */
  readonly results: Uint32Array;
  readonly areOfVisitors: boolean;
}

/** Finds the results of some leaves. */
export interface LeafResults {
  readonly leaves: ReadonlySet<number>;
  /** The leaves that pass, by result. The first result is that of no leaf. */
  readonly passed: readonly (readonly number[])[];
  in(view: BlockView): RowResults;
}

/** The results of a list of zeros and ones are the list. */
const OF_LIST = Uint32Array.of(0, 1);

/** A leaf that is no comparison with the texts of rows. */
export class SelectedLeaf implements LeafResults {
  readonly leaves: ReadonlySet<number>;
  readonly passed: readonly (readonly number[])[];

  constructor(
    number: number,
    private readonly leaf: Leaf,
    private readonly selection: Selection,
  ) {
    this.leaves = new Set([number]);
    this.passed = [[], [number]];
  }

  in(view: BlockView): RowResults {
    const matches = this.selection.evaluated(this.leaf, view);
    return matches.hits
      ? { rows: ofHits(matches, view), results: OF_LIST, areOfVisitors: false }
      : { rows: matches.visitors ?? allVisitors(view), results: OF_LIST, areOfVisitors: true };
  }
}

function allVisitors({ block }: BlockView): Uint8Array {
  return new Uint8Array(block.visitors).fill(1);
}

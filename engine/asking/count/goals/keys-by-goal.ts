import { GroupKeys, type OtherCodes } from '../group-keys';

/** Stands for all visitors, whether they reach a goal or not. */
export const NO_GOAL = 0;

/** Rows by goal would be merged otherwise than the rows of all visitors, whom their rates compare. */
export class RowsDisagree extends Error {}

/**
 * Numbers rows by goal together with those of all visitors. Only some values have rows of their own, whatever the goal;
 * all others are counted together. So the visitors of `(other)` are those of the same values with a goal and without.
 */
export class KeysByGoal extends GroupKeys {
  private readonly ofAll: Uint32Array;
  private values = 0;

  constructor(
    dimensions: number,
    private readonly goal: number,
    otherCodes: OtherCodes,
    private readonly maxValues: number,
  ) {
    super(dimensions, otherCodes);
    this.ofAll = new Uint32Array(dimensions);
    // So that lists by value have room for it.
    this.othersOf();
  }

  override close(): boolean {
    return false;
  }

  override groupOf(codes: ArrayLike<number>): number {
    this.ofAll.set(codes);
    return this.hasOwnRows() ? this.added(codes) : this.merged(codes);
  }

  /** Of the only dimension beside that of goals. */
  override countedAs(code: number): number {
    this.ofAll.fill(code);
    if (this.hasOwnRows()) return code;
    this.isMerged = true;
    return this.othersOf()[1 - this.goal] ?? code;
  }

  private hasOwnRows(): boolean {
    this.ofAll[this.goal] = NO_GOAL;
    if (this.known(this.ofAll) !== undefined) return true;
    if (this.values === this.maxValues) return false;
    this.values++;
    this.added(this.ofAll);
    return true;
  }
}

import { NumberList } from '../../common/number-list';
import { PairNumbers } from './pair-numbers';

/** Numbers groups by the codes of their dimensions: the code itself where there is one dimension. */
export class GroupKeys {
  private readonly pairs: PairNumbers[];
  private readonly codes = new NumberList();

  constructor(private readonly dimensions: number) {
    this.pairs = Array.from({ length: Math.max(0, dimensions - 1) }, () => new PairNumbers());
  }

  get bytes(): number {
    return this.codes.bytes + this.pairs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** How many groups of several dimensions there are. */
  get size(): number {
    return this.pairs.at(-1)?.size ?? 1;
  }

  /** The number of the group of some codes, one for each dimension. */
  groupOf(codes: ArrayLike<number>): number {
    if (this.dimensions === 0) return 0;
    let group = codes[0]!;
    for (let index = 0; index < this.pairs.length; index++)
      group = this.pairs[index]!.numberOf(group, codes[index + 1]!);
    if (this.codes.size < this.size * this.dimensions) this.remember(codes);
    return group;
  }

  codeOf(group: number, dimension: number): number {
    return this.pairs.length === 0 ? group : this.codes.values[group * this.dimensions + dimension]!;
  }

  private remember(codes: ArrayLike<number>): void {
    for (let index = 0; index < this.dimensions; index++) this.codes.push(codes[index]!);
  }
}

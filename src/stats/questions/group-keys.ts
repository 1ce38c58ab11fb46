import { NumberList } from '../../common/number-list';

/** Larger than any code, so that a number and a code make one safe integer. */
const RADIX = 2 ** 26;
/** What a map takes for a pair. */
const BYTES_PER_PAIR = 60;

/** Numbers groups by the codes of their dimensions: the code itself where there is one dimension. */
export class GroupKeys {
  private readonly pairs: Map<number, number>[];
  private readonly codes = new NumberList();

  constructor(private readonly dimensions: number) {
    this.pairs = Array.from({ length: Math.max(0, dimensions - 1) }, () => new Map<number, number>());
  }

  get bytes(): number {
    return this.codes.bytes + BYTES_PER_PAIR * this.pairs.reduce((sum, { size }) => sum + size, 0);
  }

  /** The number of the group of some codes, one for each dimension. */
  groupOf(codes: ArrayLike<number>): number {
    if (this.dimensions === 0) return 0;
    let group = codes[0]!;
    for (let index = 0; index < this.pairs.length; index++) {
      const pairs = this.pairs[index]!;
      const pair = group * RADIX + codes[index + 1]!;
      let number = pairs.get(pair);
      if (number === undefined) {
        pairs.set(pair, (number = pairs.size));
        if (index === this.pairs.length - 1) this.remember(codes);
      }
      group = number;
    }
    return group;
  }

  codeOf(group: number, dimension: number): number {
    return this.pairs.length === 0 ? group : this.codes.values[group * this.dimensions + dimension]!;
  }

  private remember(codes: ArrayLike<number>): void {
    for (let index = 0; index < this.dimensions; index++) this.codes.push(codes[index]!);
  }
}

import { NumberList } from '../../ground/lists/number-list';
import { PairNumbers } from './pair-numbers';

/** The code of `(other)` for each dimension. Undefined for moments, which are never merged. */
export type OtherCodes = () => (number | undefined)[];

/** Numbers groups by the codes of their dimensions. With one dimension, the code is the number. */
export class GroupKeys {
  /** Tells whether groups were merged. */
  isMerged = false;
  private isClosed = false;
  private others: (number | undefined)[] | undefined;
  private pairs: PairNumbers[];
  private readonly codes = new NumberList();
  private readonly own: Uint32Array;

  constructor(
    private readonly dimensions: number,
    private readonly otherCodes: OtherCodes,
  ) {
    this.own = new Uint32Array(dimensions);
    this.pairs = Array.from({ length: Math.max(0, dimensions - 1) }, () => new PairNumbers());
  }

  get bytes(): number {
    return this.codes.bytes + this.pairs.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Tells whether new groups are merged. */
  get areClosed(): boolean {
    return this.isClosed;
  }

  /** The code under which a value is counted, where it would have rows of its own or none. */
  countedAs(code: number): number {
    return code;
  }

  /** The number of groups of several dimensions. */
  get size(): number {
    return this.pairs.at(-1)?.size ?? 1;
  }

  /** Merges new groups of several dimensions. Returns false if there are none. */
  close(): boolean {
    if (this.pairs.length === 0) return false;
    this.othersOf();
    this.isClosed = true;
    return true;
  }

  /** A copy without `(other)`, which further groups can be added to. */
  copy(): GroupKeys {
    const copy = new GroupKeys(this.dimensions, () => []);
    copy.copyFrom(this);
    return copy;
  }

  /** Takes over the groups of the same dimensions. */
  copyFrom({ pairs, codes }: GroupKeys): void {
    this.pairs = pairs.map((own) => own.copy());
    this.codes.clear();
    for (const code of codes.values) this.codes.push(code);
  }

  /** The group of a list of codes, one for each dimension. */
  groupOf(codes: ArrayLike<number>): number {
    if (this.dimensions === 0) return 0;
    return this.isClosed ? (this.known(codes) ?? this.merged(codes)) : this.added(codes);
  }

  /** The group of a list of codes. Undefined if no row has them. */
  known(codes: ArrayLike<number>): number | undefined {
    if (this.dimensions === 0) return 0;
    let group: number | undefined = codes[0];
    for (let index = 0; index < this.pairs.length && group !== undefined; index++)
      group = this.pairs[index]!.find(group, codes[index + 1]!);
    return group;
  }

  codeOf(group: number, dimension: number): number {
    return this.pairs.length === 0 ? group : this.codes.values[group * this.dimensions + dimension]!;
  }

  protected added(codes: ArrayLike<number>): number {
    let group = codes[0]!;
    for (let index = 0; index < this.pairs.length; index++)
      group = this.pairs[index]!.numberOf(group, codes[index + 1]!);
    if (this.codes.size < this.size * this.dimensions) this.remember(codes);
    return group;
  }

  protected merged(codes: ArrayLike<number>): number {
    const others = this.othersOf();
    this.isMerged = true;
    for (let dimension = 0; dimension < others.length; dimension++)
      this.own[dimension] = others[dimension] ?? codes[dimension]!;
    return this.added(this.own);
  }

  protected othersOf(): (number | undefined)[] {
    return (this.others ??= this.otherCodes());
  }

  private remember(codes: ArrayLike<number>): void {
    for (let index = 0; index < this.dimensions; index++) this.codes.push(codes[index]!);
  }
}

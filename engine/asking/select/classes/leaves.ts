import type { Condition, Filter } from '../../../questions/parse/filter';

/** A part of a filter whose result for a hit does not depend on results of other parts. */
export type Leaf = Condition | Extract<Filter, { kind: 'ever' | 'days' }>;

/** The leaves of some filters, by number. Equal ones are one. */
export class Leaves {
  readonly all: Leaf[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly numberOf = new Map<Filter, number>();

  constructor(filters: readonly Filter[]) {
    for (const filter of filters) this.add(filter);
  }

  /** Tells whether a hit passes a filter, by the leaves that it passes. */
  passes(filter: Filter, passed: ReadonlySet<number>): boolean {
    return this.decided(filter, (leaf) => passed.has(leaf)) === true;
  }

  /** Tells whether a hit passes a filter; or the leaves that decide it, where the results of some are not known. */
  decided(filter: Filter, resultOf: (leaf: number) => boolean | undefined): boolean | number[] {
    switch (filter.kind) {
      case 'test':
      case 'days':
      case 'ever': {
        const leaf = this.numberOf.get(filter)!;
        return resultOf(leaf) ?? [leaf];
      }
      case 'not': {
        const decided = this.decided(filter.of, resultOf);
        return typeof decided === 'boolean' ? !decided : decided;
      }
      default:
        return this.joined(filter.of, filter.kind === 'any', resultOf);
    }
  }

  private joined(
    filters: Filter[],
    decides: boolean,
    resultOf: (leaf: number) => boolean | undefined,
  ): boolean | number[] {
    const open: number[] = [];
    for (const filter of filters) {
      const decided = this.decided(filter, resultOf);
      if (decided === decides) return decides;
      if (typeof decided !== 'boolean') open.push(...decided);
    }
    return open.length > 0 ? open : !decides;
  }

  private add(filter: Filter): void {
    if (!('of' in filter) || filter.kind === 'ever') this.addLeaf(filter);
    else for (const one of [filter.of].flat()) this.add(one);
  }

  private addLeaf(leaf: Leaf): void {
    const key = JSON.stringify(leaf);
    const number = this.numbers.get(key) ?? this.all.push(leaf) - 1;
    this.numbers.set(key, number);
    this.numberOf.set(leaf, number);
  }
}

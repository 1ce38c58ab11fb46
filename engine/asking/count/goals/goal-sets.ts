import { NumberList } from '../../../ground/lists/number-list';
import type { HitClasses } from '../../select/classes/hit-classes';
import { PairNumbers } from '../pair-numbers';

const NONE = 0;
const MAX_SETS = 4096;
const MAX_PAIRS = 16 * MAX_SETS;
const BYTES_OF_SET = 100;
const BYTES_OF_GOAL = 10;
const BYTES_OF_NUMBER = 8;

/** The sets of goals that hits reach, and visitors with all of their hits, by number. Zero is no goal. */
export class GoalSets {
  private readonly sets: (readonly number[])[] = [[]];
  private readonly numbers = new Map([['', NONE]]);
  private readonly ofClasses = new NumberList();
  private readonly pairs = new PairNumbers();
  /** The set of each pair. */
  private readonly unions: number[] = [];
  private bytesOfSets = 0;

  constructor(private readonly classes: HitClasses) {}

  get bytes(): number {
    return this.bytesOfSets + this.ofClasses.bytes + this.pairs.bytes + BYTES_OF_NUMBER * this.unions.length;
  }

  /** Tells whether there are more than counting by goal would cost. */
  get areTooMany(): boolean {
    return this.sets.length > MAX_SETS || this.pairs.size > MAX_PAIRS;
  }

  goalsOf(set: number): readonly number[] {
    return this.sets[set]!;
  }

  /** The set of each class of hits that is known so far. */
  ofEachClass(): Uint32Array {
    for (let own = this.ofClasses.size; own < this.classes.count; own++)
      this.ofClasses.push(this.numberOf(this.classes.filtersOf(own)));
    return this.ofClasses.values;
  }

  union(one: number, other: number): number {
    if (one === other || other === NONE) return one;
    if (one === NONE) return other;
    const pair = this.pairs.numberOf(Math.min(one, other), Math.max(one, other));
    return (this.unions[pair] ??= this.numberOf(united(this.sets[one]!, this.sets[other]!)));
  }

  private numberOf(goals: readonly number[]): number {
    const key = goals.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.bytesOfSets += BYTES_OF_SET + BYTES_OF_GOAL * goals.length;
    this.numbers.set(key, this.sets.length);
    return this.sets.push(goals) - 1;
  }
}

function united(goals: readonly number[], others: readonly number[]): number[] {
  return [...new Set([...goals, ...others])].sort((one, other) => one - other);
}

import { PairNumbers } from '../../count/pair-numbers';
import type { BlockView } from '../block-view';
import type { LeafResults } from './leaf-results';

/** The classes of hits that the results of leaves make. The first class is that of hits that pass no leaf. */
export interface Classes {
  readonly count: number;
  /** Whether the results of some leaves matter for the hits of a class. */
  areDecisive(own: number, leaves: LeafResults): boolean;
  /** Makes the class of hits that pass further leaves, and returns its number. */
  add(own: number, passed: readonly number[]): number;
}

const UNKNOWN = 0;
const NOT_DIVIDED = 1;
const DIVIDED = 2;
/** The largest table of classes by result. Larger ones are looked up as pairs. */
const MAX_TABLE = 64 * 1024;

/** Divides the classes of hits by the results of some leaves, where these matter. */
export class Refinement {
  private isDivided = new Uint8Array(0);
  private readonly pairs = new PairNumbers();
  private readonly classOfPair: number[] = [];
  /** The class of each class and result in the current block; zero if it is not known. */
  private table = new Uint32Array(0);
  private width = 0;

  constructor(
    private readonly classes: Classes,
    private readonly leaves: LeafResults,
  ) {}

  refine(classOf: Uint32Array, view: BlockView): void {
    const first = this.firstDivided(classOf);
    if (first === classOf.length) return;
    const { rows, results, areOfVisitors } = this.leaves.in(view);
    const visitorOf = areOfVisitors ? view.visitorOfHits : undefined;
    this.makeTable();
    const { table, width } = this;
    for (let hit = first; hit < classOf.length; hit++) {
      const own = classOf[hit]!;
      if (!this.divides(own)) continue;
      const result = results[rows[visitorOf ? visitorOf[hit]! : hit]!]!;
      if (result === 0) continue;
      const known = table[own * width + result];
      classOf[hit] = known ? known : this.divided(own, result);
    }
  }

  private firstDivided(classOf: Uint32Array): number {
    const isDivided = new Uint8Array(this.classes.count);
    isDivided.set(this.isDivided);
    this.isDivided = isDivided;
    let hit = 0;
    while (hit < classOf.length && !this.divides(classOf[hit]!)) hit++;
    return hit;
  }

  private divides(own: number): boolean {
    const known = this.isDivided[own]!;
    return known === UNKNOWN ? this.decide(own) : known === DIVIDED;
  }

  private decide(own: number): boolean {
    const isDivided = this.classes.areDecisive(own, this.leaves);
    this.isDivided[own] = isDivided ? DIVIDED : NOT_DIVIDED;
    return isDivided;
  }

  private makeTable(): void {
    const width = this.leaves.passed.length;
    const size = width * this.classes.count;
    if (size > MAX_TABLE) this.table = new Uint32Array(0);
    else if (width !== this.width || size > this.table.length) this.table = new Uint32Array(size);
    this.width = width;
  }

  private divided(own: number, result: number): number {
    const pair = this.pairs.numberOf(own, result);
    const made = (this.classOfPair[pair] ??= this.classes.add(own, this.leaves.passed[result]!));
    const place = own * this.width + result;
    if (place < this.table.length) this.table[place] = made;
    return made;
  }
}

import type { Codes } from '../../../hits/codes/code-list';
import type { HitBlock } from '../../../hits/hit-block';
import { PairNumbers } from '../../count/pair-numbers';
import type { BlockView } from '../block-view';
import { visitorFrom } from '../matching-rows';
import type { LeafResults } from './leaf-results';

/** The classes of hits that the results of leaves make. The first class is that of hits that pass no leaf. */
export interface Classes {
  readonly count: number;
  /** Tells whether the results of some leaves matter for the hits of a class. */
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
  /** One more than the class of each class and result; zero if it is not known. */
  private table = new Uint32Array(0);
  private width = 0;

  constructor(
    private readonly classes: Classes,
    private readonly leaves: LeafResults,
  ) {}

  /** Divides the classes of the hits at some places of a block, or of all. */
  refine(classOf: Uint32Array, places: Uint32Array | undefined, view: BlockView): void {
    if (!this.dividesAny(classOf)) return;
    const { rows, results, areOfVisitors } = this.leaves.in(view);
    this.makeTable();
    if (areOfVisitors) this.divideByVisitors(classOf, places, rows, results, view.block);
    else this.divideByHits(classOf, places, rows, results);
  }

  private divideByHits(
    classOf: Uint32Array,
    places: Uint32Array | undefined,
    rows: Codes,
    results: Uint32Array,
  ): void {
    const { table, width } = this;
    for (let index = 0; index < classOf.length; index++) {
      const hit = places ? places[index]! : index;
      const result = results[rows[hit]!]!;
      if (result === 0) continue;
      const own = classOf[index]!;
      const known = table[own * width + result];
      classOf[index] = known ? known - 1 : this.classWith(own, result);
    }
  }

  private divideByVisitors(
    classOf: Uint32Array,
    places: Uint32Array | undefined,
    rows: Codes,
    results: Uint32Array,
    { begins }: HitBlock,
  ): void {
    const { table, width } = this;
    let [visitor, end, result] = [0, 0, 0];
    for (let index = 0; index < classOf.length; index++) {
      const hit = places ? places[index]! : index;
      if (hit >= end) {
        visitor = visitorFrom(visitor, hit, begins);
        end = begins[visitor + 1]!;
        result = results[rows[visitor]!]!;
      }
      if (result === 0) continue;
      const own = classOf[index]!;
      const known = table[own * width + result];
      classOf[index] = known ? known - 1 : this.classWith(own, result);
    }
  }

  private classWith(own: number, result: number): number {
    const found = this.divides(own) ? this.divided(own, result) : own;
    const place = own * this.width + result;
    if (place < this.table.length) this.table[place] = found + 1;
    return found;
  }

  private dividesAny(classOf: Uint32Array): boolean {
    const isDivided = new Uint8Array(this.classes.count);
    isDivided.set(this.isDivided);
    this.isDivided = isDivided;
    let hit = 0;
    while (hit < classOf.length && !this.divides(classOf[hit]!)) hit++;
    return hit < classOf.length;
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
    return (this.classOfPair[pair] ??= this.classes.add(own, this.leaves.passed[result]!));
  }
}

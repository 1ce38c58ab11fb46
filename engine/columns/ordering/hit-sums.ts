import { type Codes, type FewCodes, positionFrom } from '../../hits/codes/code-list';
import { websiteRows } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS, COLUMNS_OF_HITS, COLUMNS_OF_VISITORS } from '../../hits/hit-columns';
import type { HitBlock } from '../../hits/hit-block';
import { NOT_SET, type WebsiteTexts } from '../../hits/codes/text-codes';
import type { HitColumns, HitRange } from '../batches/batch';

/** The parameters of the hash FNV-1a. */
const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];

/**
 * Checksums of hits that do not depend on their order: the number of hits, and for each column the sum of the weights
 * of its texts, each multiplied by the moment of its hit. Written hits are compared with read hits by them.
 */
export class HitSums {
  private readonly sums = new Map<string, number>();

  /** Adds hits in the order of their acceptance, without visitor columns. */
  addHits(of: HitColumns, { from, before }: HitRange): void {
    const moments = of.moments();
    this.addMoments(moments, from, before);
    for (const name of COLUMNS_OF_HITS) {
      const column = of.texts(name);
      if (!column) continue;
      this.add(name, sumIn(column.rows, new Weights(column.texts, 1), moments, { from, before }));
    }
  }

  /** Adds the structure of a block: its visitors and hits without the columns. */
  addStructureOf({ hits, visitors, begins, at, isKnown, isDirect }: HitBlock): void {
    const sizes = sizesOf(visitors, begins);
    this.addMoments(at, 0, hits);
    this.add('visitors', visitors);
    this.add('known', sumWith(isKnown, sizes));
    this.add('direct', sumWith(isDirect, sizes));
  }

  /** Adds a column of a block. */
  addColumnOf({ codes, hits, visitors, begins, at }: HitBlock, name: ColumnName, texts: WebsiteTexts): void {
    const [factors, before] = COLUMNS[name].of === 'hit' ? [at, hits] : [sizesOf(visitors, begins), visitors];
    const weights = new Weights(texts.of[name].texts, 0);
    this.add(name, sumIn(websiteRows(codes[name]!), weights, factors, { from: 0, before }));
  }

  /** Adds the visitors of a block, each with its number of hits and its visitor columns. */
  addVisitorsOf({ codes, visitors, begins, isKnown, isDirect }: HitBlock, texts: WebsiteTexts): void {
    const sizes = sizesOf(visitors, begins);
    this.add('visitors', visitors);
    this.add('known', sumWith(isKnown, sizes));
    this.add('direct', sumWith(isDirect, sizes));
    for (const name of COLUMNS_OF_VISITORS) {
      const weights = new Weights(texts.of[name].texts, 0);
      this.add(name, sumIn(websiteRows(codes[name]!), weights, sizes, { from: 0, before: visitors }));
    }
  }

  /** Names the sums that differ, if any. */
  difference(others: HitSums): string | undefined {
    const names = new Set([...this.sums.keys(), ...others.sums.keys()]);
    return [...names].find((name) => (this.sums.get(name) ?? 0) !== (others.sums.get(name) ?? 0));
  }

  /** Adds other sums. */
  addAll(others: HitSums): void {
    for (const [name, sum] of others.sums) this.add(name, sum);
  }

  private addMoments(moments: Uint32Array, from: number, before: number): void {
    let sum = 0;
    for (let hit = from; hit < before; hit++) sum = (sum + moments[hit]!) | 0;
    this.add('hits', before - from);
    this.add('moments', sum);
  }

  private add(name: string, sum: number): void {
    this.sums.set(name, ((this.sums.get(name) ?? 0) + sum) | 0);
  }
}

/** The number of hits of each visitor. */
function sizesOf(visitors: number, begins: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(visitors);
  for (let visitor = 0; visitor < visitors; visitor++)
    sizes[visitor] = begins[visitor + 1]! - begins[visitor]!;
  return sizes;
}

/** The weights of texts, computed on demand. */
class Weights {
  private readonly known: Int32Array;

  constructor(
    private readonly texts: readonly (string | null)[],
    /** The code of the first text. */
    private readonly first: number,
  ) {
    this.known = new Int32Array(texts.length + first);
  }

  of(code: number): number {
    return (this.known[code] ||= weightOf(this.texts[code - this.first]!));
  }
}

/** Never zero. */
function weightOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash | 1;
}

function sumIn(
  rows: Codes | FewCodes,
  weights: Weights,
  factors: Uint32Array,
  { from, before }: HitRange,
): number {
  let sum = 0;
  if ('positions' in rows) {
    const { positions, codes } = rows;
    for (let index = positionFrom(positions, from); index < positions.length; index++) {
      const row = positions[index]!;
      if (row >= before) break;
      if (codes[index] !== NOT_SET) sum = (sum + Math.imul(weights.of(codes[index]!), factors[row]! | 1)) | 0;
    }
    return sum;
  }
  for (let row = from; row < before; row++)
    if (rows[row] !== NOT_SET) sum = (sum + Math.imul(weights.of(rows[row]!), factors[row]! | 1)) | 0;
  return sum;
}

function sumWith(rows: Codes, factors: Uint32Array): number {
  let sum = 0;
  for (let row = 0; row < rows.length; row++) sum = (sum + Math.imul(rows[row]!, factors[row]! | 1)) | 0;
  return sum;
}

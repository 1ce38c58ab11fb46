import { gathered } from './codes/code-list';
import { type ColumnCodes, websiteCodes } from './codes/column-codes';
import { type HitBlock, leastOf } from './hit-block';
import { type ColumnName, COLUMNS } from './hit-columns';
import { NOT_SET } from './codes/text-codes';

/**
 * A whole block of one day without the hits that have a one in the list, and without visitors that have no other hit.
 * The others keep what they have. Undefined if no hit is left.
 */
export function withoutHits(block: HitBlock, removed: Uint8Array): HitBlock | undefined {
  const referrers = websiteCodes(block.codes.referrer!, block.hits);
  const hits: number[] = [];
  const visitors: number[] = [];
  const isDirect: number[] = [];
  const begins = [0];
  for (let visitor = 0; visitor < block.visitors; visitor++) {
    const [first, wasDirect] = [hits.length, block.isDirect[visitor] === 1];
    let isAsBefore = false;
    for (let hit = block.begins[visitor]!; hit < block.begins[visitor + 1]!; hit++) {
      if (removed[hit] === 1) continue;
      hits.push(hit);
      isAsBefore ||= (referrers[hit] === NOT_SET) === wasDirect;
    }
    if (hits.length === first) continue;
    visitors.push(visitor);
    begins.push(hits.length);
    // Readers rely on a hit with a referrer, or one without, wherever the first one had one or not.
    isDirect.push(Number(isAsBefore === wasDirect));
  }
  if (hits.length === 0) return undefined;
  const places = { hit: Uint32Array.from(hits), visitor: Uint32Array.from(visitors) };
  const at = gathered(block.at, places.hit) as Uint32Array;
  const sizes = { hits: hits.length, visitors: visitors.length };
  return {
    ...sizes,
    days: [{ ...block.days[0]!, ...sizes, begin: leastOf(at), firstVisitor: 0, firstHit: 0 }],
    begins: Uint32Array.from(begins),
    isKnown: gathered(block.isKnown, places.visitor) as Uint8Array,
    isDirect: Uint8Array.from(isDirect),
    at,
    codes: remainingCodes(block, places),
  };
}

/** Each column is made on demand, so that there need not be memory for all of them. */
function remainingCodes(
  { codes, hits, visitors }: HitBlock,
  places: Record<'hit' | 'visitor', Uint32Array>,
): HitBlock['codes'] {
  const own: HitBlock['codes'] = {};
  for (const [name, column] of Object.entries(codes) as [ColumnName, ColumnCodes][]) {
    const { of } = COLUMNS[name];
    const get = (): ColumnCodes => ({
      rows: gathered(websiteCodes(column, of === 'hit' ? hits : visitors), places[of]),
      codeOf: undefined,
    });
    Object.defineProperty(own, name, { enumerable: true, get });
  }
  return own;
}

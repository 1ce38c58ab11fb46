import { type Codes, unpacked } from './codes/code-list';
import { websiteCodes } from './codes/column-codes';
import { type Hit, NO_HIT } from './hit';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from './hit-columns';
import type { HitBlock } from './hit-block';
import { NOT_SET, type WebsiteTexts } from './codes/text-codes';

/** The number of hits of a step. */
const HITS_AT_ONCE = 500;

/**
 * The hits of a block with all columns. Their visitors' hashes are gone; `nameOf` names each known visitor. A visitor's
 * first hit has or lacks a referrer like the first accepted hit; the others follow by time. Visitor columns are set in
 * every hit. Some lists are empty, because decoding a column takes a while.
 */
export function* hitsOfBlock(
  block: HitBlock,
  texts: WebsiteTexts,
  nameOf: (visitor: number) => string,
): Generator<Hit[]> {
  const { days, at, begins, isKnown } = block;
  const putOfVisitor = yield* putter(block, texts, 'visitor');
  const putOfHit = yield* putter(block, texts, 'hit');
  const firstOf = firsts(block);
  let some: Hit[] = [];
  for (const { day, firstVisitor, visitors } of days)
    for (let visitor = firstVisitor; visitor < firstVisitor + visitors; visitor++) {
      const ofVisitor = { ...NO_HIT, day, visitor: isKnown[visitor] === 1 ? nameOf(visitor) : '' };
      putOfVisitor(ofVisitor, visitor);
      const [first, begin, end] = [firstOf(visitor), begins[visitor]!, begins[visitor + 1]!];
      for (let place = begin; place < end; place++) {
        const hit = placedFirst(place, begin, first);
        const read = { ...ofVisitor, at: at[hit]! };
        putOfHit(read, hit);
        if (some.push(read) < HITS_AT_ONCE) continue;
        yield some;
        some = [];
      }
    }
  if (some.length > 0) yield some;
}

/** Which hit is at a place, after one hit was moved to the begin. */
function placedFirst(place: number, begin: number, first: number): number {
  if (place === begin) return first;
  return place <= first ? place - 1 : place;
}

/** The place of each hit in the order of `hitsOfBlock`. */
export function placesOf(block: HitBlock): Uint32Array {
  const { hits, visitors, begins } = block;
  const places = Uint32Array.from({ length: hits }, (_, hit) => hit);
  const firstOf = firsts(block);
  for (let visitor = 0; visitor < visitors; visitor++) {
    const first = firstOf(visitor);
    for (let hit = begins[visitor]!; hit < first; hit++) places[hit] = hit + 1;
    places[first] = begins[visitor]!;
  }
  return places;
}

/** Sets the values of the hit columns, or of the visitor columns, at a place. */
function* putter(
  block: HitBlock,
  texts: WebsiteTexts,
  of: 'hit' | 'visitor',
): Generator<Hit[], (hit: Hit, place: number) => void> {
  const size = of === 'hit' ? block.hits : block.visitors;
  const all: {
    put: (typeof COLUMNS)[ColumnName]['put'];
    codes: Codes;
    textOf: readonly (string | null)[];
  }[] = [];
  for (const name of COLUMN_NAMES) {
    if (COLUMNS[name].of !== of) continue;
    const codes = websiteCodes(block.codes[name]!, size);
    all.push({ put: COLUMNS[name].put, codes, textOf: texts.of[name].texts });
    yield [];
  }
  return (hit: Hit, place: number): void => {
    for (const { put, codes, textOf } of all) {
      const code = codes[place]!;
      if (code !== NOT_SET) put(hit, textOf[code]!);
    }
  };
}

/** The first hit of a visitor that has, or lacks, a referrer like the first accepted hit. */
function firsts({ isDirect, begins, codes, hits }: HitBlock): (visitor: number) => number {
  const referrer = unpacked(codes.referrer!.rows, hits);
  return (visitor) => {
    const isNone = isDirect[visitor] === 1;
    let hit = begins[visitor]!;
    while ((referrer[hit] === NOT_SET) !== isNone) hit++;
    return hit;
  };
}

import { unpacked } from './code-list';
import type { DayColumns } from './day-columns';
import { type Hit, NO_HIT } from './hit';
import { COLUMN_NAMES, COLUMNS } from './hit-columns';
import { NOT_SET, type WebsiteTexts } from './text-codes';

export interface ColumnHit {
  /** The place of its visitor in the columns. */
  visitor: number;
  isKnown: boolean;
  hit: Hit;
}

/**
 * The hits of columns of a day in which all columns are, without their visitors' hashes, which are gone. Of each visitor
 * the first one agrees with how the visitor came, and the others are in the order of time. What stands once for a visitor
 * is that of each of its hits.
 */
export function* hitsOfColumns(columns: DayColumns, texts: WebsiteTexts): Generator<ColumnHit> {
  const { visitors, begins, isKnown } = columns;
  const hitAt = reader(columns, texts);
  const firstOf = firsts(columns);
  for (let visitor = 0; visitor < visitors; visitor++) {
    const first = firstOf(visitor);
    const told = { visitor, isKnown: isKnown[visitor] === 1 };
    yield { ...told, hit: hitAt(first, visitor) };
    for (let hit = begins[visitor]!; hit < begins[visitor + 1]!; hit++)
      if (hit !== first) yield { ...told, hit: hitAt(hit, visitor) };
  }
}

/** The place at which each hit of columns is read. */
export function placesOf(columns: DayColumns): Uint32Array {
  const { hits, visitors, begins } = columns;
  const places = Uint32Array.from({ length: hits }, (_, hit) => hit);
  const firstOf = firsts(columns);
  for (let visitor = 0; visitor < visitors; visitor++) {
    const first = firstOf(visitor);
    for (let hit = begins[visitor]!; hit < first; hit++) places[hit] = hit + 1;
    places[first] = begins[visitor]!;
  }
  return places;
}

/** What stands once for a visitor is put together once, and copied into each of its hits. */
function reader(columns: DayColumns, texts: WebsiteTexts): (hit: number, visitor: number) => Hit {
  const { day, at } = columns;
  const putOfVisitor = putter(columns, texts, 'visitor');
  const putOfHit = putter(columns, texts, 'hit');
  let [last, ofVisitor] = [-1, { ...NO_HIT, day }];
  return (hit, visitor) => {
    if (visitor !== last) {
      ofVisitor = { ...NO_HIT, day };
      putOfVisitor(ofVisitor, visitor);
      last = visitor;
    }
    const read = { ...ofVisitor, at: at[hit]! };
    putOfHit(read, hit);
    return read;
  };
}

/** Puts what the columns of hits, or of visitors, have at a place. */
function putter(columns: DayColumns, texts: WebsiteTexts, of: 'hit' | 'visitor') {
  const size = of === 'hit' ? columns.hits : columns.visitors;
  const all = COLUMN_NAMES.filter((name) => COLUMNS[name].of === of).map((name) => ({
    put: COLUMNS[name].put,
    codes: unpacked(columns.codes[name]!, size),
    textOf: texts.of[name].texts,
  }));
  return (hit: Hit, place: number): void => {
    for (const { put, codes, textOf } of all) {
      const code = codes[place]!;
      if (code !== NOT_SET) put(hit, textOf[code]!);
    }
  };
}

/** Which of a visitor's hits brought a referrer, or none, as the first one that was accepted did. */
function firsts({ isDirect, begins, codes, hits }: DayColumns): (visitor: number) => number {
  const referrer = unpacked(codes.referrer!, hits);
  return (visitor) => {
    const isNone = isDirect[visitor] === 1;
    let hit = begins[visitor]!;
    while ((referrer[hit] === NOT_SET) !== isNone) hit++;
    return hit;
  };
}

import { NumberList } from '../common/number-list';
import { CodeList } from './code-list';
import type { ColumnCodes } from './column-codes';
import { FIELD_PLACES, type Hit } from './hit';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from './hit-columns';
import type { HitRows } from './hit-rows';
import { inserted, insertedCodes } from './inserted-codes';
import type { Stretch } from './stretch';
import { NOT_SET, type TextCodes, type WebsiteTexts } from './text-codes';
import { VisitorNames } from './visitor-names';

const { visitor: VISITOR, referrer: REFERRER } = FIELD_PLACES;
const OF_HITS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'hit');
const OF_VISITORS = COLUMN_NAMES.filter((name) => COLUMNS[name].of === 'visitor');

/** Where the hits that came are fewer, to put them between the others takes less time than to order all. */
const MIN_TIMES_AS_MANY = 50;

type OrderedHits = Required<Pick<Stretch, 'at' | 'accepted'>> & {
  codes: Partial<Record<ColumnName, ColumnCodes>>;
};

/** Adds the values of hits to a column. Many have the value of the one before. */
class ColumnWriter {
  private last: { text: string | null; code: number } = { text: null, code: NOT_SET };
  private readonly valueOf: (hit: Hit) => string | null;
  private readonly place: number;

  constructor(
    name: ColumnName,
    private readonly texts: TextCodes,
    private readonly codes: CodeList,
  ) {
    this.valueOf = COLUMNS[name].value;
    this.place = COLUMNS[name].place;
  }

  /** Of a hit or a visitor, by its number. */
  write(number: number, hit: Hit): void {
    const text = this.valueOf(hit);
    if (text !== this.last.text) this.last = { text, code: this.texts.codeOf(text) };
    if (this.last.code !== NOT_SET) this.codes.put(number, this.last.code);
  }

  writeField(number: number, hits: HitRows, row: number): void {
    if (hits.isSet(row, this.place)) this.codes.put(number, this.texts.codeOfField(hits, row, this.place));
  }
}

/** Turns hits, in the order in which they were accepted, into columns; it can go on where it ended. */
export class DayBuilder {
  private readonly visitors = new VisitorNames();
  private readonly isKnown = new NumberList();
  private readonly isDirect = new NumberList();
  private readonly at = new NumberList();
  private readonly visitorOf = new NumberList();
  private readonly codes = Object.fromEntries(COLUMN_NAMES.map((name) => [name, new CodeList()])) as Record<
    ColumnName,
    CodeList
  >;

  private readonly writers: Record<'hit' | 'visitor', ColumnWriter[]>;

  constructor(
    private readonly day: number,
    texts: WebsiteTexts,
  ) {
    const writers = (names: ColumnName[]) =>
      names.map((name) => new ColumnWriter(name, texts.of[name], this.codes[name]));
    this.writers = { hit: writers(OF_HITS), visitor: writers(OF_VISITORS) };
  }

  get bytes(): number {
    const lists = [this.isKnown, this.isDirect, this.at, this.visitorOf, ...Object.values(this.codes)];
    return this.visitors.bytes + lists.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** How many hits were added. */
  get hits(): number {
    return this.at.size;
  }

  add(hits: Hit[]): void {
    for (const hit of hits) {
      const visitor = this.visitors.of(hit.visitor);
      const number = this.addHit(hit.at, visitor);
      for (const writer of this.writers.hit) writer.write(number, hit);
      if (visitor < this.isKnown.size) continue;
      this.addVisitor(hit.visitor !== '', hit.referrer === null);
      for (const writer of this.writers.visitor) writer.write(visitor, hit);
    }
  }

  /** Hits from one row to before another one. */
  addRows(hits: HitRows, from: number, before: number): void {
    for (let row = from; row < before; row++) {
      const visitor = this.visitors.ofRow(hits, row);
      const number = this.addHit(hits.at(row), visitor);
      for (const writer of this.writers.hit) writer.writeField(number, hits, row);
      if (visitor < this.isKnown.size) continue;
      const isKnown = hits.begin(row, VISITOR) < hits.end(row, VISITOR);
      this.addVisitor(isKnown, !hits.isSet(row, REFERRER));
      for (const writer of this.writers.visitor) writer.writeField(visitor, hits, row);
    }
  }

  /** All hits in their order; `before` is what was returned while there were fewer, so that not all are ordered anew. */
  columns(before?: Stretch): Stretch {
    const [hits, visitors] = [this.hits, this.isKnown.size];
    const begins = this.begins();
    const isGrown = before !== undefined && hits - before.hits <= before.hits / MIN_TIMES_AS_MANY;
    const ordered = isGrown ? this.grown(before) : this.ordered(begins);
    const codes = { ...ordered.codes };
    for (const name of OF_VISITORS)
      codes[name] = { rows: this.codes[name].packed(visitors), codeOf: undefined };
    const { at, accepted } = ordered;
    const day = { day: this.day, begin: leastOf(at), firstVisitor: 0, firstHit: 0, visitors, hits };
    return {
      days: [day],
      hits,
      visitors,
      begins,
      isKnown: new Uint8Array(this.isKnown.values),
      isDirect: new Uint8Array(this.isDirect.values),
      at,
      codes,
      accepted,
    };
  }

  private ordered(begins: Uint32Array): OrderedHits {
    const accepted = this.order(begins);
    const codes: OrderedHits['codes'] = {};
    for (const name of OF_HITS)
      codes[name] = { rows: this.codes[name].packed(this.hits, accepted), codeOf: undefined };
    return { at: inOrder(this.at.values, accepted), accepted, codes };
  }

  /** The few hits that came since then go between the others. */
  private grown(before: Stretch): OrderedHits {
    const [at, visitorOf] = [this.at.values, this.visitorOf.values];
    const since = Uint32Array.from({ length: this.hits - before.hits }, (_, index) => before.hits + index);
    since.sort((one, other) => visitorOf[one]! - visitorOf[other]! || at[one]! - at[other]! || one - other);
    const places = since.map((hit) => placeIn(before, visitorOf[hit]!, at[hit]!));
    const into = () => new Uint32Array(this.hits);
    const accepted = inserted(before.accepted!, places, since, into());
    const codes: OrderedHits['codes'] = {};
    for (const name of OF_HITS) {
      const list = this.codes[name];
      const { rows } = before.codes[name]!;
      const isAlike = 'positions' in rows === list.areFew(this.hits);
      const own = isAlike
        ? insertedCodes(
            rows,
            places,
            since.map((hit) => list.at(hit)),
          )
        : list.packed(this.hits, accepted);
      codes[name] = { rows: own, codeOf: undefined };
    }
    return { at: inserted(before.at, places, inOrder(at, since), into()), accepted, codes };
  }

  private addVisitor(isKnown: boolean, isDirect: boolean): void {
    this.isKnown.push(Number(isKnown));
    this.isDirect.push(Number(isDirect));
  }

  private addHit(at: number, visitor: number): number {
    this.at.push(at);
    this.visitorOf.push(visitor);
    return this.at.size - 1;
  }

  private begins(): Uint32Array {
    const begins = new Uint32Array(this.isKnown.size + 1);
    for (const visitor of this.visitorOf.values) begins[visitor + 1]!++;
    for (let visitor = 1; visitor < begins.length; visitor++) begins[visitor]! += begins[visitor - 1]!;
    return begins;
  }

  /** The hits by their visitors and times, each by its place among those that were accepted. */
  private order(begins: Uint32Array): Uint32Array {
    const [at, visitorOf] = [this.at.values, this.visitorOf.values];
    const order = new Uint32Array(at.length);
    const next = begins.slice();
    for (let hit = 0; hit < at.length; hit++) order[next[visitorOf[hit]!]!++] = hit;
    for (let visitor = 0; visitor + 1 < begins.length; visitor++) {
      const [begin, end] = [begins[visitor]!, begins[visitor + 1]!];
      if (isInOrder(order, begin, end, at)) continue;
      order.subarray(begin, end).sort((one, other) => at[one]! - at[other]! || one - other);
    }
    return order;
  }
}

/** Before which hit one of a visitor goes: behind its others of that moment. */
function placeIn({ begins, at, visitors, hits }: Stretch, visitor: number, moment: number): number {
  if (visitor >= visitors) return hits;
  let [low, high] = [begins[visitor]!, begins[visitor + 1]!];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isInOrder(hits: Uint32Array, begin: number, end: number, at: Uint32Array): boolean {
  for (let index = begin + 1; index < end; index++)
    if (at[hits[index]!]! < at[hits[index - 1]!]!) return false;
  return true;
}

function leastOf(moments: Uint32Array): number {
  let least = Infinity;
  for (const moment of moments) if (moment < least) least = moment;
  return least;
}

function inOrder(values: Uint32Array, order: Uint32Array): Uint32Array {
  const ordered = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index++) ordered[index] = values[order[index]!]!;
  return ordered;
}

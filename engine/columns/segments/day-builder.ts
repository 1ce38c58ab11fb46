import { NumberList } from '../../ground/lists/number-list';
import { ended, inSteps, type Steps } from '../../ground/time/work-in-steps';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { CodeList, positionFrom, unpacked } from '../../hits/codes/code-list';
import type { ColumnCodes } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../hits/hit-columns';
import { type HitColumns, isDirectIn, type KnownTexts } from '../batches/batch';
import { inserted, insertedCodes } from '../encoding/inserted-codes';
import { CodesAmong, putCodes } from '../encoding/codes-among';
import type { DecodedTexts } from './part-texts';
import { leastOf, placeIn, type HitBlock } from '../../hits/hit-block';
import { NOT_SET, type WebsiteTexts } from '../../hits/codes/text-codes';
import { VisitorNumbers } from '../encoding/visitor-numbers';

/** If the new hits are fewer by this factor, inserting them is faster than ordering all hits. */
const MIN_TIMES_AS_MANY = 50;

type OrderedHits = Required<Pick<HitBlock, 'at' | 'accepted'>> & {
  codes: Partial<Record<ColumnName, ColumnCodes>>;
};

/** The number of hits that are ordered in a step. */
const HITS_OF_STEP = 128 * 1024;
/** Fewer hits of a visitor are sorted by comparison. */
const MIN_HITS_BY_DIGITS = 1000;
const DIGIT_BITS = 11;

/** A visitor row that no hit had yet. */
const NONE = -1;

interface Column {
  codes: CodeList;
  /** The number of hits that were added to it. */
  hits: number;
}

/** Turns hits in the order of their acceptance into columns. More hits can be added later. */
export class DayBuilder {
  private readonly visitors = new VisitorNumbers();
  /** By visitor. */
  private readonly isKnown = new NumberList();
  private readonly isDirect = new NumberList();
  private readonly firstHit = new NumberList();
  /** By hit. */
  private readonly at = new NumberList();
  private readonly visitorOf = new NumberList();
  private readonly columnsOf = new Map<ColumnName, Column>();

  constructor(
    private readonly day: number,
    private readonly texts: WebsiteTexts,
    names: readonly ColumnName[] = COLUMN_NAMES,
  ) {
    this.need(names);
  }

  get bytes(): number {
    const { isKnown, isDirect, firstHit, at, visitorOf, columnsOf } = this;
    const lists = [
      isKnown,
      isDirect,
      firstHit,
      at,
      visitorOf,
      ...[...columnsOf.values()].map(({ codes }) => codes),
    ];
    return lists.reduce((sum, { bytes }) => sum + bytes, this.visitors.bytes);
  }

  /** The number of hits that were added. */
  get hits(): number {
    return this.at.size;
  }

  /** The hash of each visitor; zeros for an unknown visitor. */
  hashes(): Buffer {
    return this.visitors.hashes(this.isKnown.size);
  }

  /** The number of the visitor with a hash, from 1; 0 if there is none. */
  find(hashes: Buffer, begin: number): number {
    return this.visitors.find(hashes, begin);
  }

  /** The first hit that is missing in a column. */
  get next(): number {
    return Math.min(this.hits, ...[...this.columnsOf.values()].map(({ hits }) => hits));
  }

  /** Adds columns, which need all hits from the first one on. */
  need(names: readonly ColumnName[]): void {
    for (const name of names)
      if (!this.columnsOf.has(name)) this.columnsOf.set(name, { codes: new CodeList(), hits: 0 });
  }

  /** Adds hits. `first` is the place of the first of them; hits from `end` on are left out. */
  add(hits: HitColumns, first = this.hits, end = Infinity): void {
    const before = Math.min(first + hits.hits, end);
    this.addHits(hits, first, before);
    for (const [name, column] of this.columnsOf) {
      if (column.hits >= before) continue;
      const known = hits.codes?.(name);
      const own = known ?? hits.texts(name);
      if (own) this.addTexts(name, column, own, { added: hits, first, before });
      column.hits = before;
    }
  }

  /** Builds the columns in steps of limited time. Between two steps other work runs, or the work ends. */
  buildColumns(before?: HitBlock, between = yieldIfNeeded): Promise<HitBlock> {
    return inSteps(this.steps(before), between);
  }

  /** All hits in order. `before` is an earlier result; if few hits were added since, it is extended. */
  columns(before?: HitBlock): HitBlock {
    return ended(this.steps(before));
  }

  private *steps(before?: HitBlock): Steps<HitBlock> {
    const begins = this.begins();
    yield;
    const isGrown = before !== undefined && this.hits - before.hits <= before.hits / MIN_TIMES_AS_MANY;
    const ordered = yield* isGrown ? this.grown(before) : this.ordered(begins);
    yield;
    return this.block(begins, ordered);
  }

  private block(begins: Uint32Array, ordered: OrderedHits): HitBlock {
    const [hits, visitors] = [this.hits, this.isKnown.size];
    const codes = { ...ordered.codes };
    for (const [name, own] of this.of('visitor'))
      codes[name] = { rows: own.packed(visitors), codeOf: undefined };
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

  private of(kind: 'hit' | 'visitor'): [ColumnName, CodeList][] {
    return [...this.columnsOf].flatMap(([name, { codes }]) =>
      COLUMNS[name].of === kind ? [[name, codes]] : [],
    );
  }

  private *ordered(begins: Uint32Array): Steps<OrderedHits> {
    const accepted = yield* this.order(begins);
    const codes: OrderedHits['codes'] = {};
    for (const [name, own] of this.of('hit')) {
      codes[name] = { rows: own.packed(this.hits, accepted), codeOf: undefined };
      yield;
    }
    return { at: inOrder(this.at.values, accepted), accepted, codes };
  }

  /** Inserts the few new hits into the earlier result. */
  private *grown(before: HitBlock): Steps<OrderedHits> {
    const [at, visitorOf] = [this.at.values, this.visitorOf.values];
    const since = Uint32Array.from({ length: this.hits - before.hits }, (_, index) => before.hits + index);
    since.sort((one, other) => visitorOf[one]! - visitorOf[other]! || at[one]! - at[other]! || one - other);
    const places = since.map((hit) => placeIn(before, visitorOf[hit]!, at[hit]!));
    const into = () => new Uint32Array(this.hits);
    const accepted = inserted(before.accepted!, places, since, into());
    const codes: OrderedHits['codes'] = {};
    for (const [name, list] of this.of('hit')) {
      const rows = before.codes[name]?.rows;
      const isAlike = rows && 'positions' in rows === list.areFew(this.hits);
      const own = isAlike
        ? insertedCodes(
            rows,
            places,
            since.map((hit) => list.at(hit)),
          )
        : list.packed(this.hits, accepted);
      codes[name] = { rows: own, codeOf: undefined };
      yield;
    }
    return { at: inserted(before.at, places, inOrder(at, since), into()), accepted, codes };
  }

  private addHits(added: HitColumns, first: number, before: number): void {
    if (this.hits >= before) return;
    const { rowOf, isKnown, hashes } = added;
    const moments = added.moments();
    const isDirect = isDirectIn(added);
    const visitorOf = new Int32Array(added.rows).fill(NONE);
    for (let hit = this.hits - first; hit < before - first; hit++) {
      const row = rowOf[hit]!;
      let visitor = visitorOf[row]!;
      if (visitor === NONE) {
        visitor = this.isKnown.size;
        if (hashes && isKnown[row] === 1)
          visitor = this.visitors.ofBytes(hashes, VISITOR_BYTES * row, visitor + 1) - 1;
        visitorOf[row] = visitor;
      }
      if (this.addHit(moments[hit]!, visitor)) this.addVisitor(isKnown[row] === 1, isDirect(row, hit));
    }
  }

  /** Returns whether it is the first hit of its visitor. */
  private addHit(at: number, visitor: number): boolean {
    this.at.push(at);
    this.visitorOf.push(visitor);
    return visitor === this.isKnown.size;
  }

  /** Adds the visitor of the last added hit. */
  private addVisitor(isKnown: boolean, isDirect: boolean): void {
    this.isKnown.push(Number(isKnown));
    this.isDirect.push(Number(isDirect));
    this.firstHit.push(this.at.size - 1);
  }

  private addTexts(
    name: ColumnName,
    { codes, hits }: Column,
    column: DecodedTexts | KnownTexts,
    { added, first, before }: { added: HitColumns; first: number; before: number },
  ): void {
    const own = this.texts.of[name];
    const from = Math.max(hits, first);
    if (COLUMNS[name].of === 'hit')
      return putCodes(codes, column, own, from, { from: from - first, before: before - first });
    const { texts, rows } = column;
    const codeOf = texts === own ? undefined : new CodesAmong(own, texts);
    const textOf = unpacked(rows, added.rows);
    const firstHit = this.firstHit.values;
    for (let visitor = positionFrom(firstHit, from); visitor < firstHit.length; visitor++) {
      if (firstHit[visitor]! >= before) break;
      const text = textOf[added.rowOf[firstHit[visitor]! - first]!]!;
      if (text !== NOT_SET) codes.put(visitor, codeOf ? codeOf.of(text) : text);
    }
  }

  private begins(): Uint32Array {
    const begins = new Uint32Array(this.isKnown.size + 1);
    const visitorOf = this.visitorOf.values;
    for (let hit = 0; hit < visitorOf.length; hit++) begins[visitorOf[hit]! + 1]!++;
    for (let visitor = 1; visitor < begins.length; visitor++) begins[visitor]! += begins[visitor - 1]!;
    return begins;
  }

  /** The hits by visitor and time, each by its place in the order of acceptance. */
  private *order(begins: Uint32Array): Steps<Uint32Array> {
    const [at, visitorOf] = [this.at.values, this.visitorOf.values];
    const order = new Uint32Array(at.length);
    const next = begins.slice();
    for (let hit = 0; hit < at.length; hit++) {
      order[next[visitorOf[hit]!]!++] = hit;
      if (hit % HITS_OF_STEP === HITS_OF_STEP - 1) yield;
    }
    for (let visitor = 0, looked = 0; visitor + 1 < begins.length; visitor++) {
      const [begin, end] = [begins[visitor]!, begins[visitor + 1]!];
      if (!isInOrder(order, begin, end, at)) yield* sortByTime(order.subarray(begin, end), at);
      if ((looked += end - begin) < HITS_OF_STEP) continue;
      looked = 0;
      yield;
    }
    return order;
  }
}

/** Sorts hits that are in the order of acceptance. Hits of one moment keep their order. */
function* sortByTime(hits: Uint32Array, at: Uint32Array): Steps<void> {
  if (hits.length < MIN_HITS_BY_DIGITS) hits.sort((one, other) => at[one]! - at[other]! || one - other);
  else yield* sortByDigits(hits, at);
}

/** Takes the same time for every order of the hits. */
function* sortByDigits(hits: Uint32Array, at: Uint32Array): Steps<void> {
  let [from, least, most] = [hits.slice(), Infinity, 0];
  for (const hit of hits) [least, most] = [Math.min(least, at[hit]!), Math.max(most, at[hit]!)];
  let into = new Uint32Array(hits.length);
  for (let shift = 0; most - least >= 2 ** shift; shift += DIGIT_BITS) {
    const next = new Uint32Array(2 ** DIGIT_BITS + 1);
    const digitOf = (hit: number) => ((at[hit]! - least) >>> shift) & (2 ** DIGIT_BITS - 1);
    for (let index = 0; index < from.length; index++) next[digitOf(from[index]!) + 1]!++;
    for (let digit = 1; digit < next.length; digit++) next[digit]! += next[digit - 1]!;
    for (let index = 0; index < from.length; index++) into[next[digitOf(from[index]!)]!++] = from[index]!;
    [from, into] = [into, from];
    if (hits.length >= HITS_OF_STEP) yield;
  }
  hits.set(from);
}

function isInOrder(hits: Uint32Array, begin: number, end: number, at: Uint32Array): boolean {
  for (let index = begin + 1; index < end; index++)
    if (at[hits[index]!]! < at[hits[index - 1]!]!) return false;
  return true;
}

function inOrder(values: Uint32Array, order: Uint32Array): Uint32Array {
  const ordered = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index++) ordered[index] = values[order[index]!]!;
  return ordered;
}

import type { Steps } from '../../common/time/steps';
import { VISITOR_BYTES } from '../../common/visitor-bytes';
import { type Codes, unpacked } from '../encoding/code-list';
import type { HitColumns, HitRange } from '../batches/batch';
import { Sums } from '../sums';
import { NOT_SET } from '../encoding/text-codes';
import { OTHER } from './value-limits';
import { VisitorNumbers } from '../encoding/visitor-numbers';
import {
  HIT_NAMES,
  type NameOf,
  TEXT_NAMES,
  type TextName,
  VALUE_NAMES,
  valueOfNone,
  VISITOR_NAMES,
} from './counted-names';
import { SeenPairs } from './seen-pairs';
import { TextList } from './texts/text-list';

/** Of a visitor row that was not met. */
const NOT_MET = 0;
/** Of one whose visitor cannot be told. */
const UNKNOWN = 0xffffffff;
/** Marks the number of a text that is counted as `OTHER`, so that pairs of it are told apart. */
const IS_OTHER = 0x80000000;
/** How many texts or hits are counted in a step. */
const COUNTED_AT_ONCE = 4000;

/** How often each value of a name was counted, by its code. */
interface Counted {
  readonly texts: TextList;
  readonly sums: Sums;
}

/** What some hits of a batch add: the visitor of each row, and the rows that are the first of theirs. */
interface Rows {
  readonly range: HitRange;
  readonly visitorOf: Uint32Array;
  readonly news: { row: number; hit: number }[];
}

/** Counts the fourteen names of a day from its hits in the order in which they were accepted; it can go on where it ended. */
export class CountedDay {
  /** How many hits were counted. */
  hits = 0;
  pageviews = 0;
  /** Those who can be told. */
  visitors = 0;
  /** Whether hits were counted whose visitors' hashes are gone, so that some count more than once. */
  isForgotten = false;
  /** Names with more values than are counted by themselves. */
  readonly limited = new Set<TextName>();
  private readonly numbers = new VisitorNumbers();
  private readonly names = new Map<TextName, Counted>(
    TEXT_NAMES.map((name) => [name, { texts: new TextList(), sums: new Sums() }]),
  );
  private readonly pairs = new Map(VALUE_NAMES.map((name) => [name, new SeenPairs()]));

  /** Further values than these are counted as `OTHER`. */
  constructor(private readonly maxValues: number) {
    // Which values are the first ones must not depend on how many hits are counted at once.
    for (const name of VALUE_NAMES) {
      const none = valueOfNone(name);
      if (none !== undefined) this.names.get(name)!.texts.codeOf(none);
    }
  }

  get bytes(): number {
    const names = [...this.names.values()];
    const counted = names.reduce((sum, { texts, sums }) => sum + texts.bytes + sums.counts.byteLength, 0);
    return [...this.pairs.values()].reduce((sum, { bytes }) => sum + bytes, counted + this.numbers.bytes);
  }

  of(name: TextName): Counted {
    return this.names.get(name)!;
  }

  /** Further hits of the day, which are some of a batch. Who does not do all of the steps has no day any more. */
  *add(batch: HitColumns, range: HitRange): Steps<void> {
    const rows = this.rowsOf(batch, range);
    yield;
    yield* this.countHits(batch, range);
    for (const name of VISITOR_NAMES) yield* this.countVisitors(name, batch, rows);
    for (const name of VALUE_NAMES) yield* this.countValues(name, batch, rows);
    this.visitors += rows.news.length;
    this.hits += range.before - range.from;
  }

  private rowsOf({ rowOf, isKnown, hashes, rows }: HitColumns, range: HitRange): Rows {
    if (!hashes) this.isForgotten = true;
    const visitorOf = new Uint32Array(rows);
    const news: Rows['news'] = [];
    for (let hit = range.from; hit < range.before; hit++) {
      const row = rowOf[hit]!;
      if (visitorOf[row] !== NOT_MET) continue;
      const next = this.visitors + news.length + 1;
      if (isKnown[row] !== 1) visitorOf[row] = UNKNOWN;
      else visitorOf[row] = hashes ? this.numbers.ofBytes(hashes, VISITOR_BYTES * row, next) : next;
      if (visitorOf[row] === next) news.push({ row, hit });
    }
    return { range, visitorOf, news };
  }

  private *countHits(batch: HitColumns, { from, before }: HitRange): Steps<void> {
    const events = batch.texts('event');
    const eventOf = events && unpacked(events.rows, batch.hits);
    const isEvent = (hit: number) => eventOf !== undefined && eventOf[hit] !== NOT_SET;
    for (let hit = from; hit < before; hit++) if (!isEvent(hit)) this.pageviews++;
    for (const name of HIT_NAMES) {
      const column = name === 'event' ? events : batch.texts(name);
      if (!column) continue;
      const codes = unpacked(column.rows, batch.hits);
      const counts = new Uint32Array(column.texts.length + 1);
      for (let hit = from; hit < before; hit++) if (name === 'event' || !isEvent(hit)) counts[codes[hit]!]!++;
      yield* this.addCounts(name, column.texts, counts);
    }
  }

  private *countVisitors(name: NameOf['visitors'], batch: HitColumns, { news }: Rows): Steps<void> {
    const column = news.length > 0 ? batch.texts(name) : undefined;
    if (!column) return;
    const codes = unpacked(column.rows, batch.rows);
    const counts = new Uint32Array(column.texts.length + 1);
    for (const { row } of news) counts[codes[row]!]!++;
    yield* this.addCounts(name, column.texts, counts);
  }

  private *countValues(name: NameOf['values'], batch: HitColumns, rows: Rows): Steps<void> {
    const column = batch.texts(name);
    const codes = column && unpacked(column.rows, batch.hits);
    const none = valueOfNone(name);
    if (none !== undefined) {
      const direct = rows.news.filter(({ row, hit }) => isDirect(batch, codes, row, hit)).length;
      if (direct > 0) this.addCount(name, none, direct);
    }
    if (!codes) return;
    const { from, before } = rows.range;
    const pairs = this.pairs.get(name)!;
    const numberOf = new Uint32Array(column.texts.length + 1);
    const counts = new Uint32Array(numberOf.length);
    for (let hit = from; hit < before; hit++) {
      const code = codes[hit]!;
      const visitor = code === NOT_SET ? UNKNOWN : rows.visitorOf[batch.rowOf[hit]!]!;
      if (visitor === UNKNOWN) continue;
      const value = (numberOf[code] ||= this.numberOf(name, column.texts[code - 1]!));
      if (pairs.isNew(visitor, value)) counts[code]!++;
      if (hit % COUNTED_AT_ONCE === 0) yield;
    }
    yield* this.addCounts(name, column.texts, counts);
  }

  /** By the codes of a column, from 1. */
  private *addCounts(name: TextName, texts: string[], counts: Uint32Array): Steps<void> {
    for (let code = 1; code < counts.length; code++) {
      if (counts[code] !== 0) this.addCount(name, texts[code - 1]!, counts[code]!);
      if (code % COUNTED_AT_ONCE === 0) yield;
    }
    yield;
  }

  private addCount(name: TextName, text: string, count: number): void {
    const { texts, sums } = this.names.get(name)!;
    sums.add(this.isBeyond(name, text) ? texts.codeOf(OTHER) : texts.codeOf(text), count);
  }

  /** Tells the texts of a name apart, also those that are counted as `OTHER`. */
  private numberOf(name: NameOf['values'], text: string): number {
    if (this.isBeyond(name, text)) return (IS_OTHER | hashOf(text)) >>> 0;
    return this.names.get(name)!.texts.codeOf(text) + 1;
  }

  private isBeyond(name: TextName, text: string): boolean {
    const { texts } = this.names.get(name)!;
    if (texts.size < this.maxValues || texts.find(text) >= 0) return false;
    this.limited.add(name);
    return true;
  }
}

function isDirect(batch: HitColumns, referrers: Codes | undefined, row: number, hit: number): boolean {
  if (batch.isDirect) return batch.isDirect[row] === 1;
  return !referrers || referrers[hit] === NOT_SET;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

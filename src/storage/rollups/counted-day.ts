import type { Steps } from '../../common/time/steps';
import { VISITOR_BYTES } from '../../common/visitor-bytes';
import { type Codes, unpacked } from '../encoding/code-list';
import type { HitColumns, HitRange } from '../batches/batch';
import { Sums } from '../sums';
import { NOT_SET } from '../encoding/text-codes';
import { OTHER } from './limits/value-limits';
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
import { hashesOfTexts, hashOfPair, pairHash } from './pair-hashes';
import { TextList } from './texts/text-list';

/** Of one name, so that long texts bound how many values there are: 250,000 of 64 bytes. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** How many texts or hits are counted in a step. */
const COUNTED_AT_ONCE = 4000;

/** How often each value of a name was counted, by its code. */
interface Counted {
  readonly texts: TextList;
  readonly sums: Sums;
}

/** The visitors of some hits of a batch. */
interface Visitors {
  readonly range: HitRange;
  /** The hashes of the batch's visitor rows. */
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** The rows with a known visitor, each with the first of these hits. */
  readonly rows: FirstHit[];
}

interface FirstHit {
  row: number;
  hit: number;
}

/**
 * Counts the fourteen names of a day from its hits in the order in which they were accepted; it can go on where it ended,
 * and begin with what checkpoints have of the first hits.
 */
export class CountedDay {
  /** How many hits were counted. */
  hits = 0;
  /** How many of them were counted in checkpoints, where their visitors are. */
  inCheckpoints = 0;
  pageviews = 0;
  /** Those who are known. */
  visitors = 0;
  /** False while hits are counted in part; who does not do all of the steps has no day any more. */
  isWhole = true;
  /** Whether hits were counted whose visitors' hashes are gone, so that some count more than once. */
  isForgotten = false;
  /** Names with more values than are counted by themselves. */
  readonly limited = new Set<TextName>();
  /** Visitors, and visitors with one of their values, by hash: those behind the checkpoints who are in none of these. */
  private readonly news = new VisitorNumbers();
  /** Those who are in a checkpoint, as far as they were looked for. */
  private readonly met = new VisitorNumbers();
  private readonly names = new Map<TextName, Counted>(
    TEXT_NAMES.map((name) => [name, { texts: new TextList(), sums: new Sums() }]),
  );

  /** Further values than these are counted as `OTHER`. */
  constructor(readonly maxValues: number) {
    // Which values are the first ones must not depend on how many hits are counted at once.
    for (const name of VALUE_NAMES) {
      const none = valueOfNone(name);
      if (none !== undefined) this.names.get(name)!.texts.codeOf(none);
    }
  }

  get bytes(): number {
    const names = [...this.names.values()];
    const ofHashes = this.news.bytes + this.met.bytes;
    return names.reduce((sum, { texts, sums }) => sum + texts.bytes + sums.counts.byteLength, ofHashes);
  }

  of(name: TextName): Counted {
    return this.names.get(name)!;
  }

  /** Further hits of the day, which are some of a batch. */
  *add(batch: HitColumns, range: HitRange): Steps<void> {
    this.isWhole = false;
    const visitors = visitorsOf(batch, range, this.visitors);
    const news = this.newsOf(batch, visitors);
    yield;
    yield* this.countHits(batch, range);
    for (const name of VISITOR_NAMES) yield* this.countVisitors(name, batch, news);
    for (const name of VALUE_NAMES) yield* this.countValues(name, batch, visitors, news);
    this.visitors += news.length;
    this.hits += range.before - range.from;
    this.isWhole = true;
  }

  /** Adds the hashes of some hits who may be in a checkpoint, which has to be known before the hits are counted. */
  *addUnknown(hashes: VisitorNumbers, batch: HitColumns, range: HitRange): Steps<void> {
    if (!batch.hashes) return;
    const visitors = visitorsOf(batch, range, 0);
    const add = (high: number, low: number) => {
      if (this.met.findHash(high, low) === 0 && this.news.findHash(high, low) === 0) hashes.add(high, low);
    };
    for (const { row } of visitors.rows) add(visitors.high[row]!, visitors.low[row]!);
    yield;
    for (const name of VALUE_NAMES) yield* eachPair(name, batch, visitors, (_, high, low) => add(high, low));
  }

  /** A hash that is in a checkpoint. */
  meet(high: number, low: number): void {
    this.met.add(high, low);
  }

  /** The hashes that came behind the checkpoints. */
  newHashes(): Buffer {
    return this.news.hashes(this.news.size);
  }

  private newsOf({ hashes }: HitColumns, { rows, high, low }: Visitors): FirstHit[] {
    if (hashes) return rows.filter(({ row }) => this.isNew(high[row]!, low[row]!));
    this.isForgotten = true;
    return rows;
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
      const counts = new CodeCounts(column.texts);
      for (let hit = from; hit < before; hit++)
        if (name === 'event' || !isEvent(hit)) counts.add(codes[hit]!);
      yield* this.addCounts(name, counts);
    }
  }

  private *countVisitors(name: NameOf['visitors'], batch: HitColumns, news: FirstHit[]): Steps<void> {
    const column = news.length > 0 ? batch.texts(name) : undefined;
    if (!column) return;
    const codes = unpacked(column.rows, batch.rows);
    const counts = new CodeCounts(column.texts);
    for (const { row } of news) counts.add(codes[row]!);
    yield* this.addCounts(name, counts);
  }

  private *countValues(
    name: NameOf['values'],
    batch: HitColumns,
    visitors: Visitors,
    news: FirstHit[],
  ): Steps<void> {
    const column = batch.texts(name);
    const none = valueOfNone(name);
    if (none !== undefined) {
      const codes = column && unpacked(column.rows, batch.hits);
      const direct = news.filter(({ row, hit }) => isDirect(batch, codes, row, hit)).length;
      if (direct > 0) this.addCount(name, none, direct);
    }
    if (!column) return;
    const counts = new CodeCounts(column.texts);
    yield* eachPair(name, batch, visitors, (code, high, low) => {
      if (this.isNew(high, low)) counts.add(code);
    });
    yield* this.addCounts(name, counts);
  }

  private *addCounts(name: TextName, { texts, counts, order }: CodeCounts): Steps<void> {
    for (const [index, code] of order.entries()) {
      this.addCount(name, texts[code - 1]!, counts[code]!);
      if (index % COUNTED_AT_ONCE === 0) yield;
    }
    yield;
  }

  private addCount(name: TextName, text: string, count: number): void {
    const { texts, sums } = this.names.get(name)!;
    const isFull = texts.size >= this.maxValues || texts.textBytes >= MAX_TEXT_BYTES;
    const isBeyond = isFull && texts.find(text) < 0;
    if (isBeyond) this.limited.add(name);
    sums.add(texts.codeOf(isBeyond ? OTHER : text), count);
  }

  private isNew(high: number, low: number): boolean {
    return this.met.findHash(high, low) === 0 && this.news.add(high, low);
  }
}

/** How often each text of a column was counted, by its code from 1. */
class CodeCounts {
  readonly counts: Uint32Array;
  /** The codes in the order of their hits, whichever batch these are in: it decides which values are the first ones. */
  readonly order: number[] = [];

  constructor(readonly texts: string[]) {
    this.counts = new Uint32Array(texts.length + 1);
  }

  add(code: number): void {
    if (code !== NOT_SET && this.counts[code]!++ === 0) this.order.push(code);
  }
}

/** Where hashes are forgotten, numbers behind those of the visitors before stand for them. */
function visitorsOf({ rowOf, isKnown, hashes, rows }: HitColumns, range: HitRange, before: number): Visitors {
  const [high, low] = [new Int32Array(rows), new Int32Array(rows)];
  const isMet = new Uint8Array(rows);
  const told: FirstHit[] = [];
  for (let hit = range.from; hit < range.before; hit++) {
    const row = rowOf[hit]!;
    if (isMet[row] === 1) continue;
    isMet[row] = 1;
    if (isKnown[row] !== 1) continue;
    told.push({ row, hit });
    high[row] = hashes ? hashes.readInt32LE(VISITOR_BYTES * row) : before + told.length;
    low[row] = hashes ? hashes.readInt32LE(VISITOR_BYTES * row + 4) : 0;
  }
  return { range, high, low, rows: told };
}

/** Visits the hits with a value and a known visitor: the value's code, and the hash of both. */
function* eachPair(
  name: NameOf['values'],
  batch: HitColumns,
  { range, high, low }: Visitors,
  visit: (code: number, high: number, low: number) => void,
): Steps<void> {
  const column = batch.texts(name);
  if (!column) return;
  const { rowOf, isKnown } = batch;
  const codes = unpacked(column.rows, batch.hits);
  const texts = hashesOfTexts(name, column.texts);
  for (let hit = range.from; hit < range.before; hit++) {
    const [code, row] = [codes[hit]!, rowOf[hit]!];
    if (code === NOT_SET || isKnown[row] !== 1) continue;
    hashOfPair(high[row]!, low[row]!, texts.high[code]!, texts.low[code]!);
    visit(code, pairHash[0]!, pairHash[1]!);
    if (hit % COUNTED_AT_ONCE === 0) yield;
  }
}

function isDirect(batch: HitColumns, referrers: Codes | undefined, row: number, hit: number): boolean {
  if (batch.isDirect) return batch.isDirect[row] === 1;
  return !referrers || referrers[hit] === NOT_SET;
}

import type { Steps } from '../../ground/time/work-in-steps';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { unpacked } from '../../hits/codes/code-list';
import { type HitColumns, type HitRange, isDirectIn } from '../batches/batch';
import { Sums } from '../../hits/sums';
import { NOT_SET } from '../../hits/codes/text-codes';
import { OTHER } from '../../hits/rules/value-limits';
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
import { DistinctTexts } from './texts/distinct-texts';

/** The limit for the texts of one name: 250,000 values of 64 bytes. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** The number of texts or hits in one step. */
const COUNTED_AT_ONCE = 4000;

/** The count of each value of a name, by code. */
interface Counted {
  readonly texts: DistinctTexts;
  readonly sums: Sums;
}

interface FirstHit {
  row: number;
  hit: number;
}

/** The hits with a value of a name and a known visitor. */
interface Pairs {
  readonly texts: string[];
  readonly codes: number[];
  /** The hashes of visitor and value. */
  readonly high: number[];
  readonly low: number[];
}

/** Hits of a batch, with the hashes that they are counted by. */
export class HitsToCount {
  /** The hashes of the batch's visitor rows. */
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** The rows of known visitors, each with its first hit. */
  readonly firsts: FirstHit[] = [];
  private readonly known = new Map<NameOf['values'], Pairs>();

  constructor(
    readonly batch: HitColumns,
    readonly range: HitRange,
    /** The first place of the batch. If the hashes are forgotten, the place of the first hit identifies a visitor. */
    firstHit: number,
  ) {
    const { rowOf, isKnown, hashes, rows } = batch;
    [this.high, this.low] = [new Int32Array(rows), new Int32Array(rows)];
    const isMet = new Uint8Array(rows);
    for (let hit = range.from; hit < range.before; hit++) {
      const row = rowOf[hit]!;
      if (isMet[row] === 1) continue;
      isMet[row] = 1;
      if (isKnown[row] !== 1) continue;
      this.firsts.push({ row, hit });
      this.high[row] = hashes ? hashes.readInt32LE(VISITOR_BYTES * row) : firstHit + hit;
      this.low[row] = hashes ? hashes.readInt32LE(VISITOR_BYTES * row + 4) : 0;
    }
  }

  pairs(name: NameOf['values']): Pairs {
    const known = this.known.get(name) ?? this.pairsOf(name);
    this.known.set(name, known);
    return known;
  }

  private pairsOf(name: NameOf['values']): Pairs {
    const { batch, range } = this;
    const column = batch.texts(name);
    const pairs: Pairs = { texts: column?.texts ?? [], codes: [], high: [], low: [] };
    if (!column) return pairs;
    const codes = unpacked(column.rows, batch.hits);
    const texts = hashesOfTexts(name, column.texts);
    for (let hit = range.from; hit < range.before; hit++) {
      const [code, row] = [codes[hit]!, batch.rowOf[hit]!];
      if (code === NOT_SET || batch.isKnown[row] !== 1) continue;
      hashOfPair(this.high[row]!, this.low[row]!, texts.high[code]!, texts.low[code]!);
      pairs.codes.push(code);
      pairs.high.push(pairHash[0]!);
      pairs.low.push(pairHash[1]!);
    }
    return pairs;
  }
}

/**
 * Counts the fourteen names of a day from its hits in the order of their acceptance. It can continue later, and can
 * begin with the counts of checkpoints.
 */
export class CountedDay {
  /** The number of counted hits. */
  hits = 0;
  /** The number of hits that were counted from checkpoints. Their visitors are looked up there. */
  inCheckpoints = 0;
  pageviews = 0;
  /** The number of known visitors. */
  visitors = 0;
  /** False between the steps of counting some hits. If the steps are not finished, the day is unusable. */
  isWhole = true;
  /** Tells whether visitors without hashes were counted. Some of them count more than once. */
  isForgotten = false;
  /** The names with more values than the limit. */
  readonly limited = new Set<TextName>();
  /** The hashes of visitors, and of visitors with one of their values, who are in no checkpoint. */
  private news = new VisitorNumbers();
  /** The hashes that were found in a checkpoint. */
  private met = new VisitorNumbers();
  private readonly names = new Map<TextName, Counted>(
    TEXT_NAMES.map((name) => [name, { texts: new DistinctTexts(), sums: new Sums() }]),
  );

  /** Values beyond this number are counted as `OTHER`. */
  constructor(readonly maxValues: number) {
    // The order of values must not depend on the number of hits that are counted at once.
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

  /** Counts further hits of the day. */
  *add(hits: HitsToCount): Steps<void> {
    this.isWhole = false;
    const news = this.newsOf(hits);
    yield;
    yield* this.countHits(hits);
    for (const name of VISITOR_NAMES) yield* this.countVisitors(name, hits, news);
    for (const name of VALUE_NAMES) yield* this.countValues(name, hits, news);
    this.visitors += news.length;
    this.hits += hits.range.before - hits.range.from;
    this.isWhole = true;
  }

  /** Adds the hashes of some hits that may be in a checkpoint. They must be looked up before the hits are counted. */
  *addUnknown(hashes: VisitorNumbers, hits: HitsToCount): Steps<void> {
    if (!hits.batch.hashes) return;
    const add = (high: number, low: number) => {
      if (this.met.findHash(high, low) === 0 && this.news.findHash(high, low) === 0) hashes.add(high, low);
    };
    for (const { row } of hits.firsts) add(hits.high[row]!, hits.low[row]!);
    yield;
    for (const name of VALUE_NAMES) {
      const { high, low } = hits.pairs(name);
      for (let pair = 0; pair < high.length; pair++) add(high[pair]!, low[pair]!);
      yield;
    }
  }

  /** Marks a hash as one of a checkpoint. */
  meet(high: number, low: number): void {
    this.met.add(high, low);
  }

  /** Call it when all counted hits are in checkpoints, which have their counts and visitors from now on. */
  leaveToCheckpoints(): void {
    for (const { sums } of this.names.values()) sums.clear();
    this.inCheckpoints = this.hits;
    [this.news, this.met] = [new VisitorNumbers(), new VisitorNumbers()];
  }

  /** The hashes that are in no checkpoint. */
  newHashes(): Buffer {
    return this.news.hashes(this.news.size);
  }

  private newsOf({ batch, firsts, high, low }: HitsToCount): FirstHit[] {
    if (batch.hashes) return firsts.filter(({ row }) => this.isNew(high[row]!, low[row]!));
    this.isForgotten = true;
    return firsts;
  }

  private *countHits({ batch, range: { from, before } }: HitsToCount): Steps<void> {
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

  private *countVisitors(name: NameOf['visitors'], { batch }: HitsToCount, news: FirstHit[]): Steps<void> {
    const column = news.length > 0 ? batch.texts(name) : undefined;
    if (!column) return;
    const codes = unpacked(column.rows, batch.rows);
    const counts = new CodeCounts(column.texts);
    for (const { row } of news) counts.add(codes[row]!);
    yield* this.addCounts(name, counts);
  }

  private *countValues(name: NameOf['values'], hits: HitsToCount, news: FirstHit[]): Steps<void> {
    const none = valueOfNone(name);
    if (none !== undefined) {
      const isDirect = isDirectIn(hits.batch);
      const direct = news.filter(({ row, hit }) => isDirect(row, hit)).length;
      if (direct > 0) this.addCount(name, none, direct);
    }
    const { texts, codes, high, low } = hits.pairs(name);
    const counts = new CodeCounts(texts);
    for (let pair = 0; pair < codes.length; pair++)
      if (this.isNew(high[pair]!, low[pair]!)) counts.add(codes[pair]!);
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

/** The count of each text of a column, by its code from 1. */
class CodeCounts {
  readonly counts: Uint32Array;
  /** The codes in the order of their hits, independent of batches. It decides which values are the first ones. */
  readonly order: number[] = [];

  constructor(readonly texts: string[]) {
    this.counts = new Uint32Array(texts.length + 1);
  }

  add(code: number): void {
    if (code !== NOT_SET && this.counts[code]!++ === 0) this.order.push(code);
  }
}

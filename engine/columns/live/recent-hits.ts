import type { Queryable } from '../../database/rows';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import type { DayClock } from '../../ground/time/day-clock';
import { DayBuilder } from '../segments/day-builder';
import type { Hit } from '../../hits/hit';
import { Batch } from '../batches/batch';
import { BatchBuilder } from '../batches/batch-builder';
import { readBatchesAt, BATCHES_AT_ONCE, type BatchSpan, endOf, readRecentBatches } from '../batches/batches';
import { DecodedOnce } from '../batches/decoded-once';
import { LateHits } from '../batches/late-hits';
import { readDay } from '../stored-days';
import type { HitBlock } from '../../hits/hit-block';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { inChunks } from '../../database/rows';
import { type Check, pause } from '../../ground/deadline-check';
import { LIVE_WINDOW_S } from '../../hits/rules/live-window';
import { LIVE_COLUMNS } from './live-counts';

/** A new look fills this share of the room, so that later looks can add to it. */
const SHARE_AT_FIRST = 0.8;
const SHARE_OF_MANY = 0.5;
/** The time that an event may be ahead of the clock. */
const MAX_AHEAD_S = 60;
/** The number of hits added in a step. */
const HITS_OF_STEP = 4096;
/** With fewer old hits, beginning again is not worthwhile. */
const MIN_OLD_HITS = 1000;

interface LiveDay {
  readonly builder: DayBuilder;
  /** The place after the last hit that was read. */
  next: number;
}

/** New hits of a day, in batches with recent hits. */
interface NewHits {
  readonly day: LiveDay;
  readonly number: number;
  readonly batches: BatchSpan[];
  /** The place after the last hit of the day. */
  readonly end: number;
}

/** The hits of a website in the last 30 minutes. Each look continues where the previous one ended. */
export class LiveHits {
  readonly texts: WebsiteTexts;
  private readonly days = new Map<number, LiveDay>();

  /** Recent hits were left out, which matters until this moment. */
  private wholeFrom = 0;

  constructor(
    private readonly websiteId: number,
    private readonly clock: DayClock,
    private readonly maxHits: number,
    maxTextBytes: number,
  ) {
    this.texts = new WebsiteTexts(maxTextBytes);
  }

  get hits(): number {
    return [...this.days.values()].reduce((sum, { builder }) => sum + builder.hits, 0);
  }

  get bytes(): number {
    return [...this.days.values()].reduce((sum, { builder }) => sum + builder.bytes, this.texts.bytes);
  }

  /** Tells whether no recent hit was left out. */
  isWholeAt(now: number): boolean {
    return now >= this.wholeFrom;
  }

  /** Tells whether beginning again takes less memory and time, given the number of recent hits. */
  isMostlyOld(recentHits: number): boolean {
    return this.hits > MIN_OLD_HITS && this.hits > 2 * recentHits;
  }

  /** The maximum number of hits after the next read. */
  async expected(reader: Queryable, now: number): Promise<number> {
    const added = await this.readAdded(reader, now);
    return Math.min(this.maxHits, this.hits + totalOf(added));
  }

  /** Reads new hits. Returns false if they are too many. */
  async read(reader: Queryable, now: number, check: Check): Promise<boolean> {
    const added = await this.readAdded(reader, now);
    let skipped = 0;
    const total = totalOf(added);
    if (this.hits > 0) {
      if (this.hits + total > this.maxHits) return false;
    } else if (total > SHARE_AT_FIRST * this.maxHits) {
      this.wholeFrom = now + LIVE_WINDOW_S + MAX_AHEAD_S;
      skipped = total - Math.floor(SHARE_OF_MANY * this.maxHits);
    }
    for (const own of added) {
      await this.add(reader, own, skipped, check);
      skipped = Math.max(0, skipped - hitsOf(own));
    }
    return true;
  }

  /** The hits of each day, with those that wait in the inbox. */
  async *blocks(waiting: readonly Hit[]): AsyncGenerator<HitBlock> {
    for (const [number, { builder }] of this.days) {
      const own = waiting.filter(({ day }) => day === number);
      yield* blocksWith(builder, own, this.builderOf(number));
    }
  }

  private async readAdded(reader: Queryable, now: number): Promise<NewHits[]> {
    const since = now - LIVE_WINDOW_S;
    const recent = new Set([this.clock.dayOf(since * 1000), this.clock.dayOf(now * 1000)]);
    for (const day of this.days.keys()) if (!recent.has(day)) this.days.delete(day);
    const added: NewHits[] = [];
    for (const day of recent) added.push(await this.newHitsOf(reader, day, since));
    return added;
  }

  private async newHitsOf(reader: Queryable, number: number, since: number): Promise<NewHits> {
    const day = this.days.get(number) ?? { builder: this.builderOf(number), next: 0 };
    this.days.set(number, day);
    const { hits: end } = await readDay(reader, this.websiteId, number);
    const batches =
      end > day.next ? await readRecentBatches(reader, this.websiteId, number, day.next, since) : [];
    return { day, number, batches, end };
  }

  private async add(
    reader: Queryable,
    { day, number, batches, end }: NewHits,
    skipped: number,
    check: Check,
  ): Promise<void> {
    let left = skipped;
    for (const some of inChunks(batches, BATCHES_AT_ONCE)) {
      const places = some.map(({ firstHit }) => firstHit);
      for (const stored of await readBatchesAt(reader, this.websiteId, number, places)) {
        await pause(check);
        const from = Math.max(stored.firstHit, day.next);
        const skippedHere = Math.min(left, endOf(stored) - from);
        left -= skippedHere;
        const first = from + skippedHere;
        // Hits are consecutive here, even if others between them were left out.
        if (first < endOf(stored)) await this.addBatch(day, await Batch.open(stored), first, check);
        day.next = endOf(stored);
      }
    }
    day.next = Math.max(day.next, end);
  }

  /** Adds the hits of a batch from a place on. */
  private async addBatch({ builder }: LiveDay, batch: Batch, from: number, check: Check): Promise<void> {
    const { firstHit } = batch.key;
    const [hits, first] = [new DecodedOnce(batch, firstHit), builder.hits - (from - firstHit)];
    for (const name of LIVE_COLUMNS) {
      hits.texts(name);
      await pause(check);
    }
    while (builder.hits < first + batch.hits) {
      builder.add(hits, first, builder.hits + HITS_OF_STEP);
      await pause(check);
    }
  }

  private builderOf(day: number): DayBuilder {
    return new DayBuilder(day, this.texts, LIVE_COLUMNS);
  }
}

/** The hits of a day with waiting hits, which have a builder of their own. A visitor has all hits in one block. */
export async function* blocksWith(
  builder: DayBuilder,
  waiting: readonly Hit[],
  late: DayBuilder,
): AsyncGenerator<HitBlock> {
  const hits = await builder.buildColumns();
  if (waiting.length === 0) {
    yield hits;
    return;
  }
  const batch = new BatchBuilder();
  for (let from = 0; from < waiting.length; from += HITS_OF_STEP) {
    batch.add(waiting.slice(from, from + HITS_OF_STEP));
    await yieldIfNeeded();
  }
  late.add(batch.columns());
  const others = await late.buildColumns();
  const known = new LateHits(others, numbersIn(builder, late, others), hits.hits);
  yield known.among(hits, 0, 0);
  const unknown = known.others();
  if (unknown) yield unknown;
}

function totalOf(added: NewHits[]): number {
  return added.reduce((sum, own) => sum + hitsOf(own), 0);
}

function hitsOf({ day, batches }: NewHits): number {
  return batches.reduce((sum, batch) => sum + endOf(batch) - Math.max(batch.firstHit, day.next), 0);
}

/** The number of each visitor of a block in another builder; -1 if the visitor is not in it. */
function numbersIn(among: DayBuilder, own: DayBuilder, { visitors, isKnown }: HitBlock): Int32Array {
  const hashes = own.hashes();
  return Int32Array.from({ length: visitors }, (_, visitor) =>
    isKnown[visitor] === 1 ? among.find(hashes, VISITOR_BYTES * visitor) - 1 : -1,
  );
}

import type { EntityManager } from 'typeorm';
import { yieldIfNeeded } from '../../common/time/yield-if-needed';
import { VISITOR_BYTES } from '../../common/visitor-bytes';
import type { DayClock } from '../../common/time/day-clock';
import { DayBuilder } from '../../storage/segments/day-builder';
import type { Hit } from '../../storage/hit';
import { Batch } from '../../storage/batches/batch';
import { BatchBuilder } from '../../storage/batches/batch-builder';
import {
  readBatchesAt,
  BATCHES_AT_ONCE,
  type BatchSpan,
  endOf,
  readRecentBatches,
} from '../../storage/batches/batches';
import { DecodedOnce } from '../../storage/batches/decoded-once';
import { LateHits } from '../../storage/batches/late-hits';
import { readDay } from '../../storage/stored-days';
import type { HitBlock } from '../../storage/segments/hit-block';
import { WebsiteTexts } from '../../storage/encoding/text-codes';
import { inChunks } from '../../database/rows';
import { type Check, pause } from '../queries/answer/check';
import { LIVE_WINDOW_S } from '../../storage/live-window';
import { LIVE_COLUMNS } from './live-counts';

/** The part of its room that it fills at first, so that it can go on for a while. */
const SHARE_AT_FIRST = 0.8;
const SHARE_OF_MANY = 0.5;
/** An event may be so much later than now. */
const MAX_AHEAD_S = 60;
/** How many are added at once. */
const HITS_OF_STEP = 4096;
/** Below it, hits that are too old take too little to begin anew. */
const MIN_OLD_HITS = 1000;

interface LiveDay {
  readonly builder: DayBuilder;
  /** The place behind the last hit that was looked at. */
  next: number;
}

/** Hits of a day that were not read yet, in batches that have any of late. */
interface NewHits {
  readonly day: LiveDay;
  readonly number: number;
  readonly batches: BatchSpan[];
  /** The place behind the last hit of the day. */
  readonly end: number;
}

/** The hits of a website in the last 30 minutes, read on from where the last look ended. */
export class LiveHits {
  readonly texts: WebsiteTexts;
  private readonly days = new Map<number, LiveDay>();

  /** Until then some hits of late are those that were left out. */
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

  /** Whether no hits of late are left out. */
  isWholeAt(now: number): boolean {
    return now >= this.wholeFrom;
  }

  /** Whether to begin anew takes less memory and time than to go on, by the number of recent hits. */
  isMostlyOld(recentHits: number): boolean {
    return this.hits > MIN_OLD_HITS && this.hits > 2 * recentHits;
  }

  /** The most hits there are once those are read that came since the last time. */
  async expected(manager: EntityManager, now: number): Promise<number> {
    const added = await this.readAdded(manager, now);
    return Math.min(this.maxHits, this.hits + totalOf(added));
  }

  /** Reads what came since the last time; false where that is too much to go on with. */
  async read(manager: EntityManager, now: number, check: Check): Promise<boolean> {
    const added = await this.readAdded(manager, now);
    let skipped = 0;
    const total = totalOf(added);
    if (this.hits > 0) {
      if (this.hits + total > this.maxHits) return false;
    } else if (total > SHARE_AT_FIRST * this.maxHits) {
      this.wholeFrom = now + LIVE_WINDOW_S + MAX_AHEAD_S;
      skipped = total - Math.floor(SHARE_OF_MANY * this.maxHits);
    }
    for (const own of added) {
      await this.add(manager, own, skipped, check);
      skipped = Math.max(0, skipped - hitsOf(own));
    }
    return true;
  }

  /** The hits of each day, with some that wait in the inbox. */
  async *blocks(waiting: readonly Hit[]): AsyncGenerator<HitBlock> {
    for (const [number, { builder }] of this.days) {
      const own = waiting.filter(({ day }) => day === number);
      yield* blocksWith(builder, own, this.builderOf(number));
    }
  }

  private async readAdded(manager: EntityManager, now: number): Promise<NewHits[]> {
    const since = now - LIVE_WINDOW_S;
    const recent = new Set([this.clock.dayOf(since * 1000), this.clock.dayOf(now * 1000)]);
    for (const day of this.days.keys()) if (!recent.has(day)) this.days.delete(day);
    const added: NewHits[] = [];
    for (const day of recent) added.push(await this.newHitsOf(manager, day, since));
    return added;
  }

  private async newHitsOf(manager: EntityManager, number: number, since: number): Promise<NewHits> {
    const day = this.days.get(number) ?? { builder: this.builderOf(number), next: 0 };
    this.days.set(number, day);
    const { hits: end } = await readDay(manager, this.websiteId, number);
    const batches =
      end > day.next ? await readRecentBatches(manager, this.websiteId, number, day.next, since) : [];
    return { day, number, batches, end };
  }

  private async add(
    manager: EntityManager,
    { day, number, batches, end }: NewHits,
    skipped: number,
    check: Check,
  ): Promise<void> {
    let left = skipped;
    for (const some of inChunks(batches, BATCHES_AT_ONCE)) {
      const places = some.map(({ firstHit }) => firstHit);
      for (const stored of await readBatchesAt(manager, this.websiteId, number, places)) {
        await pause(check);
        const from = Math.max(stored.firstHit, day.next);
        const skippedHere = Math.min(left, endOf(stored) - from);
        left -= skippedHere;
        const first = from + skippedHere;
        // Hits stand one behind the other, whatever was left out between them.
        if (first < endOf(stored)) await this.addBatch(day, await Batch.open(stored), first, check);
        day.next = endOf(stored);
      }
    }
    day.next = Math.max(day.next, end);
  }

  /** The hits of a batch from a place on. */
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

/** The hits of a day, with some that are put into a builder of their own: a visitor has all of its hits in one block. */
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

/** The number that each visitor of some hits has among others; -1 where it is not among them. */
function numbersIn(among: DayBuilder, own: DayBuilder, { visitors, isKnown }: HitBlock): Int32Array {
  const hashes = own.hashes();
  return Int32Array.from({ length: visitors }, (_, visitor) =>
    isKnown[visitor] === 1 ? among.find(hashes, VISITOR_BYTES * visitor) - 1 : -1,
  );
}

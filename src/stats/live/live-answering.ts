import type { EntityManager } from 'typeorm';
import { bytesOfPool } from '../../common/byte-budget';
import { ByteCache } from '../../common/byte-cache';
import type { DayClock } from '../../common/day-clock';
import type { Reader } from '../../database/database';
import type { Check } from '../questions/check';
import { LiveCounts } from './live-counts';
import { LiveHits } from './live-hits';
import type { LiveNumbers } from './live-numbers';
import { waitingHits } from './waiting-hits';

/** Of the budget of all websites; the rest is for others that are looked at. */
const SHARE_OF_ONE = 0.9;
/** With its visitor, and what lists have left of their room. */
const BYTES_OF_HIT = 40;
/** A look reads no more, so that others have their turn soon. */
const MAX_HITS = 600_000;

/** Counts who is on a website, and keeps the hits that it has read for the next look. */
export class LiveAnswering {
  private readonly kept: ByteCache<LiveHits>;
  private readonly maxBytes: number;

  /** So many threads share the memory for it. */
  constructor(
    private readonly reader: Reader,
    private readonly clock: DayClock,
    threads: number,
  ) {
    const maxBytes = bytesOfPool('live') / threads;
    this.kept = new ByteCache({ maxBytes }, ({ bytes }) => bytes);
    this.maxBytes = SHARE_OF_ONE * maxBytes;
  }

  async look(websiteId: number, patienceMs: number, check: Check): Promise<LiveNumbers> {
    const key = String(websiteId);
    const known = this.kept.get(key);
    // What an error leaves of it may not be true.
    this.kept.delete(key);
    return this.reader.read(async (manager) => {
      const [row] = await manager.query<{ moment: number | string }[]>(
        `SELECT ${this.reader.dialect.now} AS moment`,
      );
      const asOf = Number(row!.moment);
      const now = Math.floor(asOf / 1000);
      const hits = await this.hitsAt(manager, websiteId, known, now, check);
      const waiting = await waitingHits(manager, websiteId);
      // Those that wait may bring texts.
      const stretches = [...hits.stretches(waiting.hits)];
      const counts = new LiveCounts(now, hits.texts);
      for (const stretch of stretches) counts.add(stretch);
      if (!hits.isMostlyOld(counts.hits)) this.kept.set(key, hits);
      return { asOf, isWhole: hits.isWholeAt(now) && waiting.isWhole, ...counts.numbers() };
    }, patienceMs);
  }

  /** Those that are known and what came since; all of the time anew, or the latest of them, where that is too much. */
  private async hitsAt(
    manager: EntityManager,
    websiteId: number,
    known: LiveHits | undefined,
    now: number,
    check: Check,
  ): Promise<LiveHits> {
    if (known && (await known.read(manager, now, check)) && known.bytes <= this.maxBytes) return known;
    let maxHits = Math.min(MAX_HITS, Math.floor(this.maxBytes / BYTES_OF_HIT));
    for (;;) {
      const hits = new LiveHits(websiteId, this.clock, maxHits, this.maxBytes / 2);
      await hits.read(manager, now, check);
      if (hits.bytes <= this.maxBytes || hits.hits <= 1) return hits;
      maxHits = Math.floor(hits.hits / 2);
    }
  }
}

import type { Queryable } from '../../database/rows';
import { bytesOfPool } from '../../ground/memory/memory-limits';
import { ByteCache } from '../../ground/memory/byte-cache';
import { HASHES_IN_MEMORY } from '../../ground/memory/hashes-in-memory';
import { WaitingPool } from '../../ground/memory/waiting-pool';
import type { DayClock } from '../../ground/time/day-clock';
import type { Reader } from '../../database/database';
import type { Hit } from '../../hits/hit';
import type { HitBlock } from '../../hits/hit-block';
import type { Check, TimeLimit } from '../../ground/deadline-check';
import { readMoment } from '../website-state';
import { LiveCounts } from './live-counts';
import { LiveHits } from './recent-hits';
import type { LiveNumbers, LiveRequest } from '../../questions/live-numbers';
import { waitingHits } from './waiting-hits';

/** The share of the memory for one website. The rest is for others. */
const SHARE_OF_ONE = 0.9;
/** With its visitor and the unused room of lists. */
const BYTES_OF_HIT = 40;
/** The memory for counting a hit: its place in the order of visitors, its moment, and its codes. */
const BYTES_IN_ORDER = 24;
/** The limit of hits in one look. */
const MAX_HITS = 600_000;

/**
 * Counts the live visitors of a website, and keeps the hits that it has read for the next look. It looks at one website
 * once at a time.
 */
export class LiveAnswering {
  private readonly cache: ByteCache<LiveHits>;
  private readonly maxBytes: number;
  private readonly pool: WaitingPool;

  /** All `threads` share the memory. */
  constructor(
    private readonly database: Reader,
    private readonly clock: DayClock,
    threads: number,
  ) {
    const maxBytes = bytesOfPool('live') / threads;
    this.cache = new ByteCache({ maxBytes, name: 'live' }, ({ bytes }) => bytes, HASHES_IN_MEMORY.maxAgeMs);
    this.maxBytes = SHARE_OF_ONE * maxBytes;
    this.pool = new WaitingPool('liveLooks', bytesOfPool('liveLooks') / threads);
  }

  dropHashes(): void {
    this.cache.dropOld();
  }

  look({ seenIf, websiteId }: LiveRequest, { patienceMs, check }: TimeLimit): Promise<LiveNumbers> {
    return this.database.read(async (reader) => {
      const asOf = await readMoment(this.database, reader, seenIf, websiteId);
      const known = this.cache.get(String(websiteId));
      const expected = await (known ?? this.hitsOf(websiteId)).expected(reader, Math.floor(asOf / 1000));
      const bytes = expected * (known ? BYTES_IN_ORDER : BYTES_IN_ORDER + BYTES_OF_HIT);
      const goOn = () =>
        Promise.resolve()
          .then(check)
          .then(() => true);
      const look = () => this.lookAt(reader, websiteId, asOf, check);
      return (await this.pool.takeDuring(bytes, goOn, look))!;
    }, patienceMs);
  }

  private async lookAt(
    reader: Queryable,
    websiteId: number,
    asOf: number,
    check: Check,
  ): Promise<LiveNumbers> {
    const now = Math.floor(asOf / 1000);
    const key = String(websiteId);
    const known = this.cache.get(key);
    try {
      const hits = await this.hitsAt(reader, websiteId, known, now, check);
      const waiting = await waitingHits(reader, websiteId, check);
      const counts = await countsOf(hits, waiting.hits, now, check);
      if (hits.isMostlyOld(counts.hits)) this.cache.delete(key);
      else this.cache.set(key, hits);
      return { asOf, isWhole: hits.isWholeAt(now) && waiting.isWhole, ...counts.numbers() };
    } catch (error) {
      // After an error, the hits may be incomplete.
      this.cache.delete(key);
      throw error;
    }
  }

  /** The known hits and the hits since; if these are too many, all recent hits again, or the latest of them. */
  private async hitsAt(
    reader: Queryable,
    websiteId: number,
    known: LiveHits | undefined,
    now: number,
    check: Check,
  ): Promise<LiveHits> {
    if (known && (await known.read(reader, now, check)) && known.bytes <= this.maxBytes) return known;
    for (let maxHits = Infinity; ;) {
      const hits = this.hitsOf(websiteId, maxHits);
      await hits.read(reader, now, check);
      if (hits.bytes <= this.maxBytes || hits.hits <= 1) return hits;
      maxHits = Math.floor(hits.hits / 2);
    }
  }

  private hitsOf(websiteId: number, maxHits = Infinity): LiveHits {
    const most = Math.min(maxHits, MAX_HITS, Math.floor(this.maxBytes / BYTES_OF_HIT));
    return new LiveHits(websiteId, this.clock, most, this.maxBytes / 2);
  }
}

async function countsOf(
  hits: LiveHits,
  waiting: readonly Hit[],
  now: number,
  check: Check,
): Promise<LiveCounts> {
  const blocks: HitBlock[] = [];
  for await (const block of hits.blocks(waiting)) blocks.push(block);
  // Waiting hits may add texts.
  const counts = new LiveCounts(now, hits.texts);
  for (const block of blocks) await counts.add(block, check);
  return counts;
}

import type { EntityManager } from 'typeorm';
import type { DayClock } from '../../common/day-clock';
import { inPieces } from '../../database/rows';
import { DamagedInboxRow } from '../../storage/damaged-hits';
import { decodeHits, type Hit } from '../../storage/hit';
import type { ColumnName } from '../../storage/hit-columns';
import { Batch, type StoredBatch } from '../../storage/hits/batch';
import { endOf, HitsRemoved, nextBatches, recentBatches } from '../../storage/hits/batches';
import { hitsOfBatch } from '../../storage/hits/hits-of-batch';
import { keptDay } from '../../storage/kept-hits';
import { type LiveVisitors, WINDOW_S } from './live-visitors';

/** What is looked at of a hit, besides its moment and its visitor. */
const COLUMNS: ColumnName[] = ['event', 'page', 'referrer', 'country'];
/** Of one reading; where there are more, those before them come as earlier ones. */
const MAX_NEW_HITS = 96_000;
/** So long one reading takes for hits of earlier, so that the first ones of a busy website are answered in time, too. */
const EARLIER_MS = 400;
const MAX_INBOX_ROWS = 4000;
const MAX_INBOX_BYTES = 8 * 1024 * 1024;
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 1024 * 1024;

/** Which hits of a day were read. */
interface ReadSpan {
  from: number;
  to: number;
  /** Whether no hit of late is left before it. */
  isWhole: boolean;
}

/** What was read of one website; the next reading goes on from there. */
export class LiveWebsite {
  private readonly days = new Map<number, ReadSpan>();
  private isInboxWhole = true;

  constructor(
    readonly visitors: LiveVisitors,
    private readonly clock: DayClock,
    private readonly websiteId: number,
  ) {}

  /** Whether all hits of late were read. */
  get isWhole(): boolean {
    return this.isInboxWhole && [...this.days.values()].every(({ isWhole }) => isWhole);
  }

  /** Reads what came since the last time, and of what came before as much as is read at once. */
  async read(manager: EntityManager, nowMs: number): Promise<void> {
    const now = Math.floor(nowMs / 1000);
    const since = now - WINDOW_S;
    this.visitors.moveTo(now);
    const recent = new Set([this.clock.dayOf(since * 1000), this.clock.dayOf(nowMs)]);
    for (const day of this.days.keys()) if (!recent.has(day)) this.days.delete(day);
    for (const day of recent) {
      try {
        await this.readDay(manager, day, since);
      } catch (error) {
        if (!(error instanceof HitsRemoved)) throw error;
        this.days.delete(day);
      }
    }
    await this.readInbox(manager);
  }

  private async readDay(manager: EntityManager, day: number, since: number): Promise<void> {
    const { hits } = await keptDay(manager, this.websiteId, day);
    const span = this.days.get(day) ?? { from: hits, to: hits, isWhole: false };
    this.days.set(day, span);
    for (const begin = span.to; span.to < hits && span.to - begin < MAX_NEW_HITS;)
      for (const batch of await nextBatches(manager, this.websiteId, day, span.to)) {
        await this.add(batch, span.to);
        span.to = endOf(batch);
      }
    if (span.to < hits) this.days.set(day, { from: hits, to: hits, isWhole: false });
    await this.readEarlier(manager, day, since);
  }

  /** Backwards from what was read. */
  private async readEarlier(manager: EntityManager, day: number, since: number): Promise<void> {
    const span = this.days.get(day)!;
    for (const until = performance.now() + EARLIER_MS; !span.isWhole && performance.now() < until;) {
      const { batches, isAll } = await recentBatches(manager, this.websiteId, day, span.from, since);
      for (const batch of batches) {
        await this.add(batch);
        span.from = batch.firstHit;
      }
      span.isWhole = isAll;
    }
  }

  private async add(stored: StoredBatch, from = 0): Promise<void> {
    const rows = { from: Math.max(0, from - stored.firstHit) };
    for (const hits of hitsOfBatch(await Batch.open(stored), rows, COLUMNS)) this.visitors.add(hits);
  }

  /** What is not counted yet, the latest first. It is read anew each time: rows are not committed in the order of their ids. */
  private async readInbox(manager: EntityManager): Promise<void> {
    const rows = await manager.query<{ id: number; bytes: number }[]>(
      `SELECT id, bytes FROM inbox WHERE website_id = ? AND dropped IS NULL ORDER BY id DESC LIMIT ${MAX_INBOX_ROWS}`,
      [this.websiteId],
    );
    const [read = []] = inPieces(rows, MAX_INBOX_ROWS, MAX_INBOX_BYTES, ({ bytes }) => bytes);
    this.isInboxWhole = read.length === rows.length && rows.length < MAX_INBOX_ROWS;
    for (const some of inPieces(read, ROWS_AT_ONCE, BYTES_AT_ONCE, ({ bytes }) => bytes)) {
      const fetched = await manager.query<{ id: number; hits: Buffer; size: number }[]>(
        `SELECT id, hits, size FROM inbox WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')})`,
        [this.websiteId, ...some.map(({ id }) => id)],
      );
      for (const { id, hits, size } of fetched) {
        const read = readable(hits);
        if (read?.length !== size) throw new DamagedInboxRow(this.websiteId, id);
        this.visitors.add(read);
      }
    }
  }
}

function readable(encoded: Buffer): Hit[] | undefined {
  try {
    return decodeHits(encoded);
  } catch {
    return undefined;
  }
}

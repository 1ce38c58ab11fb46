import type { EntityManager } from 'typeorm';
import type { DayClock } from '../../common/day-clock';
import { yieldIfNeeded } from '../../common/yield-if-needed';
import { inPieces } from '../../database/rows';
import { decodeHits } from '../../storage/hit';
import { keptDay } from '../../storage/kept-hits';
import {
  endOf,
  HitsRemoved,
  nextPieces,
  recentPieces,
  type HitPiece,
  unpackHits,
} from '../../storage/pieces';
import { type LiveVisitors, WINDOW_S } from './live-visitors';

/** Of one reading, each of some 2,000 hits: so it costs about as much for a website with any number of events. */
const MAX_NEW_PIECES = 48;
const MAX_EARLIER_PIECES = 32;
const MAX_INBOX_ROWS = 500;
const MAX_INBOX_BYTES = 2 * 1024 * 1024;

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
    await this.visitors.moveTo(now);
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
    for (let read = 0; span.to < hits && read < MAX_NEW_PIECES;)
      for (const piece of await nextPieces(manager, this.websiteId, day, span.to)) {
        await this.add(piece, span.to);
        span.to = endOf(piece);
        read++;
      }
    if (span.to < hits) this.days.set(day, { from: hits, to: hits, isWhole: false });
    await this.readEarlier(manager, day, since);
  }

  /** Backwards from what was read. */
  private async readEarlier(manager: EntityManager, day: number, since: number): Promise<void> {
    const span = this.days.get(day)!;
    for (let read = 0; !span.isWhole && read < MAX_EARLIER_PIECES;) {
      const { pieces, isAll } = await recentPieces(manager, this.websiteId, day, span.from, since);
      for (const piece of pieces) {
        await this.add(piece);
        span.from = piece.firstHit;
        read++;
      }
      span.isWhole = isAll;
    }
  }

  private async add(piece: HitPiece, from = 0): Promise<void> {
    this.visitors.add(await unpackHits(piece, from));
    await yieldIfNeeded();
  }

  /** What is not counted yet, the latest first. It is read anew each time: rows are not committed in the order of their ids. */
  private async readInbox(manager: EntityManager): Promise<void> {
    const rows = await manager.query<{ id: number; bytes: number }[]>(
      `SELECT id, bytes FROM inbox WHERE website_id = ? AND dropped IS NULL ORDER BY id DESC LIMIT ${MAX_INBOX_ROWS}`,
      [this.websiteId],
    );
    const [read = []] = inPieces(rows, MAX_INBOX_ROWS, MAX_INBOX_BYTES, ({ bytes }) => bytes);
    this.isInboxWhole = read.length === rows.length && rows.length < MAX_INBOX_ROWS;
    if (read.length === 0) return;
    const fetched = await manager.query<{ hits: Buffer }[]>(
      `SELECT hits FROM inbox WHERE website_id = ? AND id IN (${read.map(() => '?').join(', ')})`,
      [this.websiteId, ...read.map(({ id }) => id)],
    );
    for (const { hits } of fetched) {
      this.visitors.add(decodeHits(hits));
      await yieldIfNeeded();
    }
  }
}

import type { Database } from '../database/database';
import { changedBy, inPieces, insertAll, type Insertion } from '../database/rows';
import { encodeHits, type Hit } from '../storage/hit';
import { keptDay } from '../storage/kept-hits';
import { dueRun, unsettled } from '../storage/piece-runs';
import {
  endOf,
  lastPieces,
  MAX_PIECE_BYTES,
  packHits,
  PIECE_COLUMNS,
  piecesBetween,
  type PieceSpan,
  unpackEncoded,
} from '../storage/pieces';
import type { CountingLease } from './counting-lease';

/** More than are left small, so that a new folder knows what to put together. */
const MAX_LOADED = 64;
/** More than hits are accepted for at the same time. */
const MAX_DAYS = 8;
const BYTES_PER_PIECE = 120;

/** One row of the inbox: its hits, and their bytes as they are stored there. */
export interface InboxPiece {
  encoded: Buffer;
  hits: Hit[];
}

/** What is known of the end of a day. */
interface DayEnd {
  hits: number;
  pieces: PieceSpan[];
}

/** The pieces that were to become one are not there any more, so the transaction was rolled back. */
class PiecesChanged extends Error {}

/**
 * Adds hits to their days, and puts small pieces together. What it knows of the days is right while the website's lease
 * is unbroken: only the holder changes pieces, except that retention removes whole days.
 */
export class PieceWriter {
  private readonly days = new Map<number, DayEnd>();
  private added = new Map<number, DayEnd>();

  constructor(
    private readonly database: Database,
    private readonly lease: CountingLease,
  ) {}

  /** About how much memory it takes. */
  get bytes(): number {
    return [...this.days.values()].reduce(
      (sum, { pieces }) => sum + (pieces.length + 1) * BYTES_PER_PIECE,
      0,
    );
  }

  /** Drops what was prepared for a transaction that was not committed. */
  begin(): void {
    this.added = new Map();
  }

  /** The rows of some hits, which are in the order of acceptance. */
  async insertion(inbox: InboxPiece[]): Promise<Insertion> {
    const rows: unknown[][] = [];
    for (const [day, ofDay] of byDay(inbox)) {
      const end = await this.endOf(day);
      const pieces = [...end.pieces];
      let { hits } = end;
      for (const some of inPieces(ofDay, Infinity, MAX_PIECE_BYTES, bytesOf)) {
        const size = some.reduce((sum, piece) => sum + piece.hits.length, 0);
        const bytes = some.reduce((sum, piece) => sum + bytesOf(piece), 0);
        const lastAt = some.reduce((last, piece) => Math.max(last, lastIn(piece.hits)), 0);
        const packed = await packHits(some.map(({ encoded }) => encoded));
        rows.push([this.lease.websiteId, day, hits, size, bytes, lastAt, packed]);
        pieces.push({ firstHit: hits, size, bytes });
        hits += size;
      }
      this.added.set(day, { hits, pieces: unsettled(pieces) });
    }
    return { table: 'hit_pieces', columns: PIECE_COLUMNS, rows };
  }

  /** The transaction was committed. */
  remember(): void {
    for (const [day, end] of this.added) {
      this.days.delete(day);
      this.days.set(day, end);
    }
    for (const day of this.days.keys()) if (this.days.size > MAX_DAYS) this.days.delete(day);
    this.begin();
  }

  /** Its pieces were changed by another one. */
  forget(day: number): void {
    this.days.delete(day);
  }

  /** Puts some pieces together where they have become many; false where they have not. */
  async mergeSome(): Promise<boolean> {
    for (const [day, { pieces }] of this.days) {
      const run = dueRun(pieces);
      if (!run) continue;
      await this.merge(day, run);
      return true;
    }
    return false;
  }

  private async endOf(day: number): Promise<DayEnd> {
    const known = this.days.get(day);
    if (known) return known;
    const pieces = await lastPieces(this.database, this.lease.websiteId, day, MAX_LOADED);
    const last = pieces.at(-1);
    const hits = last ? endOf(last) : (await keptDay(this.database, this.lease.websiteId, day)).hits;
    return { hits, pieces: unsettled(pieces) };
  }

  private async merge(day: number, run: PieceSpan[]): Promise<void> {
    const end = this.days.get(day)!;
    const merged = {
      firstHit: run[0]!.firstHit,
      size: run.reduce((sum, { size }) => sum + size, 0),
      bytes: run.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    try {
      await this.write(day, run, merged);
    } catch (error) {
      if (!(error instanceof PiecesChanged)) throw error;
      this.days.delete(day);
      return;
    }
    const at = end.pieces.indexOf(run[0]!);
    end.pieces = unsettled(end.pieces.toSpliced(at, run.length, merged));
  }

  /** It is prepared without a transaction; a short one removes exactly what was read. */
  private async write(day: number, run: PieceSpan[], merged: PieceSpan): Promise<void> {
    const { websiteId } = this.lease;
    const key = [websiteId, day, merged.firstHit, run.at(-1)!.firstHit];
    const read = await piecesBetween(this.database, websiteId, day, merged.firstHit, run.at(-1)!.firstHit);
    if (read.length !== run.length) throw new PiecesChanged();
    const packed = await packHits(await Promise.all(read.map(unpackEncoded)));
    const lastAt = Math.max(...read.map((piece) => piece.lastAt));
    const row = [websiteId, day, merged.firstHit, merged.size, merged.bytes, lastAt, packed];
    await this.database.write(async (manager) => {
      await this.lease.fence(manager);
      const removed = await changedBy(
        manager,
        'DELETE FROM hit_pieces WHERE website_id = ? AND day = ? AND first_hit BETWEEN ? AND ?',
        key,
      );
      if (removed !== run.length) throw new PiecesChanged();
      await insertAll(manager, [{ table: 'hit_pieces', columns: PIECE_COLUMNS, rows: [row] }]);
    });
    this.lease.committed();
  }
}

function byDay(inbox: InboxPiece[]): Map<number, InboxPiece[]> {
  const days = new Map<number, InboxPiece[]>();
  for (const piece of inbox)
    for (const day of new Set(piece.hits.map((hit) => hit.day))) {
      const own = days.get(day) ?? [];
      days.set(day, own);
      own.push(pieceOf(piece, day));
    }
  return days;
}

function pieceOf(piece: InboxPiece, day: number): InboxPiece {
  const hits = piece.hits.filter((hit) => hit.day === day);
  return hits.length === piece.hits.length ? piece : { hits, encoded: encodeHits(hits) };
}

function lastIn(hits: Hit[]): number {
  return hits.reduce((last, { at }) => Math.max(last, at), 0);
}

function bytesOf({ encoded }: InboxPiece): number {
  return encoded.length;
}

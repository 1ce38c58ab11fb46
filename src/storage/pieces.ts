import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Queryable } from '../database/rows';
import { DamagedDay } from './damaged-hits';
import { decodeHits, type Hit, joinHits } from './hit';
import type { HitRows } from './hit-rows';

/*
 * The hits of a website and day are one sequence, in the order in which they were accepted. Each keeps its place, which
 * begins at 0. A piece is a row of `hit_pieces`: `size` hits from `first_hit` on, as one JSON array, deflated. Pieces
 * follow one another without a gap. Small ones are put together as they grow in number, which changes no place: who has
 * read so many hits of a day goes on behind them, and whether there are more, their number tells.
 */

const deflate = promisify<Buffer, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

/** Not deflated, besides a hit that is larger: the driver doubles the bytes, and packets hold 1 MiB. */
export const MAX_PIECE_BYTES = 448 * 1024;
const PIECES_AT_ONCE = 8;
/** What pieces that are read at once take, one of them as hits, besides a hit that is larger than a piece should be. */
export const MAX_BYTES_READ_AT_ONCE = (PIECES_AT_ONCE + 8) * MAX_PIECE_BYTES;
export const PIECE_COLUMNS = ['website_id', 'day', 'first_hit', 'size', 'bytes', 'last_at', 'hits'];
/** Most of them are small, or none of them has a hit of late. */
const PIECES_LOOKED_AT = 512;

/** Which hits of a day a piece holds, and their bytes before they are deflated. */
export interface PieceSpan {
  firstHit: number;
  size: number;
  bytes: number;
}

/** Some hits of a day as they are stored. */
export interface HitPiece {
  websiteId: number;
  day: number;
  firstHit: number;
  size: number;
  /** The moment of the latest of its hits, in seconds. */
  lastAt: number;
  packed: Buffer;
}

/** The place behind the last hit of a piece. */
export function endOf({ firstHit, size }: Pick<HitPiece, 'firstHit' | 'size'>): number {
  return firstHit + size;
}

/** Puts encoded hits together without reading them. */
export function packHits(encoded: Buffer[]): Promise<Buffer> {
  return deflate(joinHits(encoded));
}

/** The hits of a piece as they were encoded. */
export async function unpackEncoded(piece: HitPiece): Promise<Buffer> {
  return inflate(piece.packed).catch(() => {
    throw new DamagedPiece(piece);
  });
}

/** The hits of a piece from one place to before another one. */
export async function unpackHits(piece: HitPiece, from = 0, before = Infinity): Promise<Hit[]> {
  const hits = await inflate(piece.packed)
    .then(decodeHits)
    .catch(() => undefined);
  if (hits?.length !== piece.size) throw new DamagedPiece(piece);
  return hits.slice(Math.max(0, from - piece.firstHit), Math.max(0, before - piece.firstHit));
}

/** The hits of a piece as rows instead of those that they have. */
export async function unpackRows(piece: HitPiece, rows: HitRows): Promise<void> {
  const encoded = await unpackEncoded(piece);
  try {
    rows.read(encoded, piece.size);
  } catch {
    throw new DamagedPiece(piece);
  }
}

export class DamagedPiece extends DamagedDay {
  constructor({ websiteId, day, firstHit }: Pick<HitPiece, 'websiteId' | 'day' | 'firstHit'>) {
    super(websiteId, day, `from number ${firstHit} on`);
  }
}

/** A day that is not there any more, or not from its beginning on. */
export class HitsRemoved extends Error {
  constructor(
    readonly websiteId: number,
    readonly day: number,
    readonly firstHit: number,
  ) {
    super(`Hits of website ${websiteId} and day ${day} were removed meanwhile.`);
  }

  /** Where nobody removed them, they are missing. */
  asDamage(): DamagedPiece {
    return new DamagedPiece(this);
  }
}

/** The last pieces of a day, in their order. */
export async function lastPieces(
  reader: Queryable,
  websiteId: number,
  day: number,
  limit: number,
): Promise<PieceSpan[]> {
  const pieces = await reader.query<PieceSpan[]>(
    `SELECT first_hit AS firstHit, size, bytes FROM hit_pieces WHERE website_id = ? AND day = ?
    ORDER BY first_hit DESC LIMIT ${limit}`,
    [websiteId, day],
  );
  return pieces.reverse();
}

/** The next pieces of a day; the first one may begin before the place. There have to be hits from that place on. */
export async function nextPieces(
  reader: Queryable,
  websiteId: number,
  day: number,
  place: number,
): Promise<HitPiece[]> {
  const pieces = await selectPieces(
    reader,
    websiteId,
    day,
    `first_hit + size > ? AND first_hit >= COALESCE(
      (SELECT MAX(first_hit) FROM hit_pieces WHERE website_id = ? AND day = ? AND first_hit <= ?), 0)
    ORDER BY first_hit LIMIT ${PIECES_AT_ONCE}`,
    [place, websiteId, day, place],
  );
  let end = place;
  for (const piece of pieces) {
    if (piece.firstHit > end) throw new HitsRemoved(websiteId, day, end);
    end = endOf(piece);
  }
  if (end === place) throw new HitsRemoved(websiteId, day, place);
  return pieces;
}

/** The pieces from one to another one, by their first hits. */
export function piecesBetween(
  reader: Queryable,
  websiteId: number,
  day: number,
  first: number,
  last: number,
): Promise<HitPiece[]> {
  const condition = 'first_hit BETWEEN ? AND ? ORDER BY first_hit';
  return selectPieces(reader, websiteId, day, condition, [first, last]);
}

/** The last pieces before a place that have a hit since a moment, from behind; `isAll` where there are no more. */
export async function recentPieces(
  reader: Queryable,
  websiteId: number,
  day: number,
  before: number,
  since: number,
): Promise<{ pieces: HitPiece[]; isAll: boolean }> {
  const heads = await reader.query<{ firstHit: number; lastAt: number | string }[]>(
    `SELECT first_hit AS firstHit, last_at AS lastAt FROM hit_pieces
    WHERE website_id = ? AND day = ? AND first_hit < ? ORDER BY first_hit DESC LIMIT ${PIECES_LOOKED_AT}`,
    [websiteId, day, before],
  );
  const recent = heads.filter(({ lastAt }) => Number(lastAt) >= since);
  const places = recent.slice(0, PIECES_AT_ONCE).map(({ firstHit }) => firstHit);
  if (places.length === 0) return { pieces: [], isAll: true };
  const condition = `first_hit IN (${places.map(() => '?').join(', ')}) ORDER BY first_hit DESC`;
  const pieces = await selectPieces(reader, websiteId, day, condition, places);
  return { pieces, isAll: recent.length <= PIECES_AT_ONCE && heads.length < PIECES_LOOKED_AT };
}

async function selectPieces(
  reader: Queryable,
  websiteId: number,
  day: number,
  condition: string,
  parameters: unknown[],
): Promise<HitPiece[]> {
  const rows = await reader.query<Pick<HitPiece, 'firstHit' | 'size' | 'lastAt' | 'packed'>[]>(
    `SELECT first_hit AS firstHit, size, last_at AS lastAt, hits AS packed FROM hit_pieces
    WHERE website_id = ? AND day = ? AND ${condition}`,
    [websiteId, day, ...parameters],
  );
  return rows.map((row) => ({ websiteId, day, ...row, lastAt: Number(row.lastAt) }));
}

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { EntityManager } from 'typeorm';
import { inPieces, type Insertion, type Queryable } from '../database/rows';
import type { Span } from './calendar';
import { decodeHits, encodeHits, type Hit, joinHits } from './hit';

const deflate = promisify<Buffer, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);
/** Uncompressed, and before the driver doubles it. */
const MAX_ROW_BYTES = 256 * 1024;
/** So many rows are read at once. */
const MAX_ROWS = 16;
/** What such rows take, compressed and one of them as hits, besides a hit that is larger than a row should be. */
export const MAX_BYTES_OF_PIECE = 8 * 1024 * 1024;
const COLUMNS = ['website_id', 'day', 'fold', 'part', 'size', 'hits'];

/** One row of the inbox: its hits, and their bytes as they are stored there. */
export interface InboxPiece {
  encoded: Buffer;
  hits: Hit[];
}

/** The hits of one fold as rows of the archive; those of a day are in the order of acceptance. */
export async function archiveInsertion(
  websiteId: number,
  fold: number,
  pieces: InboxPiece[],
): Promise<Insertion> {
  const rows: unknown[][] = [];
  for (const [day, ofDay] of byDay(pieces))
    for (const [part, some] of [...inPieces(ofDay, Infinity, MAX_ROW_BYTES, bytesOf)].entries()) {
      const size = some.reduce((sum, { hits }) => sum + hits.length, 0);
      const data = await deflate(joinHits(some.map(({ encoded }) => encoded)));
      rows.push([websiteId, day, fold, part, size, data]);
    }
  return { table: 'archive', columns: COLUMNS, rows };
}

function byDay(pieces: InboxPiece[]): Map<number, InboxPiece[]> {
  const days = new Map<number, InboxPiece[]>();
  for (const piece of pieces)
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

function bytesOf({ encoded }: InboxPiece): number {
  return encoded.length;
}

export interface ArchivedDay {
  day: number;
  hits: number;
  /** The last fold that archived any of them. */
  lastFold: number;
}

const LAST_DAY = 2 ** 31 - 1;

/** The days of a span that lie wholly in the archive of a website. */
export async function archivedDays(
  manager: EntityManager,
  websiteId: number,
  { from = 0, to = LAST_DAY }: Partial<Span> = {},
): Promise<ArchivedDay[]> {
  const rows = await manager.query<{ day: number; hits: number | string; last_fold: number | string }[]>(
    `SELECT archive.day AS day, SUM(archive.size) AS hits, MAX(archive.fold) AS last_fold
    FROM archive INNER JOIN counting ON counting.website_id = archive.website_id
    WHERE archive.website_id = ? AND archive.day >= counting.archived_from AND archive.day BETWEEN ? AND ?
    GROUP BY archive.day ORDER BY archive.day`,
    [websiteId, from, to],
  );
  return rows.map(({ day, hits, last_fold }) => ({
    day,
    hits: Number(hits),
    lastFold: Number(last_fold),
  }));
}

/** The days of a span that have hits, each with the last fold that archived any. */
export async function archivedFolds(
  reader: Queryable,
  websiteId: number,
  { from, to }: Span,
): Promise<Map<number, number>> {
  const rows = await reader.query<{ day: number; last: number | string }[]>(
    `SELECT day, MAX(fold) AS last FROM archive
    WHERE website_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`,
    [websiteId, from, to],
  );
  return new Map(rows.map(({ day, last }) => [day, Number(last)]));
}

/** The first day that may lie wholly in the archive. */
export async function archiveBeginsOn(manager: EntityManager, websiteId: number): Promise<number> {
  const [row] = await manager.query<{ archived_from: number }[]>(
    'SELECT archived_from FROM counting WHERE website_id = ?',
    [websiteId],
  );
  return row!.archived_from;
}

/** Up to where the archive of a day was read. Rows are only ever added behind it. */
export interface ArchivePosition {
  fold: number;
  part: number;
}

export const ARCHIVE_BEGIN: ArchivePosition = { fold: -1, part: 0 };

export interface ArchivedPiece {
  /** The rows as they are stored, in the order of acceptance. */
  packed: Buffer[];
  position: ArchivePosition;
  isLast: boolean;
}

/** The next piece of a day behind a position, up to a fold. */
export async function archivedPiece(
  reader: Queryable,
  websiteId: number,
  day: number,
  { fold, part }: ArchivePosition,
  lastFold = Number.MAX_SAFE_INTEGER,
): Promise<ArchivedPiece> {
  const rows = await reader.query<{ fold: number; part: number; hits: Buffer }[]>(
    `SELECT fold, part, hits FROM archive WHERE website_id = ? AND day = ?
    AND (fold > ? OR (fold = ? AND part > ?)) AND fold <= ? ORDER BY fold, part LIMIT ${MAX_ROWS}`,
    [websiteId, day, fold, fold, part, lastFold],
  );
  const last = rows.at(-1);
  return {
    packed: rows.map(({ hits }) => hits),
    position: last ? { fold: Number(last.fold), part: last.part } : { fold, part },
    isLast: rows.length < MAX_ROWS,
  };
}

/** The last fold that archived anything of a day. */
export async function lastArchivedFold(reader: Queryable, websiteId: number, day: number): Promise<number> {
  const [row] = await reader.query<{ last: number | null }[]>(
    'SELECT MAX(fold) AS last FROM archive WHERE website_id = ? AND day = ?',
    [websiteId, day],
  );
  return Number(row!.last ?? ARCHIVE_BEGIN.fold);
}

export async function unpackHits(packed: Buffer): Promise<Hit[]> {
  return decodeHits(await inflate(packed));
}

/** The hits of a day in the order in which they were accepted, a piece at a time. */
export async function* archivedHits(
  manager: EntityManager,
  websiteId: number,
  day: number,
): AsyncGenerator<Hit[]> {
  for (let position = ARCHIVE_BEGIN, isLast = false; !isLast;) {
    const piece = await archivedPiece(manager, websiteId, day, position);
    for (const packed of piece.packed) yield await unpackHits(packed);
    ({ position, isLast } = piece);
  }
}

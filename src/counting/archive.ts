import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { EntityManager } from 'typeorm';
import { decodeHits, encodeHits, type Hit, joinHits } from './hit';
import { insertRows } from '../database/rows';

const deflate = promisify<Buffer, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);
const MOST_ROWS = 20;

/** Hits as they stood in a row of the inbox, and what was read there. */
export interface Piece {
  encoded: Buffer;
  hits: Hit[];
}

/** Keeps the hits of one fold, each day's as one row; rows of a day are in the order of acceptance. */
export async function archiveHits(
  manager: EntityManager,
  websiteId: number,
  fold: number,
  pieces: Piece[],
): Promise<void> {
  const sizes = new Map<number, number>();
  for (const { hits } of pieces) for (const { day } of hits) sizes.set(day, (sizes.get(day) ?? 0) + 1);
  const rows: unknown[][] = [];
  for (const [day, size] of sizes) {
    const hits = joinHits(pieces.map((piece) => encodedOf(piece, day)));
    rows.push([websiteId, day, fold, size, await deflate(hits)]);
  }
  await insertRows(manager, 'archive', ['website_id', 'day', 'fold', 'size', 'hits'], rows);
}

function encodedOf({ encoded, hits }: Piece, day: number): Buffer {
  const ofDay = hits.filter((hit) => hit.day === day);
  return ofDay.length === hits.length ? encoded : encodeHits(ofDay);
}

export interface ArchivedDay {
  day: number;
  hits: number;
}

/** The days that lie wholly in the archive of a website. */
export async function archivedDays(manager: EntityManager, websiteId: number): Promise<ArchivedDay[]> {
  const rows = await manager.query<{ day: number; hits: number | string }[]>(
    `SELECT archive.day AS day, SUM(archive.size) AS hits
    FROM archive INNER JOIN counting ON counting.website_id = archive.website_id
    WHERE archive.website_id = ? AND archive.day >= counting.archived_from
    GROUP BY archive.day ORDER BY archive.day`,
    [websiteId],
  );
  return rows.map(({ day, hits }) => ({ day, hits: Number(hits) }));
}

/** The first day that may lie wholly in the archive. */
export async function archiveBeginsOn(manager: EntityManager, websiteId: number): Promise<number> {
  const [row] = await manager.query<{ archived_from: number }[]>(
    'SELECT archived_from FROM counting WHERE website_id = ?',
    [websiteId],
  );
  return row!.archived_from;
}

/** The hits of a day in the order in which they were accepted, a piece at a time. */
export async function* archivedHits(
  manager: EntityManager,
  websiteId: number,
  day: number,
): AsyncGenerator<Hit[]> {
  for (let after = -1; ;) {
    const rows = await manager.query<{ fold: number; hits: Buffer }[]>(
      `SELECT fold, hits FROM archive WHERE website_id = ? AND day = ? AND fold > ? ORDER BY fold LIMIT ${MOST_ROWS}`,
      [websiteId, day, after],
    );
    for (const { hits } of rows) yield decodeHits(await inflate(hits));
    if (rows.length < MOST_ROWS) return;
    after = Number(rows.at(-1)!.fold);
  }
}

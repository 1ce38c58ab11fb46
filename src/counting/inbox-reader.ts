import { yieldIfNeeded } from '../common/yield-if-needed';
import type { Database } from '../database/database';
import { inPieces } from '../database/rows';
import { decodeHits } from '../storage/hit';
import type { KeyedPiece } from './browser-ids';

export const INBOX_INDEX = 'inbox_of_website';
const MAX_FETCHED_BYTES = 1024 * 1024;
const MAX_FETCHED_ROWS = 500;

/** How much of an inbox one fold takes. */
export interface FoldLimits {
  rows: number;
  hits: number;
  bytes: number;
}

export interface InboxPieces {
  ids: number[];
  pieces: KeyedPiece[];
  /** More rows are waiting behind these. */
  hasMore: boolean;
}

interface RowSize {
  id: number;
  size: number;
  bytes: number;
}

/** Reads the oldest rows of a website's inbox: first their sizes, then the hits of those that fit the limits. */
export async function readInbox(
  database: Database,
  websiteId: number,
  limits: FoldLimits,
): Promise<InboxPieces> {
  const sizes = await database.query<RowSize[]>(
    `SELECT id, size, bytes FROM inbox ${database.dialect.useIndex(INBOX_INDEX)}
    WHERE website_id = ? ORDER BY id LIMIT ${limits.rows + 1}`,
    [websiteId],
  );
  const chosen = firstOf(sizes, limits);
  const pieces = await fetchPieces(database, websiteId, chosen);
  return { ids: chosen.map(({ id }) => id), pieces, hasMore: chosen.length < sizes.length };
}

async function fetchPieces(database: Database, websiteId: number, rows: RowSize[]): Promise<KeyedPiece[]> {
  const pieces: KeyedPiece[] = [];
  for (const some of inPieces(rows, MAX_FETCHED_ROWS, MAX_FETCHED_BYTES, ({ bytes }) => bytes)) {
    const fetched = await database.query<{ hits: Buffer; event_keys: Buffer | null }[]>(
      `SELECT hits, event_keys FROM inbox WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')}) ORDER BY id`,
      [websiteId, ...some.map(({ id }) => id)],
    );
    for (const { hits, event_keys } of fetched) {
      pieces.push({ encoded: hits, hits: decodeHits(hits), eventKeys: event_keys });
      await yieldIfNeeded();
    }
  }
  return pieces;
}

/** At least one row, however large it is. */
function firstOf(rows: RowSize[], limits: FoldLimits): RowSize[] {
  let hits = 0;
  let bytes = 0;
  const end = rows.findIndex(
    (row, index) =>
      index === limits.rows || (hits += row.size) > limits.hits || (bytes += row.bytes) > limits.bytes,
  );
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

import { yieldIfNeeded } from '../../common/time/yield-if-needed';
import type { Database } from '../../database/database';
import { inPieces } from '../../database/rows';
import { DamagedInboxRow } from '../../storage/damaged-hits';
import { decodeDropped, type DroppedCount } from '../../storage/events/dropped-events';
import { decodeHits } from '../../storage/hit';
import type { KeyedPiece } from './browser-ids';

export const INBOX_INDEX = 'inbox_of_website';
const MAX_FETCHED_BYTES = 1024 * 1024;
const MAX_FETCHED_ROWS = 500;

/** The limits of a fold. */
export interface FoldLimits {
  rows: number;
  hits: number;
  bytes: number;
}

interface InboxPieces {
  ids: number[];
  pieces: KeyedPiece[];
  dropped: DroppedCount[];
  /** Whether more rows are waiting. */
  hasMore: boolean;
}

interface InboxRow {
  id: number;
  size: number;
  accepted_at: number | string;
  hits: Buffer;
  event_keys: Buffer | null;
  dropped: Buffer | null;
}

interface RowSize {
  id: number;
  size: number;
  bytes: number;
}

/** Reads the oldest rows of a website's inbox: first their sizes, then the rows that fit the limits. */
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
  const fetched = await fetchRows(database, websiteId, chosen);
  return { ids: chosen.map(({ id }) => id), ...fetched, hasMore: chosen.length < sizes.length };
}

async function fetchRows(
  database: Database,
  websiteId: number,
  rows: RowSize[],
): Promise<Pick<InboxPieces, 'pieces' | 'dropped'>> {
  const pieces: KeyedPiece[] = [];
  const sums: DroppedCount[] = [];
  for (const some of inPieces(rows, MAX_FETCHED_ROWS, MAX_FETCHED_BYTES, ({ bytes }) => bytes)) {
    const fetched = await database.query<InboxRow[]>(
      `SELECT id, size, accepted_at, hits, event_keys, dropped FROM inbox WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')}) ORDER BY id`,
      [websiteId, ...some.map(({ id }) => id)],
    );
    for (const { id, size, accepted_at, hits, event_keys, dropped } of fetched) {
      if (dropped) sums.push(...decoded(websiteId, id, () => decodeDropped(dropped)));
      else
        pieces.push({
          bytes: hits.length,
          hits: decoded(websiteId, id, () => decodeHits(hits), size),
          eventKeys: event_keys,
          acceptedAt: Number(accepted_at),
        });
      await yieldIfNeeded();
    }
  }
  return { pieces, dropped: sums };
}

function decoded<T>(websiteId: number, id: number, decode: () => T[], size?: number): T[] {
  try {
    const all = decode();
    if (size === undefined || all.length === size) return all;
  } catch {
    // Its message may quote what a visitor sent.
  }
  throw new DamagedInboxRow(websiteId, id);
}

/** At least one row, whatever its size. */
function firstOf(rows: RowSize[], limits: FoldLimits): RowSize[] {
  let hits = 0;
  let bytes = 0;
  const end = rows.findIndex(
    (row, index) =>
      index === limits.rows || (hits += row.size) > limits.hits || (bytes += row.bytes) > limits.bytes,
  );
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

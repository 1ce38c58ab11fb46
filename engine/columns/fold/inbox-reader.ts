import type { Database } from '../../database/database';
import { inPieces } from '../../database/rows';
import { DamagedInboxRow } from '../damaged-hits';
import { decodeDropped, type DroppedCount } from '../../hits/events/dropped-events';
import { decodeHits, type Hit } from '../../hits/hit';

export const INBOX_INDEX = 'inbox_of_website';
const MAX_FETCHED_BYTES = 1024 * 1024;
const MAX_FETCHED_ROWS = 500;

/** The limits of a fold. */
export interface FoldLimits {
  rows: number;
  hits: number;
  bytes: number;
}

/** A row with hits. They are decoded one row at a time, because they take far more memory than their bytes. */
export interface InboxRow {
  id: number;
  /** The number of hits. */
  size: number;
  hits: Buffer;
  /** The keys of the hits, for those with an id of a browser. */
  eventKeys: Buffer | null;
  /** By the database's clock. */
  acceptedAt: number;
}

interface InboxRows {
  ids: number[];
  rows: InboxRow[];
  dropped: DroppedCount[];
  /** Tells whether more rows are waiting. */
  hasMore: boolean;
}

interface FetchedRow extends Omit<InboxRow, 'acceptedAt'> {
  acceptedAt: number | string;
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
): Promise<InboxRows> {
  const sizes = await database.query<RowSize[]>(
    `SELECT id, size, bytes FROM inbox ${database.dialect.useIndex(INBOX_INDEX)}
    WHERE website_id = ? ORDER BY id LIMIT ${limits.rows + 1}`,
    [websiteId],
  );
  const chosen = firstOf(sizes, limits);
  const fetched = await fetchRows(database, websiteId, chosen);
  return { ids: chosen.map(({ id }) => id), ...fetched, hasMore: chosen.length < sizes.length };
}

export function hitsOf(websiteId: number, { id, size, hits }: InboxRow): Hit[] {
  return decoded(websiteId, id, () => decodeHits(hits), size);
}

async function fetchRows(
  database: Database,
  websiteId: number,
  sizes: RowSize[],
): Promise<Pick<InboxRows, 'rows' | 'dropped'>> {
  const rows: InboxRow[] = [];
  const sums: DroppedCount[] = [];
  for (const some of inPieces(sizes, MAX_FETCHED_ROWS, MAX_FETCHED_BYTES, ({ bytes }) => bytes)) {
    const fetched = await database.query<FetchedRow[]>(
      `SELECT id, size, accepted_at AS acceptedAt, hits, event_keys AS eventKeys, dropped FROM inbox
      WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')}) ORDER BY id`,
      [websiteId, ...some.map(({ id }) => id)],
    );
    for (const { dropped, acceptedAt, ...row } of fetched) {
      if (dropped) sums.push(...decoded(websiteId, row.id, () => decodeDropped(dropped)));
      else rows.push({ ...row, acceptedAt: Number(acceptedAt) });
    }
  }
  return { rows, dropped: sums };
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

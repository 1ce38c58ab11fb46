import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Database } from '../../database/database';
import { placeholdersFor } from '../../database/rows';
import { INBOX_INDEX } from './inbox-reader';

/** The number of websites, or of rows of one, that one read looks at. */
export const WEBSITES_AT_ONCE = 200;
const ROWS_AT_ONCE = 1000;
/** Another limit beside that of bytes, because a row with one small event has less than 200 bytes. */
const MAX_ROWS = 30_000;
/** Greater than the id of any row. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The rows of a website in the inbox, at a moment by the database's clock. */
export interface WaitingRows {
  websiteId: number;
  isDeleted: boolean;
  /** Ids. */
  oldest: number;
  newest: number;
  /** When the oldest was accepted. */
  acceptedAt: number;
  now: number;
}

/** The number of rows that may still be read. */
export interface RowBudget {
  rows: number;
}

/** The next websites after an id that have rows in the inbox. */
export function readWaitingAfter(database: Database, websiteId: number): Promise<WaitingRows[]> {
  const websites = database.dialect.distinctAfter('inbox', 'website_id', WEBSITES_AT_ONCE);
  return readWaiting(database, websites, [websiteId]);
}

/** The rows of these websites. A website without rows is left out. */
export function readWaitingOf(database: Database, websiteIds: number[]): Promise<WaitingRows[]> {
  const websites = `SELECT id AS website_id FROM websites WHERE id IN ${placeholdersFor(websiteIds)}`;
  return readWaiting(database, websites, websiteIds);
}

/** MIN and MAX of a website's ids read all of its rows on MariaDB. On MySQL, ordering only by `id` reads all of them, too. */
async function readWaiting(
  database: Database,
  websites: string,
  parameters: number[],
): Promise<WaitingRows[]> {
  const { now, useIndex } = database.dialect;
  const first = (column: string, direction: 'ASC' | 'DESC') =>
    `(SELECT ${column} FROM inbox ${useIndex(INBOX_INDEX)}
      WHERE inbox.website_id = waiting.website_id ORDER BY website_id ${direction}, id ${direction} LIMIT 1)`;
  const rows = await database.readQuick((manager) =>
    manager.query<Record<keyof WaitingRows, number | string | null>[]>(
      `SELECT website_id AS websiteId, ${now} AS now, ${first('id', 'ASC')} AS oldest,
        ${first('id', 'DESC')} AS newest, ${first('accepted_at', 'ASC')} AS acceptedAt,
        CASE WHEN website_id IN (SELECT website_id FROM deleted_websites) THEN 1 ELSE 0 END AS isDeleted
      FROM (${websites}) waiting`,
      parameters,
    ),
  );
  return rows
    .filter(({ oldest }) => oldest !== null)
    .map((row) => ({
      websiteId: Number(row.websiteId),
      isDeleted: Number(row.isDeleted) === 1,
      oldest: Number(row.oldest),
      newest: Number(row.newest),
      acceptedAt: Number(row.acceptedAt),
      now: Number(row.now),
    }));
}

/**
 * An id so that the rows from it on have more than a number of bytes, or are very many. Undefined if all rows after
 * another id have less. It reads backwards from the newest row, in short reads.
 */
export async function findLastRows(
  database: Database,
  websiteId: number,
  { after = 0, bytes }: { after?: number; bytes: number },
  budget: RowBudget,
): Promise<number | undefined> {
  const sum = { rows: 0, bytes: 0, first: MAX_ID };
  while (sum.rows < MAX_ROWS) {
    const read = await readBefore(database, websiteId, after, sum.first);
    budget.rows -= read.rows;
    sum.rows += read.rows;
    sum.bytes += read.bytes;
    if (sum.bytes > bytes) return read.first;
    if (read.rows < ROWS_AT_ONCE) return undefined;
    sum.first = read.first;
    await yieldIfNeeded();
  }
  return sum.first;
}

async function readBefore(
  database: Database,
  websiteId: number,
  after: number,
  before: number,
): Promise<{ rows: number; bytes: number; first: number }> {
  const [read] = await database.readQuick((manager) =>
    manager.query<Record<'number' | 'bytes' | 'first', number | string | null>[]>(
      `SELECT COUNT(*) AS number, SUM(bytes) AS bytes, MIN(id) AS first FROM (
        SELECT id, bytes FROM inbox ${database.dialect.useIndex(INBOX_INDEX)}
        WHERE website_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ${ROWS_AT_ONCE}
      ) waiting`,
      [websiteId, after, before],
    ),
  );
  return { rows: Number(read!.number), bytes: Number(read!.bytes), first: Number(read!.first) };
}

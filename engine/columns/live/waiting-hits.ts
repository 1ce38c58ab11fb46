import type { Queryable } from '../../database/rows';
import { inPieces } from '../../database/rows';
import { DamagedInboxRow } from '../damaged-hits';
import { decodeHits, type Hit } from '../../hits/hit';
import { type Check, pause } from '../../ground/deadline-check';

const MAX_ROWS = 4000;
const MAX_BYTES = 8 * 1024 * 1024;
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 1024 * 1024;

/** The hits of a website in the inbox, or the latest of them. */
export async function waitingHits(
  reader: Queryable,
  websiteId: number,
  check: Check = () => undefined,
): Promise<{ hits: Hit[]; isWhole: boolean }> {
  const rows = await reader.query<{ id: number; bytes: number }[]>(
    `SELECT id, bytes FROM inbox WHERE website_id = ? AND dropped IS NULL ORDER BY id DESC LIMIT ${MAX_ROWS}`,
    [websiteId],
  );
  const [read = []] = inPieces(rows, MAX_ROWS, MAX_BYTES, ({ bytes }) => bytes);
  const hits: Hit[] = [];
  for (const some of inPieces(read, ROWS_AT_ONCE, BYTES_AT_ONCE, ({ bytes }) => bytes)) {
    const fetched = await reader.query<{ id: number; hits: Buffer; size: number }[]>(
      `SELECT id, hits, size FROM inbox WHERE website_id = ? AND id IN (${some.map(() => '?').join(', ')})`,
      [websiteId, ...some.map(({ id }) => id)],
    );
    for (const { id, hits: encoded, size } of fetched) {
      const own = readable(encoded);
      if (own?.length !== size) throw new DamagedInboxRow(websiteId, id);
      for (const hit of own) hits.push(hit);
      await pause(check);
    }
  }
  return { hits, isWhole: read.length === rows.length && rows.length < MAX_ROWS };
}

function readable(encoded: Buffer): Hit[] | undefined {
  try {
    return decodeHits(encoded);
  } catch {
    return undefined;
  }
}

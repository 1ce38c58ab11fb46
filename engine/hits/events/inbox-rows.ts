import { inPieces } from '../../database/rows';
import { encodeHit, type Hit, joinHits } from '../hit';
import { joinEventKeys } from './event-key';

export const INBOX_COLUMNS = 'website_id, accepted_at, size, bytes, hits, event_keys';
/** The driver doubles bytes to hexadecimal in a statement. The largest hit is far smaller. */
export const MAX_INBOX_ROW_BYTES = 100 * 1024;
const MAX_ROW_HITS = 1000;

/** Accepted hits of one website, with the event ids that browsers sent. */
export interface HitsOfWebsite {
  hits: Hit[];
  browserIds: (string | null)[];
}

/** A row of the inbox, small enough for one statement. */
interface InboxRow {
  websiteId: number;
  size: number;
  hits: Buffer;
  eventKeys: Buffer | null;
}

/** The rows of one website, in the order of its hits. Each hit is encoded once. */
export function inboxRows(websiteId: number, { hits, browserIds }: HitsOfWebsite): InboxRow[] {
  const rows: InboxRow[] = [];
  let from = 0;
  for (const some of inPieces(hits.map(encodeHit), MAX_ROW_HITS, MAX_INBOX_ROW_BYTES - 2, bytesInList)) {
    const end = from + some.length;
    const eventKeys = joinEventKeys('browser', browserIds.slice(from, end));
    rows.push({ websiteId, size: some.length, hits: joinHits(some), eventKeys });
    from = end;
  }
  return rows;
}

/** Includes the separator. */
function bytesInList(encoded: string): number {
  return Buffer.byteLength(encoded) + 1;
}

export function bytesOf({ hits, eventKeys }: InboxRow): number {
  return hits.length + (eventKeys?.length ?? 0);
}

import { joinEventKeys } from '../storage/event-key';
import { encodeHits, type Hit } from '../storage/hit';

export const INBOX_COLUMNS = 'website_id, accepted_at, size, bytes, hits, event_keys';
export const EVENT_ID_COLUMNS = ['website_id', 'event_id', 'batch', 'accepted_at'];
/** The driver writes bytes in hexadecimal, twice as long in a statement; the largest hit is far smaller. */
export const MAX_ROW_BYTES = 100 * 1024;
const MAX_ROW_HITS = 1000;

/** Accepted hits of one website, and the id of each where a browser sent one. */
export interface AcceptedHits {
  hits: Hit[];
  browserIds: (string | null)[];
}

/** A row of the inbox, small enough for one statement. */
export interface InboxRow {
  websiteId: number;
  size: number;
  hits: Buffer;
  eventKeys: Buffer | null;
}

/** The rows of one website, in the order of its hits. */
export function inboxRows(websiteId: number, accepted: AcceptedHits): InboxRow[] {
  const { hits, browserIds } = accepted;
  if (hits.length <= MAX_ROW_HITS) {
    const encoded = encodeHits(hits);
    if (hits.length === 1 || encoded.length <= MAX_ROW_BYTES)
      return [
        { websiteId, size: hits.length, hits: encoded, eventKeys: joinEventKeys('browser', browserIds) },
      ];
  }
  const middle = Math.ceil(hits.length / 2);
  const part = (from: number, to?: number) =>
    inboxRows(websiteId, { hits: hits.slice(from, to), browserIds: browserIds.slice(from, to) });
  return [...part(0, middle), ...part(middle)];
}

export function bytesOf({ hits, eventKeys }: InboxRow): number {
  return hits.length + (eventKeys?.length ?? 0);
}

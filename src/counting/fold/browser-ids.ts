import { yieldIfNeeded } from '../../common/time/yield-if-needed';
import { inChunks, type Insertion, type Queryable } from '../../database/rows';
import { eventKeyAt } from '../../storage/events/event-key';
import type { InboxPiece } from './batch-writer';

const KEYS_PER_QUERY = 500;
/** Browser ids need no batch, because only the holder of the website's lease inserts them. */
const NO_BATCH = Buffer.alloc(0);

/** A piece of the inbox, with the keys of its events. */
export interface KeyedPiece extends InboxPiece {
  eventKeys: Buffer | null;
}

interface ClaimedId {
  key: Buffer;
  acceptedAt: number;
}

interface NewHits {
  pieces: InboxPiece[];
  ids: Insertion;
}

/**
 * Leaves out hits of browsers with a known or repeated id, and lists the ids to insert. Ids of browsers are claimed
 * here and not before the response, because a browser is never told about a duplicate.
 */
export async function withoutDuplicates(
  reader: Queryable,
  websiteId: number,
  pieces: KeyedPiece[],
): Promise<NewHits> {
  const known = await readKnownKeys(reader, websiteId, pieces);
  const added = new Map<string, ClaimedId>();
  const isNew = (key: Buffer, acceptedAt: number) => {
    const text = textOf(key);
    if (known.has(text) || added.has(text)) return false;
    added.set(text, { key, acceptedAt });
    return true;
  };
  const remaining = pieces.map((piece) => newHitsOf(piece, isNew)).filter(({ hits }) => hits.length > 0);
  return { pieces: remaining, ids: await insertionOf(websiteId, [...added.values()]) };
}

function newHitsOf(
  { hits, bytes, eventKeys, acceptedAt }: KeyedPiece,
  isNew: (key: Buffer, acceptedAt: number) => boolean,
): InboxPiece {
  if (!eventKeys) return { hits, bytes, acceptedAt };
  const remaining = hits.filter((_, index) => {
    const key = eventKeyAt(eventKeys, index);
    return !key || isNew(key, acceptedAt);
  });
  return { hits: remaining, bytes, acceptedAt };
}

async function readKnownKeys(
  reader: Queryable,
  websiteId: number,
  pieces: KeyedPiece[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (const keys of inChunks([...keysIn(pieces)], KEYS_PER_QUERY)) {
    const rows = await reader.query<{ event_id: Buffer }[]>(
      `SELECT event_id FROM event_ids WHERE website_id = ? AND event_id IN (${keys.map(() => '?').join(', ')})`,
      [websiteId, ...keys],
    );
    for (const { event_id } of rows) known.add(textOf(event_id));
  }
  return known;
}

function* keysIn(pieces: KeyedPiece[]): Generator<Buffer> {
  for (const { hits, eventKeys } of pieces)
    for (let index = 0; eventKeys && index < hits.length; index++) {
      const key = eventKeyAt(eventKeys, index);
      if (key) yield key;
    }
}

/** Sorted in pieces: ids scatter over the whole index anyway, and sorting all would block the event loop. */
async function insertionOf(websiteId: number, ids: ClaimedId[]): Promise<Insertion> {
  const rows: unknown[][] = [];
  for (const chunk of inChunks(ids, KEYS_PER_QUERY)) {
    chunk.sort((one, other) => Buffer.compare(one.key, other.key));
    for (const { key, acceptedAt } of chunk) rows.push([websiteId, key, NO_BATCH, acceptedAt]);
    await yieldIfNeeded();
  }
  return { table: 'event_ids', columns: ['website_id', 'event_id', 'batch', 'accepted_at'], rows };
}

function textOf(key: Buffer): string {
  return key.toString('latin1');
}

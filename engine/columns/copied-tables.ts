import { createCipheriv, randomBytes, randomInt } from 'node:crypto';
import { VISITOR_BYTES } from '../ground/visitor-bytes';
import { ID_STEP_MS } from '../hits/events/event-key';
import { decodeHits, encodeHits } from '../hits/hit';
import { SALT_OUTLIVES_DAY_MS } from '../hits/rules/salt-lifetime';
import { changedHashes } from './batches/batch';
import { changedVisitorRow } from './ordering/day-visitors';

const KEY_BYTES = 16;
const BLOCK_BYTES = 16;

/** How the rows of a table are copied without hashes of visitors. */
export interface RowsWithoutHashes {
  /** What follows FROM. The table is `own`, and only some of its rows may be copied. */
  readonly from: string;
  /** What the change needs besides the columns of the row, in SQL, by name. */
  readonly needs: Record<string, string>;
  /** Other values of columns, in SQL. */
  readonly instead?: Record<string, string>;
  readonly column: string;
  /** The bytes of the column. `row` has the numbers of the row. */
  change(row: Record<string, number>, bytes: Buffer): Buffer;
}

/** Checkpoints are left out: their hashes of visitors with values follow from those of visitors. They are made anew. */
export const MADE_ANEW = ['checkpoints', 'checkpoint_visitors'];

/** Further than an installation counts between a backup and a restore. */
const VERSIONS_AHEAD = 2 ** 40;

/**
 * Statements for a restored database. The processes that held leases are gone, though their tokens go on. Versions of
 * counts go on elsewhere, because clients may have those of later counts. Whoever followed a website begins anew. The
 * numbers of visitors stay as long as hashes would, however old the backup is: without them, hits of one visitor would
 * count as several visitors.
 */
export function afterRestore(now: number): [sql: string, parameters: number[]][] {
  const forgetAt = now + SALT_OUTLIVES_DAY_MS;
  const ahead = randomInt(1, VERSIONS_AHEAD);
  const later = (table: string, column: string, moment: number): [string, number[]] => [
    `UPDATE ${table} SET ${column} = ? WHERE ${column} < ?`,
    [moment, moment],
  ];
  return [
    ["UPDATE counting SET owner = '', expires_at = 0, folds = folds + ?", [ahead]],
    ['UPDATE closed_days SET version = version + ?', [ahead]],
    ['DELETE FROM followed_websites', []],
    ['DELETE FROM followed_days', []],
    later('batch_visitors', 'forget_at', forgetAt),
    later('day_visitors', 'forget_at', forgetAt),
    later('inbox', 'accepted_at', now),
  ];
}

/**
 * The tables with what leads to a visitor. Each hash becomes a random number, the same one wherever it is, by a cipher
 * whose key nobody keeps. So everything counts as before, and nothing leads back to a hash. Rows that nothing names are
 * left out.
 */
export function rowsWithoutHashes(): Record<string, RowsWithoutHashes> {
  const key = randomBytes(KEY_BYTES);
  const rename = (hashes: Buffer) => renamed(hashes, key);
  return {
    event_ids: {
      from: 'event_ids own',
      needs: {},
      // Ids expire by steps, so a step does as well as the moment, which leads to the hits of a request.
      instead: {
        accepted_at: `own.accepted_at + ${ID_STEP_MS - 1} - (own.accepted_at + ${ID_STEP_MS - 1}) % ${ID_STEP_MS}`,
      },
      column: 'batch',
      change: (_, batch) => Buffer.alloc(batch.length),
    },
    inbox: {
      from: 'inbox own',
      needs: {},
      column: 'hits',
      change: (_, hits) => renamedHits(hits, rename),
    },
    batch_visitors: {
      from: `batch_visitors own JOIN hit_batches batch ON batch.website_id = own.website_id
        AND batch.day = own.day AND batch.first_hit = own.first_hit`,
      needs: { size: 'batch.size' },
      column: 'hashes',
      change: (row, hashes) =>
        changedHashes({ ...dayOf(row), firstHit: row.first_hit!, size: row.size! }, hashes, rename),
    },
    day_visitors: {
      from: `day_visitors own JOIN hit_days sealed ON sealed.website_id = own.website_id
        AND sealed.day = own.day AND sealed.sealing = own.sealing`,
      needs: {},
      column: 'hashes',
      change: (row, hashes) =>
        changedVisitorRow(
          { ...dayOf(row), sealing: row.sealing!, firstVisitor: row.first_visitor! },
          hashes,
          rename,
        ),
    },
  };
}

function dayOf({ website_id, day }: Record<string, number>): { websiteId: number; day: number } {
  return { websiteId: website_id!, day: day! };
}

/** An unreadable row is emptied and stays damaged. */
function renamedHits(bytes: Buffer, rename: (hashes: Buffer) => Buffer): Buffer {
  // Counts of dropped events have none.
  if (bytes.length === 0) return bytes;
  try {
    const hits = decodeHits(bytes).map((hit) => {
      if (hit.visitor === '') return hit;
      const hash = Buffer.alloc(VISITOR_BYTES);
      hash.write(hit.visitor, 'base64url');
      return { ...hit, visitor: rename(hash).toString('base64url') };
    });
    return encodeHits(hits);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Unknown visitors keep their zeros. */
function renamed(hashes: Buffer, key: Buffer): Buffer {
  const all = hashes.length / VISITOR_BYTES;
  const blocks = Buffer.alloc(BLOCK_BYTES * all);
  for (let index = 0; index < all; index++)
    hashes.copy(blocks, BLOCK_BYTES * index, VISITOR_BYTES * index, VISITOR_BYTES * (index + 1));
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  const encrypted = cipher.update(blocks);
  const names = Buffer.alloc(hashes.length);
  for (let index = 0; index < all; index++)
    if (hashes.readBigUInt64LE(VISITOR_BYTES * index) !== 0n)
      encrypted.copy(names, VISITOR_BYTES * index, BLOCK_BYTES * index, BLOCK_BYTES * index + VISITOR_BYTES);
  return names;
}

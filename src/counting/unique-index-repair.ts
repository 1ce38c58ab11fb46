import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { inChunks, insertRows } from '../database/rows';
import type { HeldLease } from './held-lease';
import type { KeyPart } from './key-part';

const KEYS_PER_PIECE = 2000;
const COLUMNS = ['website_id', 'day', 'hash'];

/**
 * Makes the stored keys of a part of a day's those that its archive has, in transactions of a few keys each. Nobody
 * counts meanwhile; where the work breaks off, what is done is a part of what was to be done.
 */
export async function repairKeys(
  database: Database,
  held: HeldLease,
  websiteId: number,
  day: number,
  part: KeyPart,
  keys: ReadonlySet<string>,
): Promise<void> {
  const missing = new Set(keys);
  for await (const hashes of storedKeys(database, websiteId, day, part)) {
    const tooMany = hashes.filter((hash) => !missing.delete(hash.toString('base64url')));
    if (tooMany.length === 0) await held.renewIfDue();
    else await held.write((manager) => removeKeys(manager, websiteId, day, tooMany));
  }
  for (const some of inChunks([...missing], KEYS_PER_PIECE)) {
    const rows = some.map((hash) => [websiteId, day, Buffer.from(hash, 'base64url')]);
    await held.write((manager) => insertRows(manager, 'seen', COLUMNS, rows));
  }
}

async function removeKeys(
  manager: EntityManager,
  websiteId: number,
  day: number,
  hashes: Buffer[],
): Promise<void> {
  await manager.query(
    `DELETE FROM seen WHERE website_id = ? AND day = ? AND hash IN (${hashes.map(() => '?').join(', ')})`,
    [websiteId, day, ...hashes],
  );
}

async function* storedKeys(
  database: Database,
  websiteId: number,
  day: number,
  { after: first, before }: KeyPart,
): AsyncGenerator<Buffer[]> {
  for (let after = first, more = true; more;) {
    const rows = await database.read((manager) =>
      manager.query<{ hash: Buffer }[]>(
        `SELECT hash FROM seen WHERE website_id = ? AND day = ? AND hash > ? AND hash < ?
        ORDER BY hash LIMIT ${KEYS_PER_PIECE}`,
        [websiteId, day, after, before],
      ),
    );
    yield rows.map(({ hash }) => hash);
    more = rows.length === KEYS_PER_PIECE;
    after = rows.at(-1)?.hash ?? after;
  }
}

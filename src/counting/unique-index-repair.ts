import type { Database } from '../database/database';
import { inChunks, insertRows } from '../database/rows';
import type { HeldLease } from './held-lease';

const KEYS_PER_PIECE = 2000;
const COLUMNS = ['website_id', 'day', 'hash'];

/**
 * Makes the stored keys of a day those that its archive has, in transactions of a few keys each. Nobody counts
 * meanwhile; where the work breaks off, what is done is a part of what was to be done.
 */
export async function repairKeys(
  database: Database,
  held: HeldLease,
  websiteId: number,
  day: number,
  keys: ReadonlySet<string>,
): Promise<void> {
  const missing = new Set(keys);
  const tooMany: Buffer[] = [];
  for await (const hashes of storedKeys(database, websiteId, day)) {
    for (const hash of hashes) if (!missing.delete(hash.toString('base64url'))) tooMany.push(hash);
    await held.renewIfDue();
  }
  for (const some of inChunks(tooMany, KEYS_PER_PIECE))
    await held.write(async (manager) => {
      const marks = some.map(() => '?').join(', ');
      await manager.query(`DELETE FROM seen WHERE website_id = ? AND day = ? AND hash IN (${marks})`, [
        websiteId,
        day,
        ...some,
      ]);
    });
  for (const some of inChunks([...missing], KEYS_PER_PIECE)) {
    const rows = some.map((hash) => [websiteId, day, Buffer.from(hash, 'base64url')]);
    await held.write((manager) => insertRows(manager, 'seen', COLUMNS, rows));
  }
}

async function* storedKeys(database: Database, websiteId: number, day: number): AsyncGenerator<Buffer[]> {
  for (let after: Buffer = Buffer.alloc(0), more = true; more;) {
    const rows = await database.read((manager) =>
      manager.query<{ hash: Buffer }[]>(
        `SELECT hash FROM seen WHERE website_id = ? AND day = ? AND hash > ? ORDER BY hash LIMIT ${KEYS_PER_PIECE}`,
        [websiteId, day, after],
      ),
    );
    yield rows.map(({ hash }) => hash);
    more = rows.length === KEYS_PER_PIECE;
    after = rows.at(-1)?.hash ?? after;
  }
}

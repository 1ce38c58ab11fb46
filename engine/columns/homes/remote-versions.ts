import type { Database } from '../../database/database';
import { changedBy, inChunks, type Insertion, type Queryable, type Transaction } from '../../database/rows';
import type { DayKey } from '../../port';

/*
 * `remote_versions` lists each version of a day whose rows may be in a remote home, before the first one is written and
 * until the last one is removed. A version without `due_at` is named by its day. Others are removed at that moment, unless
 * they are named before. Whoever removes rows claims the version first, and a claimed one cannot be named: what is named
 * is never removed.
 */

/** A version that is being written is due after this time without a further insert. */
export const WRITTEN_WITHIN_MS = 3_600_000;
/** For questions that began while the version was named. */
const STAYS_MS = 10 * 60_000;
const AT_ONCE = 500;
const OF_VERSION = 'home = ? AND website_id = ? AND day = ? AND version = ?';
const COLUMNS = ['home', 'website_id', 'day', 'version', 'due_at', 'is_claimed'];

/** Another process removes the rows, so nothing may name them. */
export class VersionClaimed extends Error {}

/** Versions that are about to be written. */
export function remoteVersions(
  home: number,
  websiteId: number,
  days: readonly number[],
  version: number,
): Insertion {
  const dueAt = Date.now() + WRITTEN_WITHIN_MS;
  return {
    table: 'remote_versions',
    columns: COLUMNS,
    rows: days.map((day) => [home, websiteId, day, version, dueAt, 0]),
  };
}

/** Call it in each transaction before an insert. */
export function keepVersion(manager: Transaction, home: number, key: DayKey): Promise<void> {
  return setDue(manager, home, key, Date.now() + WRITTEN_WITHIN_MS);
}

/** Call it in the transaction in which a day names the version. */
export function nameVersion(manager: Transaction, home: number, key: DayKey): Promise<void> {
  return setDue(manager, home, key, null);
}

/** Call it in the transaction after which no day names the version. */
export function releaseVersion(manager: Transaction, home: number, key: DayKey): Promise<void> {
  return setDue(manager, home, key, Date.now() + STAYS_MS);
}

async function setDue(
  manager: Transaction,
  home: number,
  { websiteId, day, version }: DayKey,
  dueAt: number | null,
): Promise<void> {
  const changed = await changedBy(
    manager,
    `UPDATE remote_versions SET due_at = ? WHERE ${OF_VERSION} AND is_claimed = 0`,
    [dueAt, home, websiteId, day, version],
  );
  if (changed !== 1) throw new VersionClaimed();
}

export async function isAnyDue(database: Database, home: number, now: number): Promise<boolean> {
  const rows = await database.query<unknown[]>(
    'SELECT 1 FROM remote_versions WHERE home = ? AND due_at <= ? LIMIT 1',
    [home, now],
  );
  return rows.length > 0;
}

/** Claims versions whose rows are due to be removed, those that were claimed before included. */
export async function claimDue(database: Database, home: number, now: number): Promise<DayKey[]> {
  const due = await database.read((reader) =>
    readVersions(
      reader,
      `SELECT website_id, day, version FROM remote_versions WHERE home = ? AND due_at <= ?
      ORDER BY website_id, day, version LIMIT ${AT_ONCE}`,
      [home, now],
    ),
  );
  const claimed: DayKey[] = [];
  for (const key of due) {
    const { websiteId, day, version } = key;
    const isClaimed = await database.execute(
      `UPDATE remote_versions SET is_claimed = is_claimed + 1 WHERE ${OF_VERSION} AND due_at <= ? AND NOT EXISTS (
        SELECT 1 FROM hit_days named WHERE named.website_id = remote_versions.website_id
          AND named.day = remote_versions.day AND named.home = remote_versions.home
          AND named.segment = remote_versions.version)`,
      [home, websiteId, day, version, now],
    );
    if (isClaimed > 0) claimed.push(key);
  }
  return claimed;
}

/** Their rows are removed. */
export async function unlistVersions(
  database: Database,
  home: number,
  keys: readonly DayKey[],
): Promise<void> {
  for (const { websiteId, day, version } of keys)
    await database.execute(`DELETE FROM remote_versions WHERE ${OF_VERSION} AND is_claimed > 0`, [
      ...[home, websiteId, day, version],
    ]);
}

/** Makes versions due whose day has expired, or whose website is deleted. */
export async function releaseForgotten(database: Database, home: number): Promise<void> {
  const forgotten = await database.read((reader) =>
    readVersions(
      reader,
      `SELECT website_id, day, version FROM remote_versions listed WHERE home = ? AND due_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM hit_days named WHERE named.website_id = listed.website_id AND named.day = listed.day
          AND named.home = listed.home AND named.segment = listed.version)`,
      [home],
    ),
  );
  for (const some of inChunks(forgotten, AT_ONCE))
    await database.write(async (manager) => {
      for (const { websiteId, day, version } of some)
        await manager.query(`UPDATE remote_versions SET due_at = ? WHERE ${OF_VERSION} AND due_at IS NULL`, [
          ...[Date.now(), home, websiteId, day, version],
        ]);
    });
}

/** Lists versions that were found in a home, unless they are listed. */
export async function listFound(database: Database, home: number, keys: readonly DayKey[]): Promise<void> {
  const dueAt = Date.now() + WRITTEN_WITHIN_MS;
  for (const { websiteId, day, version } of keys)
    await database.execute(
      `${database.dialect.insertIfMissing} remote_versions (${COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?, 0)`,
      [home, websiteId, day, version, dueAt],
    );
}

/** Which of some versions are listed. */
export async function readListed(
  database: Database,
  home: number,
  keys: readonly DayKey[],
): Promise<DayKey[]> {
  const listed: DayKey[] = [];
  for (const websiteId of new Set(keys.map((key) => key.websiteId)))
    listed.push(
      ...(await database.read((reader) =>
        readVersions(
          reader,
          'SELECT website_id, day, version FROM remote_versions WHERE home = ? AND website_id = ?',
          [home, websiteId],
        ),
      )),
    );
  return listed;
}

async function readVersions(reader: Queryable, sql: string, parameters: unknown[]): Promise<DayKey[]> {
  const rows = await reader.query<Record<'website_id' | 'day' | 'version', number | string>[]>(
    sql,
    parameters,
  );
  return rows.map(({ website_id, day, version }) => ({
    websiteId: Number(website_id),
    day: Number(day),
    version: Number(version),
  }));
}

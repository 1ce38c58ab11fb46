import type { Website } from './website.entity';
import type { SqlCondition, Transaction } from '../../engine/database/rows';

/** A process that missed more changes reads all websites again. */
const MAX_CHANGES = 1000;

export interface WebsiteChanges {
  /** The version of all websites. */
  version: number;
  /** The domains that changed since an earlier version. Undefined if that version is too old. */
  domains: string[] | undefined;
}

/** The row with the version of all websites, as what follows FROM. */
export const VERSION_ROW: SqlCondition = { sql: 'website_changes WHERE id = 1', parameters: [] };

/** The row with the version of all websites, which is there only while it is this version. */
export function rowOfVersion(version: number): SqlCondition {
  return { sql: `${VERSION_ROW.sql} AND version = ?`, parameters: [version] };
}

/** The current version of all websites, read in the caller's transaction. */
export async function readWebsitesVersion(manager: Transaction): Promise<number> {
  const [row] = await manager.query<{ version: number }[]>(
    'SELECT version FROM website_changes WHERE id = 1',
  );
  return Number(row!.version);
}

/** All changes since a version, by any user or process. */
export async function readChangesSince(manager: Transaction, earlier: number): Promise<WebsiteChanges> {
  const version = await readWebsitesVersion(manager);
  if (version === earlier) return { version, domains: [] };
  const rows = await manager.query<{ domain: string }[]>(
    'SELECT domain FROM changed_domains WHERE version > ?',
    [earlier],
  );
  const areAll = rows.length === version - earlier;
  return { version, domains: areAll ? rows.map(({ domain }) => domain) : undefined };
}

/** Notifies every process that a website changed. */
export async function raiseVersion(manager: Transaction, { domain }: Pick<Website, 'domain'>): Promise<void> {
  await manager.query('UPDATE website_changes SET version = version + 1 WHERE id = 1');
  const version = await readWebsitesVersion(manager);
  await manager.query('INSERT INTO changed_domains (version, domain) VALUES (?, ?)', [version, domain]);
  await manager.query('DELETE FROM changed_domains WHERE version <= ?', [version - MAX_CHANGES]);
}

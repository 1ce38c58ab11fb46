import type Sqlite from 'better-sqlite3';
import { SettingError } from '../../config/settings';

/** Of its package, the one for this Node.js: the other would end the process, either at once or at some later time. */
const PACKAGE = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

export const SqliteConnection = installed();

function installed(): typeof Sqlite {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the name is known at run time alone
    return require(PACKAGE) as typeof Sqlite;
  } catch {
    const node = `Node.js ${process.versions.node}`;
    throw new SettingError('DATABASE_URL', `SQLite is not installed for ${node}; run "npm ci" with it`);
  }
}

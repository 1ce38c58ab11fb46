import type Sqlite from 'better-sqlite3';

/** Of its package, the one for this Node.js: the other would end the process, either at once or at some later time. */
const PACKAGE = Number(process.versions.napi) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- the name is known at run time alone
export const SqliteConnection = require(PACKAGE) as typeof Sqlite;

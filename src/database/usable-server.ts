import { SettingError } from '../config/settings';
import { sqlErrorNumber } from './connections/error-meaning';
import type { Queryable } from './rows';

/** One statement for each right that the service needs. None changes anything, because the table does not exist. */
const STATEMENTS = {
  SELECT: 'SELECT 1 FROM milepost_no_table',
  INSERT: 'INSERT INTO milepost_no_table VALUES (1)',
  UPDATE: 'UPDATE milepost_no_table SET id = 1',
  DELETE: 'DELETE FROM milepost_no_table',
  CREATE: 'CREATE TABLE milepost_no_table LIKE milepost_no_other_table',
  ALTER: 'ALTER TABLE milepost_no_table ADD COLUMN id INT',
  INDEX: 'CREATE INDEX milepost_no_index ON milepost_no_table (id)',
  DROP: 'DROP TABLE milepost_no_table',
};

const DENIED = new Set([
  1044, // ER_DBACCESS_DENIED_ERROR
  1142, // ER_TABLEACCESS_DENIED_ERROR
]);
const READ_ONLY = new Set([
  1290, // ER_OPTION_PREVENTS_STATEMENT
  1792, // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836, // ER_READ_ONLY_MODE
]);

/** The character set of a database without tables of Milepost. */
const CHARACTER_SET_OF_NEW = `SELECT schema_name AS name, default_character_set_name AS characters
  FROM information_schema.schemata WHERE schema_name = DATABASE() AND NOT EXISTS (
    SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'migrations')`;

/** Rejects a server or database in which the service could not work, before anything is created there. */
export async function refuseUnusableServer(database: Queryable): Promise<void> {
  const missing: string[] = [];
  for (const [right, statement] of Object.entries(STATEMENTS)) {
    const number = await errorNumberOf(database, statement);
    if (READ_ONLY.has(number))
      refuse('the server is read-only; use the address of the server that takes writes');
    if (DENIED.has(number)) missing.push(right);
  }
  if (missing.length > 0)
    refuse(
      `its user lacks rights on the database: ${missing.join(', ')}; run GRANT ALL ON the database to it`,
    );
  await refuseCharacterSet(database);
}

async function errorNumberOf(database: Queryable, statement: string): Promise<number> {
  try {
    await database.query(statement);
    return 0;
  } catch (error) {
    return sqlErrorNumber(error);
  }
}

/** Earlier releases took databases with other character sets, where nothing but the default of further tables differs. */
async function refuseCharacterSet(database: Queryable): Promise<void> {
  const [row] = await database.query<{ name: string; characters: string }[]>(CHARACTER_SET_OF_NEW);
  if (row && row.characters !== 'utf8mb4')
    refuse(
      `the database has the character set ${row.characters}; ` +
        `run ALTER DATABASE \`${row.name}\` CHARACTER SET utf8mb4`,
    );
}

function refuse(problem: string): never {
  throw new SettingError('DATABASE_URL', problem);
}

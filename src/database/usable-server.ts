import { SettingError } from '../../engine/ground/setting-error';
import { sqlErrorNumber } from '../../engine/database/connections/error-meaning';
import { type Queryable, SMALLEST_PACKET_BYTES } from '../../engine/database/rows';

/** A statement for each right that the service needs. None changes anything, because the table does not exist. */
const AT_WORK = {
  SELECT: 'SELECT 1 FROM milepost_no_table',
  INSERT: 'INSERT INTO milepost_no_table VALUES (1)',
  UPDATE: 'UPDATE milepost_no_table SET id = 1',
  DELETE: 'DELETE FROM milepost_no_table',
};
/** A statement for each right that migrations need. A Galera cluster repeats these statements on each node. */
const TO_MIGRATE = {
  CREATE: 'CREATE TABLE milepost_no_table LIKE milepost_no_other_table',
  ALTER: 'ALTER TABLE milepost_no_table ADD COLUMN id INT',
  INDEX: 'CREATE INDEX milepost_no_index ON milepost_no_table (id)',
};

const DENIED = new Set([
  1044, // ER_DBACCESS_DENIED_ERROR
  1142, // ER_TABLEACCESS_DENIED_ERROR
]);
const READ_ONLY = new Set([
  1290, // ER_OPTION_PREVENTS_STATEMENT
  1792, // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836, // ER_READ_ONLY_MODE
  1874, // ER_INNODB_READ_ONLY
]);
/** MySQL: ER_SCHEMA_READ_ONLY */
const DATABASE_READ_ONLY = 3989;

const SETTINGS = `SHOW VARIABLES
  WHERE Variable_name IN ('innodb_read_only', 'log_bin', 'binlog_format', 'max_allowed_packet')`;

/** The character set of a database without tables of Milepost. */
const CHARACTER_SET_OF_NEW = `SELECT schema_name AS name, default_character_set_name AS characters
  FROM information_schema.schemata WHERE schema_name = DATABASE() AND NOT EXISTS (
    SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'migrations')`;

/** Rejects a server or database in which the service could not work, before anything is created there. */
export async function refuseUnusableServer(database: Queryable, mustMigrate: boolean): Promise<void> {
  await refuseSettings(database);
  const missing: string[] = [];
  for (const [right, statement] of Object.entries({ ...AT_WORK, ...(mustMigrate && TO_MIGRATE) })) {
    const number = await errorNumberOf(database, statement);
    if (READ_ONLY.has(number)) refuseReadOnly();
    if (number === DATABASE_READ_ONLY)
      refuse('the database is read-only; ' + 'run ALTER DATABASE … READ ONLY = 0');
    if (DENIED.has(number)) missing.push(right);
  }
  if (missing.length > 0) await refuseRights(database, missing);
  if (mustMigrate) await refuseCharacterSet(database);
}

async function refuseSettings(database: Queryable): Promise<void> {
  const rows = await database.query<{ Variable_name: string; Value: string }[]>(SETTINGS);
  const settings = new Map(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
  // An InnoDB that is read-only looks for the table first.
  if (settings.get('innodb_read_only') === 'ON') refuseReadOnly();
  // InnoDB cannot log transactions of READ COMMITTED as statements.
  if (settings.get('log_bin') === 'ON' && settings.get('binlog_format') === 'STATEMENT')
    refuse('the server has binlog_format = STATEMENT; set it to ROW');
  const packet = Number(settings.get('max_allowed_packet'));
  if (packet < SMALLEST_PACKET_BYTES)
    refuse(`the server has max_allowed_packet = ${packet}; set it to ${SMALLEST_PACKET_BYTES} or more`);
}

function refuseReadOnly(): never {
  refuse('the server is read-only; use the address of the server that takes writes');
}

async function refuseRights(database: Queryable, missing: string[]): Promise<never> {
  const [row] = await database.query<{ name: string; user: string }[]>(
    'SELECT DATABASE() AS name, CURRENT_USER() AS user',
  );
  const { name, user } = row!;
  refuse(
    `its user lacks rights on the database: ${missing.join(', ')}; run GRANT ALL ON \`${name}\`.* TO \`${user.replace('@', '`@`')}\``,
  );
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

import { TimeoutError } from '../../ground/time/timeout';

/**
 * What a driver's error means for its transaction:
 *
 * - `lost`: the connection ended; another one may work.
 * - `conflict`: rolled back because of another transaction: run it again.
 * - `busy`: a lock, a connection or a quota was not free in time: run it again after a pause.
 * - `unavailable`: the server cannot work now, or does not know the transaction's outcome.
 * - `duplicate`: a unique key already exists.
 * - `ours`: anything else, for example an invalid statement.
 */
export type ErrorMeaning = 'lost' | 'conflict' | 'busy' | 'unavailable' | 'duplicate' | 'ours';

interface DriverError {
  code?: string;
  errno?: number;
  fatal?: boolean;
}

/**
 * By number, because the driver only knows names of MySQL 8.0. Sources: dev.mysql.com/doc/mysql-errors,
 * mariadb.com/kb/en/mariadb-error-code-reference, docs.pingcap.com/tidb/stable/error-codes.
 */
const SERVER_ERRORS: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  [1053, 'lost'], // ER_SERVER_SHUTDOWN
  [1077, 'lost'], // ER_NORMAL_SHUTDOWN
  [1079, 'lost'], // ER_SHUTDOWN_COMPLETE
  [1152, 'lost'], // ER_ABORTING_CONNECTION
  [1156, 'lost'], // ER_NET_PACKETS_OUT_OF_ORDER
  [1158, 'lost'], // ER_NET_READ_ERROR
  [1159, 'lost'], // ER_NET_READ_INTERRUPTED
  [1160, 'lost'], // ER_NET_ERROR_ON_WRITE
  [1161, 'lost'], // ER_NET_WRITE_INTERRUPTED
  [1184, 'lost'], // ER_NEW_ABORTING_CONNECTION
  [1927, 'lost'], // MariaDB: ER_CONNECTION_KILLED
  [3169, 'lost'], // MySQL: ER_SESSION_WAS_KILLED
  [4031, 'lost'], // MySQL: ER_CLIENT_INTERACTION_TIMEOUT, after wait_timeout

  [1213, 'conflict'], // ER_LOCK_DEADLOCK; on Galera also a COMMIT that failed certification
  [1412, 'conflict'], // ER_TABLE_DEF_CHANGED: an administrator rebuilt a table after the snapshot was opened
  [1689, 'conflict'], // ER_LOCK_ABORTED
  [3101, 'conflict'], // Group Replication: ER_TRANSACTION_ROLLBACK_DURING_COMMIT, failed certification
  [8002, 'conflict'], // TiDB: a locking read cannot be retried by the server
  [8005, 'conflict'], // TiDB: write conflict, the start timestamp is stale
  [8022, 'conflict'], // TiDB: the COMMIT failed and was rolled back
  [8028, 'conflict'], // TiDB: a table was changed during the transaction
  [9004, 'conflict'], // TiDB: locks of other transactions could not be resolved in time
  [9007, 'conflict'], // TiDB: write conflict

  [1040, 'busy'], // ER_CON_COUNT_ERROR
  [1203, 'busy'], // ER_TOO_MANY_USER_CONNECTIONS
  [1205, 'busy'], // ER_LOCK_WAIT_TIMEOUT; on Galera also a wait for other nodes' writes
  [1206, 'busy'], // ER_LOCK_TABLE_FULL
  [1226, 'busy'], // ER_USER_LIMIT_REACHED
  [1637, 'busy'], // ER_TOO_MANY_CONCURRENT_TRXS
  [8027, 'busy'], // TiDB: this node's schema is outdated
  [9003, 'busy'], // TiDB: TiKV is busy
  [9008, 'busy'], // TiDB: too many requests to TiKV

  [1021, 'unavailable'], // ER_DISK_FULL
  [1026, 'unavailable'], // ER_ERROR_ON_WRITE
  [1030, 'unavailable'], // ER_GET_ERRNO: an error of the storage engine, like a full disk
  [1037, 'unavailable'], // ER_OUTOFMEMORY
  [1041, 'unavailable'], // ER_OUT_OF_RESOURCES
  [1043, 'unavailable'], // ER_HANDSHAKE_ERROR
  [1044, 'unavailable'], // ER_DBACCESS_DENIED_ERROR, like those below of an account that was changed
  [1045, 'unavailable'], // ER_ACCESS_DENIED_ERROR
  [1047, 'unavailable'], // Galera: the node is not ready; elsewhere ER_UNKNOWN_COM_ERROR
  [1049, 'unavailable'], // ER_BAD_DB_ERROR
  [1114, 'unavailable'], // ER_RECORD_FILE_FULL
  [1129, 'unavailable'], // ER_HOST_IS_BLOCKED
  [1135, 'unavailable'], // ER_CANT_CREATE_THREAD
  [1180, 'unavailable'], // ER_ERROR_DURING_COMMIT; on Galera the node left its cluster
  [1290, 'unavailable'], // ER_OPTION_PREVENTS_STATEMENT: read-only, also after a failover (Aurora)
  [1317, 'unavailable'], // ER_QUERY_INTERRUPTED
  [1698, 'unavailable'], // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
  [1792, 'unavailable'], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: after a failover (Aurora)
  [1820, 'unavailable'], // ER_MUST_CHANGE_PASSWORD
  [1836, 'unavailable'], // ER_READ_ONLY_MODE: after a failover
  [1862, 'unavailable'], // ER_MUST_CHANGE_PASSWORD_LOGIN
  [1874, 'unavailable'], // ER_INNODB_READ_ONLY: after a failover
  [3989, 'unavailable'], // MySQL: ER_SCHEMA_READ_ONLY
  [1969, 'unavailable'], // MariaDB: ER_STATEMENT_TIMEOUT, of an administrator's limit
  [3024, 'unavailable'], // MySQL: ER_QUERY_TIMEOUT, of an administrator's limit
  [3032, 'unavailable'], // MySQL: ER_SERVER_OFFLINE_MODE, also of a node that left its group
  [3100, 'unavailable'], // Group Replication: ER_RUN_HOOK_ERROR
  [3118, 'unavailable'], // MySQL: ER_ACCOUNT_HAS_BEEN_LOCKED
  [3159, 'unavailable'], // MySQL: ER_SECURE_TRANSPORT_REQUIRED
  [3797, 'unavailable'], // Group Replication: ER_GRP_TRX_CONSISTENCY_BEFORE
  [3798, 'unavailable'], // Group Replication: ER_GRP_TRX_CONSISTENCY_AFTER_ON_TRX_BEGIN
  [4151, 'unavailable'], // MariaDB: ER_ACCOUNT_HAS_BEEN_LOCKED
  [8120, 'unavailable'], // TiDB: no start timestamp
  [9001, 'unavailable'], // TiDB: the placement driver did not answer
  [9002, 'unavailable'], // TiDB: TiKV did not answer
  [9005, 'unavailable'], // TiDB: a region is unavailable
  [9006, 'unavailable'], // TiDB: the snapshot was collected as garbage
  [9010, 'unavailable'], // TiDB: TiKV cannot process the log

  [1062, 'duplicate'], // ER_DUP_ENTRY
  [1586, 'duplicate'], // ER_DUP_ENTRY_WITH_KEY_NAME
]);

/** Codes of MySQL's driver, its pool and the sockets below them. */
const CLIENT_ERRORS: [RegExp, ErrorMeaning][] = [
  [/^(PROTOCOL_|E[A-Z]+$|EAI_|ERR_STREAM_)/, 'lost'],
  [/^(POOL_|HANDSHAKE_)/, 'unavailable'],
];

const SQLITE_ERRORS: [RegExp, ErrorMeaning][] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'conflict'],
  [/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)/, 'unavailable'],
  [/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/, 'duplicate'],
];

/** If the driver ended the connection without a number or code, it marks the error as fatal. */
export function meaningOnMysql(error: unknown): ErrorMeaning {
  if (error instanceof TimeoutError) return 'unavailable';
  const { code, errno, fatal } = driverError(error);
  const known = SERVER_ERRORS.get(sqlErrorNumber(error)) ?? named(CLIENT_ERRORS, code);
  return known ?? (fatal && !code && !errno ? 'lost' : 'ours');
}

export function meaningOnSqlite(error: unknown): ErrorMeaning {
  if (error instanceof TimeoutError) return 'unavailable';
  return named(SQLITE_ERRORS, driverError(error).code) ?? 'ours';
}

/**
 * Tells whether the connection must not return to its pool. This includes a server that became read-only: the next
 * connection may reach the new primary.
 */
export function endsConnection(meaning: ErrorMeaning): boolean {
  return meaning === 'lost' || meaning === 'unavailable';
}

/** What to do about an error that the server answers to each attempt. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [1044, 'grant its user all rights on the database'], // ER_DBACCESS_DENIED_ERROR
  // ER_ACCESS_DENIED_ERROR; MariaDB also answers it where it demands TLS
  [1045, 'check the user and the password; if the server demands TLS, add ?ssl=true'],
  [1049, 'create the database first'], // ER_BAD_DB_ERROR
  [1698, 'give its user a password'], // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
  [1820, 'give its user a new password'], // ER_MUST_CHANGE_PASSWORD
  [1862, 'give its user a new password'], // ER_MUST_CHANGE_PASSWORD_LOGIN
  [3118, 'unlock its user'], // ER_ACCOUNT_HAS_BEEN_LOCKED
  [3159, 'the server demands TLS: add ?ssl=true'], // ER_SECURE_TRANSPORT_REQUIRED
  [4151, 'unlock its user'], // MariaDB: ER_ACCOUNT_HAS_BEEN_LOCKED
]);

export function adviceFor(error: unknown): string | undefined {
  return ADVICE.get(sqlErrorNumber(error));
}

/** The server's number of an error, or 0. */
export function sqlErrorNumber(error: unknown): number {
  return driverError(error).errno ?? 0;
}

function named(table: [RegExp, ErrorMeaning][], code = ''): ErrorMeaning | undefined {
  return table.find(([pattern]) => pattern.test(code))?.[1];
}

/** TypeORM wraps the driver's errors; threads without it have them as they are. */
function driverError(error: unknown): DriverError {
  return (error as { driverError?: DriverError }).driverError ?? (error as DriverError);
}

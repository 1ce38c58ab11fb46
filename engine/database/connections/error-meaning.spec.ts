import { QueryFailedError } from 'typeorm';
import { errorCode } from '../../ground/error-code';
import { TimeoutError } from '../../ground/time/timeout';
import { endsConnection, type ErrorMeaning, meaningOnMysql, meaningOnSqlite } from './error-meaning';

const error = (members: object) => Object.assign(new Error('as the driver throws it'), members);

it.each<[string, object, ErrorMeaning]>([
  ['a deadlock', { errno: 1213, code: 'ER_LOCK_DEADLOCK' }, 'conflict'],
  ['a failed certification of Group Replication', { errno: 3101 }, 'conflict'],
  ['a write conflict on TiDB', { errno: 9007 }, 'conflict'],
  ['a COMMIT that TiDB rolled back', { errno: 8022 }, 'conflict'],
  ['a table that changed under a transaction on TiDB', { errno: 8028 }, 'conflict'],
  ['a table that was rebuilt after the snapshot', { errno: 1412, code: 'ER_TABLE_DEF_CHANGED' }, 'conflict'],
  ['a lock that was not free in time', { errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT' }, 'busy'],
  ['a user with too many connections', { errno: 1226, code: 'ER_USER_LIMIT_REACHED', fatal: true }, 'busy'],
  ['a server with too many connections', { errno: 1040, code: 'ER_CON_COUNT_ERROR', fatal: true }, 'busy'],
  ['a KILL on MariaDB', { errno: 1927 }, 'lost'],
  ['a session that stood still on MySQL', { errno: 4031, code: 'ER_CLIENT_INTERACTION_TIMEOUT' }, 'lost'],
  ['a connection that had ended before', { fatal: true }, 'lost'],
  ['a socket that was closed', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, 'lost'],
  ['a socket that was reset', { code: 'ECONNRESET', errno: -104, fatal: true }, 'lost'],
  ['a socket that was written to after its end', { code: 'ERR_STREAM_WRITE_AFTER_END' }, 'lost'],
  ['packets out of order', { errno: 1156, code: 'ER_NET_PACKETS_OUT_OF_ORDER' }, 'lost'],
  ['a host without address', { code: 'ENOTFOUND', errno: -3008, fatal: true }, 'lost'],
  [
    'a COMMIT that Galera could not replicate',
    { errno: 1180, code: 'ER_ERROR_DURING_COMMIT' },
    'unavailable',
  ],
  ['a Galera node that is not ready', { errno: 1047, code: 'ER_UNKNOWN_COM_ERROR' }, 'unavailable'],
  ['a server that became read-only', { errno: 1290, code: 'ER_OPTION_PREVENTS_STATEMENT' }, 'unavailable'],
  ['a storage engine that became read-only', { errno: 1836 }, 'unavailable'],
  ['a transaction that became read-only', { errno: 1792 }, 'unavailable'],
  ['a TLS handshake that failed', { code: 'HANDSHAKE_SSL_ERROR', fatal: true }, 'unavailable'],
  ['a handshake with the server that failed', { errno: 1043, code: 'ER_HANDSHAKE_ERROR' }, 'unavailable'],
  ['a server without threads left', { errno: 1135, code: 'ER_CANT_CREATE_THREAD' }, 'unavailable'],
  ['a key that is there already', { errno: 1062, code: 'ER_DUP_ENTRY' }, 'duplicate'],
  ['a wrong password', { errno: 1045, code: 'ER_ACCESS_DENIED_ERROR', fatal: true }, 'unavailable'],
  ['a password that must be changed', { errno: 1820, code: 'ER_MUST_CHANGE_PASSWORD' }, 'unavailable'],
  ['a server that is offline for all but administrators', { errno: 3032 }, 'unavailable'],
  ['a wrong statement', { errno: 1064, code: 'ER_PARSE_ERROR' }, 'ours'],
  ['a packet that is too large', { errno: 1153, code: 'ER_NET_PACKET_TOO_LARGE' }, 'ours'],
  ['an error of the service itself', {}, 'ours'],
])('on MySQL, %s is known by its number or name', (_, members, meaning) => {
  expect(meaningOnMysql(error(members))).toBe(meaning);
  expect(meaningOnMysql(new QueryFailedError('SELECT 1', [], error(members)))).toBe(meaning);
});

it.each<[string, ErrorMeaning]>([
  ['SQLITE_BUSY', 'conflict'],
  ['SQLITE_BUSY_SNAPSHOT', 'conflict'],
  ['SQLITE_FULL', 'unavailable'],
  ['SQLITE_IOERR_WRITE', 'unavailable'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'duplicate'],
  ['SQLITE_CONSTRAINT_NOTNULL', 'ours'],
])('on SQLite, %s means %s', (code, meaning) => {
  expect(meaningOnSqlite(error({ code }))).toBe(meaning);
});

it('takes no answer in time for a database that is unavailable', () => {
  expect([meaningOnMysql, meaningOnSqlite].map((meaningOf) => meaningOf(new TimeoutError()))).toEqual([
    'unavailable',
    'unavailable',
  ]);
});

it('gives up connections that may have ended, and those to a server that no longer takes writes', () => {
  const ending = (members: object) => endsConnection(meaningOnMysql(error(members)));
  expect([{ errno: 1927 }, { errno: 1290 }, { fatal: true }].map(ending)).toEqual([true, true, true]);
  expect([{ errno: 1213 }, { errno: 1205 }, { errno: 1062 }].map(ending)).toEqual([false, false, false]);
});

it('names an error by its number if the driver has no name for it', () => {
  expect(errorCode(new QueryFailedError('COMMIT', [], error({ errno: 9007 })))).toBe('errno 9007');
  expect(errorCode(error({ errno: 1213, code: 'ER_LOCK_DEADLOCK' }))).toBe('ER_LOCK_DEADLOCK');
});

import { sessionStatements } from './drivers';
import { serverOf } from './supported-servers';

const of = (version: string, version_comment = '', wsrep_on?: string, wsrep_provider?: string) =>
  serverOf({ version, version_comment, wsrep_on, wsrep_provider });

const MARIADB = { type: 'mariadb', hasRowAlias: false, hasReadOnlyTransactions: true, isGalera: false };
const MYSQL = { type: 'mysql', hasRowAlias: true, hasReadOnlyTransactions: true, isGalera: false };
const TIDB = { type: 'mysql', hasRowAlias: false, hasReadOnlyTransactions: false, isGalera: false };
const PROVIDER = '/usr/lib/galera/libgalera_smm.so';

it.each([
  ['MariaDB', of('10.11.19-MariaDB-0+deb12u1', 'Debian 12', 'OFF', 'none'), MARIADB],
  ['MariaDB in a cluster', of('11.4.2-MariaDB', '', 'ON', PROVIDER), { ...MARIADB, isGalera: true }],
  ['MariaDB without its cluster', of('11.4.2-MariaDB', '', 'ON', 'none'), MARIADB],
  ['MySQL 9', of('9.7.4-2', '(Debian)'), MYSQL],
  ['MySQL 8.4', of('8.4.3', 'MySQL Community Server - GPL'), MYSQL],
  ['the oldest MySQL', of('8.0.19'), MYSQL],
  ['the oldest MariaDB', of('5.5.5-10.6.0-MariaDB'), MARIADB],
  ['Percona XtraDB Cluster', of('8.0.36-28.1', 'Percona', 'ON', PROVIDER), { ...MYSQL, isGalera: true }],
  ['TiDB', of('8.0.11-TiDB-v8.5.0', 'TiDB Server (Apache License 2.0)'), TIDB],
  ['TiDB under another version', of('8.0.36', 'TiDB Server (Apache License 2.0)'), TIDB],
  ['Vitess', of('8.0.30-Vitess', 'Version: 19.0.0'), TIDB],
])('knows %s by what it says of itself', (_, server, expected) => {
  expect(server).toEqual(expected);
});

it.each([
  ['5.7.44-log', 'MySQL 5.7.44-log; Milepost needs MySQL 8.0.19 or newer'],
  ['8.0.18', 'MySQL 8.0.18; Milepost needs MySQL 8.0.19 or newer'],
  ['10.5.29-MariaDB', 'MariaDB 10.5.29-MariaDB; Milepost needs MariaDB 10.6 or newer'],
  ['5.5.5-10.3.39-MariaDB', 'MariaDB 5.5.5-10.3.39-MariaDB; Milepost needs MariaDB 10.6 or newer'],
])('refuses %s', (version, problem) => {
  expect(() => of(version)).toThrow(`DATABASE_URL: the server is ${problem}`);
});

it('uses read-only transactions only if the server supports them, and waits for other nodes in a cluster', () => {
  const session = (server: typeof MYSQL, access: 'read' | 'write') =>
    sessionStatements(server as ReturnType<typeof serverOf>, access).join(';');
  expect(session(MYSQL, 'read')).toContain('READ ONLY');
  expect(session(TIDB, 'read')).toMatch(/REPEATABLE READ$/);
  expect(session(MYSQL, 'write')).toMatch(/READ COMMITTED, READ WRITE$/);
  expect(session(TIDB, 'write')).toMatch(/READ COMMITTED$/);
  for (const access of ['read', 'write'] as const) {
    expect(session({ ...MARIADB, isGalera: true }, access)).toContain('wsrep_sync_wait = 7');
    expect(session(MARIADB, access)).not.toContain('wsrep');
  }
});

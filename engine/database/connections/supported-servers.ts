import type { Connection } from 'mysql2/promise';
import type { DataSourceOptions } from 'typeorm';
import { SettingError } from '../../ground/setting-error';

/** The differences between servers that speak MySQL's protocol. */
export interface Server {
  /** Without the right type, TypeORM would mistake MariaDB's column defaults for changes. */
  readonly type: 'mysql' | 'mariadb';
  /** Tells whether an upsert refers to the new row by an alias; MySQL deprecated `VALUES()`, but others only support that. */
  readonly hasRowAlias: boolean;
  /** TiDB and Vitess reject or ignore read-only transactions. */
  readonly hasReadOnlyTransactions: boolean;
  /** A Galera node may lag behind others, unless a session asks it to wait. */
  readonly isGalera: boolean;
}

interface Variables {
  version: string;
  version_comment: string;
  wsrep_on?: string;
  wsrep_provider?: string;
}

const ASKED = "'version', 'version_comment', 'wsrep_on', 'wsrep_provider'";

export async function identify(connection: Connection): Promise<Server> {
  const [rows] = await connection.query(`SHOW VARIABLES WHERE Variable_name IN (${ASKED})`);
  const variables = (rows as Record<'Variable_name' | 'Value', string>[]).map(
    ({ Variable_name, Value }) => [Variable_name, Value] as const,
  );
  return serverOf(Object.fromEntries(variables) as unknown as Variables);
}

export function serverOf({ version, version_comment, wsrep_on, wsrep_provider }: Variables): Server {
  const about = `${version} ${version_comment}`;
  const isMariaDb = /mariadb/i.test(about);
  const isDistributed = /tidb|vitess/i.test(about);
  if (!isDistributed) refuseOld(isMariaDb ? 'MariaDB' : 'MySQL', version);
  return {
    type: isMariaDb ? 'mariadb' : 'mysql',
    hasRowAlias: !isMariaDb && !isDistributed,
    hasReadOnlyTransactions: !isDistributed,
    isGalera: wsrep_on === 'ON' && wsrep_provider !== undefined && !/^(none)?$/i.test(wsrep_provider),
  };
}

/** The oldest versions that are supported. MySQL's is the first with row aliases in upserts. */
const OLDEST = { MySQL: [8, 0, 19], MariaDB: [10, 6, 0] } as const;

/** Some servers of MariaDB say 5.5.5 before their version, for old replicas. */
function refuseOld(product: keyof typeof OLDEST, version: string): void {
  const numbers = version.replace(/^5\.5\.5-(?=\d)/, '').match(/\d+/g) ?? [];
  const oldest = OLDEST[product];
  const difference = oldest
    .map((number, index) => Number(numbers[index] ?? 0) - number)
    .find((part) => part !== 0);
  if (difference !== undefined && difference < 0)
    throw new SettingError(
      'DATABASE_URL',
      `the server is ${product} ${version}; Milepost needs ${product} ${oldest.join('.').replace(/\.0$/, '')} or newer`,
    );
}

/** The driver that TypeORM uses: it prepares each session, and has the settings of a second pool. */
export interface SessionDriver {
  readonly server: Server;
  readonly readers: number;
}

/** Undefined on SQLite. */
export function sessionDriverOf(options: DataSourceOptions): SessionDriver | undefined {
  return options.type === 'better-sqlite3' ? undefined : (options as { driver: SessionDriver }).driver;
}

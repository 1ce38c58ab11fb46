import type { Connection } from 'mysql2/promise';
import type { DataSourceOptions } from 'typeorm';

/** What differs between servers that speak MySQL's protocol. */
export interface Server {
  /** TypeORM takes MariaDB's column defaults for changes unless it knows which server it talks to. */
  readonly type: 'mysql' | 'mariadb';
  /** An upsert names the new row by an alias; MySQL deprecated `VALUES()`, and others know nothing else. */
  readonly hasRowAlias: boolean;
  /** TiDB and Vitess refuse or ignore transactions that only read. */
  readonly hasReadOnlyTransactions: boolean;
  /** A node of a Galera cluster answers from what it has applied so far, unless a session asks it to wait. */
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
  const precedesAlias = /^(5\.|8\.0\.1?\d(\D|$))/.test(version);
  return {
    type: isMariaDb ? 'mariadb' : 'mysql',
    hasRowAlias: !isMariaDb && !isDistributed && !precedesAlias,
    hasReadOnlyTransactions: !isDistributed,
    isGalera: wsrep_on === 'ON' && wsrep_provider !== undefined && !/^(none)?$/i.test(wsrep_provider),
  };
}

/** The driver as TypeORM takes it: it prepares each session, and knows what a second pool needs. */
export interface SessionDriver {
  readonly server: Server;
  readonly readers: number;
}

/** Undefined on SQLite. */
export function sessionDriverOf(options: DataSourceOptions): SessionDriver | undefined {
  return options.type === 'better-sqlite3' ? undefined : (options as { driver: SessionDriver }).driver;
}

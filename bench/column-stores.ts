import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Hit } from '../engine/hits/hit';
import { ROOT } from './service';

/** A query in the dialect of each database; the first column of the first row is compared. */
export interface InSql {
  clickhouse: string;
  duckdb: string;
}

/** A database that answers the same queries in the same process. */
export interface ColumnStore {
  name: keyof InSql;
  words: string;
  /** The count of the first row. */
  ask(sql: string): Promise<number>;
  bytes(): Promise<number>;
}

interface ChdbSession {
  query(sql: string, format?: string): string;
}
interface DuckDbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }>;
}

const own = createRequire(join(ROOT, 'bench/compare/'));
const COLUMNS = ['day', 'moment', 'visitor', 'page', 'event', 'referrer', 'campaign', 'browser', 'system'];
const OF_VISITOR = ['device', 'language', 'screen', 'country', 'city'];
const NUMBERS = ['day', 'moment', 'visitor'];

/** A hit as a line of tab-separated values, which contain no tabs. */
export function lineOf(hit: Hit): string {
  const { day, at, page, event, referrer, campaign, browser, operatingSystem } = hit;
  const { device, language, screen, country, city } = hit;
  const visitor = Buffer.from(hit.visitor, 'base64url').readUInt32LE();
  const texts = [page, event ?? '', referrer ?? '', campaign ?? '', browser, operatingSystem];
  return `${[day, at, visitor, ...texts, device, language, screen, country, city].join('\t')}\n`;
}

export function clickHouse(folder: string, file: string): ColumnStore {
  const { Session } = own('chdb') as { Session: new (path: string) => ChdbSession };
  const session = new Session(folder);
  const run = (sql: string) => session.query(sql, 'TSV');
  if (Number(run("SELECT count() FROM system.tables WHERE database = 'year'")) === 0) {
    const types = [...COLUMNS, ...OF_VISITOR].map(
      (name) => `${name} ${NUMBERS.includes(name) ? 'UInt32' : 'LowCardinality(String)'}`,
    );
    run('CREATE DATABASE year ENGINE = Atomic');
    run(`CREATE TABLE year.hits (${types.join(', ')}) ENGINE = MergeTree ORDER BY (day, visitor, moment)`);
    run(`INSERT INTO year.hits SELECT * FROM file('${file}', 'TSV', '${types.join(', ')}')`);
    run('OPTIMIZE TABLE year.hits FINAL');
  }
  const [version] = run('SELECT version()').trim().split('\n');
  const size = "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'year' AND active";
  return {
    name: 'clickhouse',
    words: `ClickHouse ${version}, embedded`,
    ask: (sql) => Promise.resolve(Number(run(sql).split('\n')[0]!.split('\t').at(-1))),
    bytes: () => Promise.resolve(Number(run(size))),
  };
}

export async function duckDb(file: string, hits: string): Promise<ColumnStore> {
  const { DuckDBInstance } = own('@duckdb/node-api') as {
    DuckDBInstance: {
      create(
        path: string,
        options: Record<string, string>,
      ): Promise<{ connect(): Promise<DuckDbConnection> }>;
    };
  };
  const connection = await (await DuckDBInstance.create(file, { threads: '2' })).connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const tables = await rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'hits'");
  if (Number(tables[0]![0]) === 0) {
    const types = [...COLUMNS, ...OF_VISITOR].map(
      (name) => `'${name}': '${NUMBERS.includes(name) ? 'UINTEGER' : 'VARCHAR'}'`,
    );
    await connection.run(
      `CREATE TABLE hits AS SELECT * FROM read_csv('${hits}', delim = '\t', header = false, nullstr = '\\N',
        columns = {${types.join(', ')}})`,
    );
    await connection.run('CHECKPOINT');
  }
  const [[version] = []] = await rows('SELECT version()');
  return {
    name: 'duckdb',
    words: `DuckDB ${String(version)}`,
    ask: async (sql) => Number((await rows(sql))[0]!.at(-1)),
    bytes: async () => {
      const [size] = await rows('SELECT used_blocks * block_size FROM pragma_database_size()');
      return Number(size![0]);
    },
  };
}

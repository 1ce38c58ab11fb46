import { DataSource } from 'typeorm';
import { SettingError } from '../../engine/ground/setting-error';
import { sqliteOptions } from './data-source-options';
import { type Dialect, dialectOf } from '../../engine/database/dialect';
import { migrations } from './migrations/index';
import type { Queryable } from '../../engine/database/rows';

/** The columns of each table. */
type Tables = Map<string, Set<string>>;

/** Among the migrations of a database while it is filled from a backup. */
export const RESTORING = 'Restoring';

let expected: { migrations: number; states: Promise<Tables[]> } | undefined;

/** Rejects a database whose tables were not created by this or an earlier release. */
export async function refuseUnknownTables(database: Queryable, dialect: Dialect): Promise<void> {
  const problem = await describeUnknownState(database, dialect);
  if (problem !== undefined) throw new SettingError('DATABASE_URL', `the database was ${problem}`);
}

/** The name of the first migration that is missing. */
export async function findPending(database: Queryable, dialect: Dialect): Promise<string | undefined> {
  const applied = new Set(await readApplied(database, dialect));
  return migrations.find(({ name }) => !applied.has(name))?.name;
}

/** The first table or column that this release needs and the database lacks. Newer releases may have added more. */
export async function findMissingInTables(
  database: Queryable,
  dialect: Dialect,
): Promise<string | undefined> {
  const pending = await findPending(database, dialect);
  if (pending !== undefined) return `migration ${pending} is missing`;
  return missingFrom(await readTables(database, dialect), (await readExpectedTables()).slice(-1));
}

/**
 * MySQL commits at each table change, and another process may be migrating: the tables may be in any state from the
 * last applied migration on. Names are read before tables.
 */
async function describeUnknownState(database: Queryable, dialect: Dialect): Promise<string | undefined> {
  const applied = await readApplied(database, dialect);
  if (applied.includes(RESTORING))
    return 'left incomplete by a restore or a move that did not end; run that command again';
  const known = migrations.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  const newer = unknown.find((name) => momentOf(name) > momentOf(known.at(-1)!));
  if (newer !== undefined)
    return `made by a newer version of Milepost (migration ${newer} is unknown to this one); start that version`;
  if (unknown.length > 0) return madeByDevelopment(`migration ${unknown[0]!} is unknown`);
  const skipped = known.slice(0, applied.length).find((name) => !applied.includes(name));
  const possible = (await readExpectedTables()).slice(applied.length);
  const tables = await readTables(database, dialect);
  const problem = skipped
    ? `migration ${skipped} is missing`
    : (missingFrom(tables, possible) ?? unknownIn(tables, possible));
  if (problem === undefined) return undefined;
  return applied.length === 0
    ? `not made by Milepost (${problem}); use an empty database`
    : madeByDevelopment(problem);
}

function madeByDevelopment(problem: string): string {
  return `made by a development version of Milepost (${problem}); export it with that version and start with an empty database`;
}

/** The time at the end of a migration's name. */
function momentOf(migration: string): number {
  return Number(/\d*$/.exec(migration)![0]);
}

async function readApplied(database: Queryable, dialect: Dialect): Promise<string[]> {
  const tables = await readTables(database, dialect);
  if (!tables.get('migrations')?.has('name')) return [];
  const rows = await database.query<{ name: string }[]>('SELECT DISTINCT name FROM migrations');
  return rows.map(({ name }) => name);
}

/** The tables of a database with their columns. */
export async function readTables(database: Queryable, dialect: Dialect): Promise<Tables> {
  const rows = await database.query<{ table_name: string; column_name: string }[]>(dialect.allColumns);
  const tables: Tables = new Map();
  for (const { table_name, column_name } of rows) {
    const columns = tables.get(table_name) ?? new Set();
    tables.set(table_name, columns.add(column_name));
  }
  return tables;
}

/** The tables before the first migration and after each, created by SQLite in memory. All databases have the same. */
export function readExpectedTables(): Promise<Tables[]> {
  if (expected?.migrations !== migrations.length)
    expected = { migrations: migrations.length, states: makeInMemory() };
  return expected.states;
}

async function makeInMemory(): Promise<Tables[]> {
  const options = sqliteOptions({ kind: 'sqlite', path: ':memory:' }, 'write', []);
  const source = await new DataSource({ ...options, migrations: [] }).initialize();
  try {
    // Creates TypeORM's own table.
    await source.runMigrations();
    const states: Tables[] = [new Map<string, Set<string>>()];
    const runner = source.createQueryRunner();
    for (const Migration of migrations) {
      await new Migration().up(runner);
      states.push(await readTables(source, dialectOf(source)));
    }
    return states;
  } finally {
    await source.destroy();
  }
}

function missingFrom(tables: Tables, possible: Tables[]): string | undefined {
  for (const name of namesIn(possible)) {
    const wanted = possible.map((state) => state.get(name));
    const columns = tables.get(name);
    if (!columns && wanted.every((table) => table !== undefined)) return `table ${name} is missing`;
    const missing = wanted
      .flatMap((table) => [...(table ?? [])])
      .find(
        (column) => columns?.has(column) === false && wanted.every((table) => table?.has(column) ?? true),
      );
    if (missing !== undefined) return `column ${name}.${missing} is missing`;
  }
  return undefined;
}

function unknownIn(tables: Tables, possible: Tables[]): string | undefined {
  for (const name of namesIn(possible))
    for (const column of tables.get(name) ?? [])
      if (!possible.some((state) => state.get(name)?.has(column)))
        return `column ${name}.${column} is unknown`;
  return undefined;
}

function namesIn(states: Tables[]): Set<string> {
  return new Set(states.flatMap((state) => [...state.keys()]));
}

import { randomInt } from 'node:crypto';
import { type DataSource, MigrationExecutor } from 'typeorm';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import type { StoredValue } from '../../engine/database/connections/snapshot';
import { insertRows, type Transaction } from '../../engine/database/rows';
import { errorCode } from '../../engine/ground/error-code';
import { CommandError } from '../../engine/ground/errors';
import { dataSourceFor } from '../database/connect';
import type { Entities } from '../database/data-source-options';
import { EntityDatabase } from '../database/entity-database';
import { migrations } from '../database/migrations/index';
import { readExpectedTables, readTables, RESTORING } from '../database/schema';
import { isInBackups, type TableHead } from './copied-tables';

const PATIENCE_MS = 10 * 60_000;

/** The migrations of a backup are not those of this release, or of an earlier one. */
export function unknownMigration(names: readonly string[]): string | undefined {
  return names.find((name, index) => migrations[index]?.name !== name);
}

/**
 * A database that is filled. Until it is whole, it has a mark among its migrations, and no process of Milepost uses it.
 */
export class EmptyDatabase {
  private constructor(
    private readonly address: DatabaseAddress,
    private readonly entities: Entities,
    private database: EntityDatabase,
    private readonly tables: ReadonlyMap<string, ReadonlySet<string>>,
    private readonly mark: number,
  ) {}

  /** Creates the tables as they were after some migrations. Refuses a database that has tables of Milepost. */
  static async create(address: DatabaseAddress, entities: Entities, applied: number): Promise<EmptyDatabase> {
    const own = await mark(address, entities);
    const database = await open(address, entities, applied);
    try {
      const tables = (await readExpectedTables())[applied]!;
      await executorOf(database).executePendingMigrations();
      for (const name of tables.keys())
        if (name !== 'migrations') await database.execute(`DELETE FROM ${name}`, []);
      return new EmptyDatabase(address, entities, database, tables, own);
    } catch (error) {
      await database.writer.destroy();
      throw error;
    }
  }

  /** Tells whether these are the tables of a backup. */
  has(tables: readonly Pick<TableHead, 'name' | 'columns'>[]): boolean {
    const expected = [...this.tables.keys()].filter((name) => name !== 'migrations' && isInBackups(name));
    const names = new Set(tables.map(({ name }) => name));
    return (
      tables.length === expected.length &&
      expected.every((name) => names.has(name)) &&
      tables.every(this.fits)
    );
  }

  get metadata(): Pick<DataSource, 'entityMetadatas'> {
    return this.database.writer;
  }

  /** The code of an error that says that rows do not fit the tables. */
  misfitOf(error: unknown): string | undefined {
    const { cause } = error as { cause?: unknown };
    const { meaningOf } = this.database.dialect;
    const own = [error, cause].find(
      (one) =>
        one !== undefined && !(one instanceof CommandError) && ['ours', 'duplicate'].includes(meaningOf(one)),
    );
    return own === undefined ? undefined : errorCode(own);
  }

  async add({ name, columns }: TableHead, rows: StoredValue[][]): Promise<void> {
    await this.database.write(async (tx) => {
      await this.refuseOthers(tx);
      await insertRows(tx, name, [...columns], rows);
    }, PATIENCE_MS);
  }

  /** Applies later migrations. The last transaction makes the database whole. */
  async finish(
    tables: readonly TableHead[],
    last: (tx: Transaction, database: EntityDatabase) => Promise<void>,
  ) {
    for (const { name, lastId } of tables)
      if (lastId > 0)
        for (const statement of this.database.dialect.idsAbove(name, lastId))
          await this.database.execute(statement, []);
    await this.close();
    this.database = await open(this.address, this.entities, migrations.length);
    await executorOf(this.database).executePendingMigrations();
    await this.database.write(async (tx) => {
      await this.refuseOthers(tx);
      await last(tx, this.database);
      await tx.query('DELETE FROM migrations WHERE name = ?', [RESTORING]);
    }, PATIENCE_MS);
  }

  close(): Promise<void> {
    return this.database.writer.destroy();
  }

  private readonly fits = ({ name, columns }: Pick<TableHead, 'name' | 'columns'>): boolean => {
    const known = this.tables.get(name)!;
    return new Set(columns).size === columns.length && columns.every((column) => known.has(column));
  };

  /** Another command may have begun to fill the database anew. */
  private async refuseOthers(tx: Transaction): Promise<void> {
    const marks = await tx.query<object[]>('SELECT 1 FROM migrations WHERE name = ? AND timestamp = ?', [
      RESTORING,
      this.mark,
    ]);
    if (marks.length === 0) throw new CommandError('another command has begun to fill the database');
  }
}

/** The mark is there before any other table. Returns its number, which differs each time. */
async function mark(address: DatabaseAddress, entities: Entities): Promise<number> {
  const database = await open(address, entities, 0);
  try {
    await removeUnfinished(database);
    // Without migrations, this only creates TypeORM's table.
    await executorOf(database).executePendingMigrations();
    const own = randomInt(2 ** 47);
    await database.execute('INSERT INTO migrations (timestamp, name) VALUES (?, ?)', [own, RESTORING]);
    return own;
  } finally {
    await database.writer.destroy();
  }
}

async function open(address: DatabaseAddress, entities: Entities, applied: number): Promise<EntityDatabase> {
  const source = await dataSourceFor(address, entities);
  source.setOptions({ migrations: migrations.slice(0, applied) });
  return EntityDatabase.over(await source.initialize());
}

function executorOf({ writer }: EntityDatabase): MigrationExecutor {
  const executor = new MigrationExecutor(writer);
  executor.transaction = 'none';
  return executor;
}

/** A former attempt may have ended early. */
async function removeUnfinished(database: EntityDatabase): Promise<void> {
  const tables = await readTables(database, database.dialect);
  const own = (await readExpectedTables()).at(-1)!;
  const found = [...tables.keys()].filter((name) => own.has(name));
  if (found.length === 0) return;
  const applied = found.includes('migrations')
    ? await database.query<{ name: string }[]>('SELECT name FROM migrations')
    : [];
  // Its table is there before the mark.
  const isBegun = applied.length === 0 && found.every((name) => name === 'migrations');
  if (!isBegun && !applied.some(({ name }) => name === RESTORING))
    throw new CommandError(`the database is not empty: it has the table ${found[0]!}`);
  // The mark goes last.
  for (const name of found.filter((name) => name !== 'migrations'))
    await database.execute(`DROP TABLE ${name}`, []);
  await database.execute('DROP TABLE migrations', []);
}

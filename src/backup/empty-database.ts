import { type DataSource, MigrationExecutor } from 'typeorm';
import type { DatabaseAddress } from '../../engine/database/connections/address';
import type { StoredValue } from '../../engine/database/connections/snapshot';
import { insertRows, type Transaction } from '../../engine/database/rows';
import { CommandError } from '../../engine/ground/errors';
import { dataSourceFor } from '../database/connect';
import type { Entities } from '../database/data-source-options';
import { EntityDatabase } from '../database/entity-database';
import { migrations } from '../database/migrations/index';
import { readExpectedTables, readTables, RESTORING } from '../database/schema';
import type { TableHead } from './copied-tables';

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
  ) {}

  /** Creates the tables as they were after some migrations. Refuses a database that has tables of Milepost. */
  static async create(address: DatabaseAddress, entities: Entities, applied: number): Promise<EmptyDatabase> {
    await mark(address, entities);
    const database = await open(address, entities, applied);
    try {
      const tables = (await readExpectedTables())[applied]!;
      await executorOf(database).executePendingMigrations();
      for (const name of tables.keys())
        if (name !== 'migrations') await database.execute(`DELETE FROM ${name}`, []);
      return new EmptyDatabase(address, entities, database, tables);
    } catch (error) {
      await database.writer.destroy();
      throw error;
    }
  }

  /** Tells whether the tables have this one. */
  knows({ name, columns }: Pick<TableHead, 'name' | 'columns'>): boolean {
    const known = this.tables.get(name);
    const isOwn = name !== 'migrations' && known !== undefined;
    return isOwn && new Set(columns).size === columns.length && columns.every((column) => known.has(column));
  }

  get metadata(): Pick<DataSource, 'entityMetadatas'> {
    return this.database.writer;
  }

  /** Tells whether rows do not fit the tables. */
  isMisfit(error: unknown): boolean {
    const { cause } = error as { cause?: unknown };
    const { meaningOf } = this.database.dialect;
    return [error, cause].some((own) => own !== undefined && ['ours', 'duplicate'].includes(meaningOf(own)));
  }

  async add({ name, columns }: TableHead, rows: StoredValue[][]): Promise<void> {
    await this.database.write((tx) => insertRows(tx, name, [...columns], rows), PATIENCE_MS);
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
      await last(tx, this.database);
      await tx.query('DELETE FROM migrations WHERE name = ?', [RESTORING]);
    }, PATIENCE_MS);
  }

  close(): Promise<void> {
    return this.database.writer.destroy();
  }
}

/** The mark is there before any other table. */
async function mark(address: DatabaseAddress, entities: Entities): Promise<void> {
  const database = await open(address, entities, 0);
  try {
    await removeUnfinished(database);
    // Without migrations, this only creates TypeORM's table.
    await executorOf(database).executePendingMigrations();
    await database.execute('INSERT INTO migrations (timestamp, name) VALUES (0, ?)', [RESTORING]);
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
  const marks = found.includes('migrations')
    ? await database.query<object[]>('SELECT 1 FROM migrations WHERE name = ?', [RESTORING])
    : [];
  if (marks.length === 0) throw new CommandError(`the database is not empty: it has the table ${found[0]!}`);
  // The mark goes last.
  for (const name of found.filter((name) => name !== 'migrations'))
    await database.execute(`DROP TABLE ${name}`, []);
  await database.execute('DROP TABLE migrations', []);
}

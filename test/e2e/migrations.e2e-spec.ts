import { DataSource, type EntityMetadata, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SettingError } from '../../engine/ground/setting-error';
import { Settings } from '../../src/config/settings';
import { ComparedTables } from '../../src/database/compared-tables';
import { connect, dataSourceFor } from '../../src/database/connect';
import { EntityDatabase } from '../../src/database/entity-database';
import { Lease } from '../../engine/database/lease';
import { migrations } from '../../src/database/migrations/index';
import { ENTITIES } from '../../src/entities';
import { Child } from '../support/child';
import { CommandHost } from '../support/command-host';
import { CountingProcess, pageView } from '../support/counting';
import { change, select } from '../support/database-access';
import { DatabaseProxy } from '../support/database-proxy';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../support/fresh-database';
import { environmentOf, Program } from '../support/programs';
import { startApp } from '../support/test-app';

let database: FreshDatabase;
const host = new CommandHost();
beforeEach(async () => void (database = await freshDatabase()));
afterEach(async () => {
  if (migrations.includes(Later1899000000000)) migrations.pop();
  await database.drop();
});
afterAll(() => host.stop());

/** A possible change of a later release. */
class Later1899000000000 implements MigrationInterface {
  name = 'Later1899000000000';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('api_keys', 'later')))
      await runner.query('ALTER TABLE api_keys ADD COLUMN later INTEGER NULL');
    await runner.query('CREATE TABLE IF NOT EXISTS later (id INTEGER)');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const addLater = () => void migrations.push(Later1899000000000);

/** Applies all migrations, like a release without further ones. */
async function applyAll(): Promise<void> {
  const { options } = await dataSourceFor(new Settings({ DATABASE_URL: database.url }).database, []);
  const source = await new DataSource({ ...options, migrations: [...migrations] }).initialize();
  await source.runMigrations({ transaction: 'none' });
  await source.destroy();
}

async function changeAll(statements: string[]): Promise<void> {
  for (const statement of statements) await change(database.url, statement);
}

/** The columns of all tables, sorted. */
async function tables(): Promise<string[]> {
  const rows = await select<{ name: string }>(
    database.url,
    engine === 'sqlite'
      ? `SELECT t.name || '.' || c.name AS name FROM sqlite_master t JOIN pragma_table_info(t.name) c
        WHERE t.type = 'table'`
      : `SELECT CONCAT(table_name, '.', column_name) AS name FROM information_schema.columns
        WHERE table_schema = DATABASE()`,
  );
  return rows.map(({ name }) => name).sort();
}

async function expectCounting(): Promise<void> {
  const process = await CountingProcess.start(database.url);
  try {
    await process.register(1);
    await process.count(1, [pageView('/a', 'a')]);
    expect(await process.counted(1, 'page')).toEqual({ '/a': 1 });
  } finally {
    await process.stop();
  }
}

const forget = (name: string) => `DELETE FROM migrations WHERE name = '${name}'`;

/** The columns and keys of our tables, one a line, in the words of the database's catalogue. */
const CATALOGUE =
  engine === 'sqlite'
    ? `WITH ours AS (SELECT name FROM sqlite_master
        WHERE type = 'table' AND name NOT IN ('migrations', 'sqlite_sequence'))
      SELECT ours.name || '.' || c.name || ' ' || LOWER(c.type) || IIF(c."notnull", '', ' NULL') AS line
        FROM ours JOIN pragma_table_info(ours.name) c
      UNION ALL SELECT ours.name || ' PRIMARY ' || (SELECT GROUP_CONCAT(name) FROM
        (SELECT name FROM pragma_table_info(ours.name) WHERE pk > 0 ORDER BY pk)) FROM ours
      UNION ALL SELECT ours.name || IIF(i."unique", ' UNIQUE ', ' INDEX ') || (SELECT GROUP_CONCAT(name) FROM
        (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
        FROM ours JOIN pragma_index_list(ours.name) i WHERE i.origin <> 'pk'`
    : `SELECT CONCAT(table_name, '.', column_name, ' ', data_type,
        IF(data_type LIKE 'var%', CONCAT('(', character_maximum_length, ')'), ''),
        IF(is_nullable = 'YES', ' NULL', '')) AS line
        FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name <> 'migrations'
      UNION ALL SELECT CONCAT(table_name,
        IF(index_name = 'PRIMARY', ' PRIMARY ', IF(non_unique, ' INDEX ', ' UNIQUE ')),
        GROUP_CONCAT(column_name ORDER BY seq_in_index))
        FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name <> 'migrations'
        GROUP BY table_name, index_name, non_unique`;

/** The same of an entity. */
function linesOf({ tableName, columns, primaryColumns, uniques, indices }: EntityMetadata): string[] {
  const namesOf = (key: typeof columns) => key.map(({ databaseName }) => databaseName).join();
  const lengthOf = (length: string) => (length && engine !== 'sqlite' ? `(${length})` : '');
  return [
    ...columns.map(
      ({ databaseName, type, length, isNullable }) =>
        `${tableName}.${databaseName} ${String(type)}${lengthOf(length)}${isNullable ? ' NULL' : ''}`,
    ),
    `${tableName} PRIMARY ${namesOf(primaryColumns)}`,
    ...[...uniques, ...indices].map((unique) => `${tableName} UNIQUE ${namesOf(unique.columns)}`),
  ];
}

describe('the entities', () => {
  it('have the tables, columns and keys that the migrations make', async () => {
    const address = new Settings({ DATABASE_URL: database.url }).database;
    const source = await (await dataSourceFor(address, ENTITIES, ComparedTables)).initialize();
    await source.runMigrations({ transaction: 'none' });
    const stored = await select<{ line: string }>(database.url, CATALOGUE);
    expect(source.entityMetadatas.flatMap(linesOf).sort()).toEqual(stored.map(({ line }) => line).sort());
    await expect(source.synchronize()).rejects.toThrow('Only migrations change tables');
    await source.destroy();
  });

  it("change nothing by TypeORM's command line, which compares them with the tables of a server", async () => {
    await applyAll();
    const parameters = ['node_modules/typeorm/cli.js', '-d', 'dist/ormconfig.js', 'schema:log'];
    const env = environmentOf({ DATABASE_URL: database.url });
    const { code, stdout, stderr } = await new Child(process.execPath, parameters, { env }).end();
    if (engine === 'sqlite')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^\[TypeORM misreads [^\n]+\n$/)]);
    else expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('schema is up to date'), '']);
  });
});

describe('a database is taken', () => {
  it('where it is empty but for tables of others', async () => {
    await change(database.url, 'CREATE TABLE wp_users (id INTEGER)');
    await expectCounting();
  });

  it('of an earlier release', async () => {
    await applyAll();
    addLater();
    const before = await tables();
    await expectCounting();
    expect(await tables()).toEqual([...before, 'api_keys.later', 'later.id'].sort());
  });

  it.each([
    ['the first', 0, ['retention', 'users', 'rollups']],
    ['one that adds a column', 1, ['later']],
    ['a whole', 1, []],
  ])('where a server has a part of %s migration, which broke off', async (_, first, missing) => {
    addLater();
    await applyAll();
    const complete = await tables();
    await changeAll([
      ...migrations.slice(first).map(({ name }) => forget(name)),
      ...missing.map((table) => `DROP TABLE ${table}`),
    ]);
    await expectCounting();
    expect(await tables()).toEqual(complete);
  });

  it('with a later column that another process of a server has just added', async () => {
    await applyAll();
    addLater();
    await change(database.url, 'ALTER TABLE api_keys ADD COLUMN later INTEGER NULL');
    await expectCounting();
  });
});

const FIRST = migrations[0]!.name;
const LAST = migrations.at(-1)!.name;
const DEVELOPMENT =
  /^the database was made by a development version of Milepost \((.*)\); export it with that/;
const OTHERS = /^the database was not made by Milepost \((.*)\); use an empty database$/;
const NEWER = /^the database was made by a newer version of Milepost \((.*)\); start that version$/;

describe('a database is refused, and left alone', () => {
  it.each<[string, RegExp, string, string[]]>([
    ['an edited migration made no table', DEVELOPMENT, 'table salts is missing', ['DROP TABLE salts']],
    [
      'an edited migration made a column less',
      DEVELOPMENT,
      'column closed_days.columns_before is missing',
      ['ALTER TABLE closed_days DROP COLUMN columns_before'],
    ],
    [
      'an edited migration made a column more',
      DEVELOPMENT,
      'column salts.kind is unknown',
      ['ALTER TABLE salts ADD COLUMN kind INTEGER'],
    ],
    [
      'a later migration would not mend a column',
      DEVELOPMENT,
      'column inbox.bytes is missing',
      ['ALTER TABLE inbox DROP COLUMN bytes', forget('Later1899000000000')],
    ],
    ['an earlier migration is missing', DEVELOPMENT, `migration ${FIRST} is missing`, [forget(FIRST)]],
    [
      'an older version had other migrations',
      DEVELOPMENT,
      'migration CreateTables1795132800000 is unknown',
      ["INSERT INTO migrations (timestamp, name) VALUES (1795132800000, 'CreateTables1795132800000')"],
    ],
    [
      'a newer release was there',
      NEWER,
      'migration Future1899999999999 is unknown to this one',
      ["INSERT INTO migrations (timestamp, name) VALUES (1899999999999, 'Future1899999999999')"],
    ],
    [
      'a table of somebody else has the name of one of ours',
      OTHERS,
      'column users.email is missing',
      [
        ...migrations.map(({ name }) => forget(name)),
        forget('Later1899000000000'),
        'ALTER TABLE users RENAME TO ours',
        'CREATE TABLE users (id INTEGER)',
      ],
    ],
    [
      'somebody else counts migrations of their own',
      OTHERS,
      'column migrations.timestamp is missing',
      ['DROP TABLE migrations', 'CREATE TABLE migrations (id INTEGER, migration INTEGER)'],
    ],
  ])('where %s', async (_, message, problem, statements) => {
    addLater();
    await applyAll();
    await changeAll(statements);
    const before = await tables();
    const attempts = await Promise.allSettled([1, 2].map(() => CountingProcess.start(database.url)));
    for (const attempt of attempts) {
      const { reason } = attempt as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(SettingError);
      expect(message.exec((reason as Error).message.replace('DATABASE_URL: ', ''))?.[1]).toBe(problem);
    }
    expect(await tables()).toEqual(before);
  });

  it('by the service and by each command, with one line', async () => {
    await applyAll();
    await change(database.url, 'DROP TABLE salts');
    const environment = { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'error' };
    const line = /^(error: )?DATABASE_URL: the database was made by a development version [^\n]+\n$/;
    const service = await new Program('main.js', [], environment).end();
    expect([service.code, service.stderr]).toEqual([1, expect.stringMatching(line)]);
    for (const command of [['migrate'], ['user', 'list'], ['demo'], ['stats', 'verify']]) {
      const { code, stderr } = await host.run(command, environment);
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(line)]);
    }
  });
});

it('is not ready while the tables do not fit, but where they are of a newer release', async () => {
  const service = await startApp({ DATABASE_URL: database.url });
  try {
    const isReady = async () => (await service.api.get('/health/ready')).status;
    const rename = (from: string, to: string) =>
      service.database.write((manager) => manager.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename('ended_sessions', 'away');
    expect((await service.api.get('/health/ready')).body).toMatchObject({
      status: 503,
      code: 'database_unavailable',
      detail: 'The tables of the database are not those of this release.',
    });
    expect(await isReady()).toBe(503);
    expect(service.logs.filter((line) => line.includes('table ended_sessions is missing'))).toHaveLength(1);
    await rename('away', 'ended_sessions');
    expect(await isReady()).toBe(200);
    await service.database.write(async (manager) => {
      await manager.query('ALTER TABLE ended_sessions ADD COLUMN later INTEGER');
      await manager.query("INSERT INTO migrations (timestamp, name) VALUES (1899999999999, 'Later')");
    });
    expect(await isReady()).toBe(200);
    await service.database.write((manager) => manager.query('DELETE FROM migrations WHERE name = ?', [LAST]));
    expect(await isReady()).toBe(503);
  } finally {
    await service.stop();
  }
});

onServer('a process that was frozen while it migrated', () => {
  it('changes nothing more once another one migrates', async () => {
    const proxy = await DatabaseProxy.start(database.url);
    const other = await EntityDatabase.over(
      await connect(new Settings({ DATABASE_URL: database.url }).database, []),
    );
    const next = new Lease(other, 'migrations', 60_000);
    const heldUp = proxy.holdUp((statement) => statement.includes('TABLE IF NOT EXISTS inbox'));
    const frozen = new Program('cli.js', ['migrate'], { DATABASE_URL: proxy.url });
    const pass = await heldUp;
    frozen.signal('SIGSTOP');
    await change(database.url, 'UPDATE leases SET expires_at = 0');
    expect(await next.take()).toBe(true);
    const changes: string[] = [];
    proxy.onStatement = (statement) => {
      if (/^(CREATE TABLE IF NOT EXISTS (?!leases)|ALTER|INSERT INTO `?migrations)/.test(statement))
        changes.push(statement);
    };
    pass();
    frozen.signal('SIGCONT');
    await frozen.tells(/stopped: /);
    await frozen.tells(/waiting for another process/);
    expect(changes).toEqual([]);
    await next.release();
    expect(await frozen.end()).toMatchObject({ code: 0 });
    expect(changes).not.toEqual([]);
    expect(await select(database.url, 'SELECT name FROM migrations')).toHaveLength(migrations.length);
    await other.writer.destroy();
    await proxy.stop();
  });
});

import { ForgottenDay } from '../../engine/columns/damaged-hits';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner';
import { logByNest } from '../../src/common/logger';
import { RETENTION_RULES } from '../../src/retention-rules';
import { DAY_MS, dayText } from '../../engine/ground/time/days';
import { Settings } from '../../src/config/settings';
import { CountingRepository } from '../../engine/columns/counting.repository';
import { CountingService } from '../../engine/columns/counting.service';
import { Verification } from '../../engine/columns/verify/verification';
import { DatabaseUnavailable } from '../../engine/database/errors';
import { Lease } from '../../engine/database/lease';
import { insertRows } from '../../engine/database/rows';
import { DroppedEvents } from '../../src/intake/inbox/dropped-events';
import { Housekeeping } from '../../src/retention/housekeeping';
import { RetentionClock } from '../../engine/database/retention-clock';
import { decodeHits, encodeHits } from '../../engine/hits/hit';
import type { IdSource } from '../../engine/hits/events/event-key';
import { VERSION_ROW } from '../../src/websites/website-changes';
import { CommandHost } from '../support/command-host';
import { closeDays } from '../support/counted';
import { CountingProcess, forgottenAt, pageView, pageViewOn, TODAY } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../support/fresh-database';
import { passTime } from '../support/passing-time';
import { until } from '../support/until';

const HOUR_MS = 3_600_000;
const SETTINGS = new Settings({ ARCHIVE_DAYS: '10', STATS_DAYS: '10' });

let database: FreshDatabase;
let one: CountingProcess;
let clock: RetentionClock;
let housekeeping: Housekeeping;
let websiteId = 0;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  for (const table of [
    'retention',
    'leases',
    'salts',
    'counting',
    'inbox',
    'hit_batches',
    'batch_visitors',
    'hit_days',
    'hit_columns',
    'rollup_spans',
    'rollups',
    'deleted_websites',
  ])
    await one.execute(`DELETE FROM ${table}`);
  clock = new RetentionClock(one.database, SETTINGS);
  housekeeping = new Housekeeping(one.database, clock, RETENTION_RULES);
  await one.register(++websiteId);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await host.stop();
  await one.stop();
  await database.drop();
});

const daysOf = async (table: string) => {
  const rows = await one.database.read((manager) =>
    manager.query<{ day: number }[]>(`SELECT DISTINCT day FROM ${table} ORDER BY day DESC`),
  );
  return rows.map(({ day }) => TODAY - day);
};
const rowsOf = async (table: string) => {
  const [row] = await one.database.read((manager) =>
    manager.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`),
  );
  return Number(row!.n);
};
const addSalts = async (...ago: number[]) => {
  for (const days of ago)
    await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [TODAY - days, Buffer.alloc(60)]);
};
const addVisitors = async (...ago: number[]) => {
  for (const days of ago)
    await one.execute(
      'INSERT INTO batch_visitors (website_id, day, first_hit, forget_at, hashes) VALUES (?, ?, 0, ?, ?)',
      [websiteId, TODAY - days, forgottenAt(TODAY - days), Buffer.alloc(8)],
    );
};
const addHits = async (...ago: number[]) => {
  for (const days of ago)
    await one.execute(
      'INSERT INTO hit_batches (website_id, day, first_hit, size, bytes, stored_bytes, last_at, data) VALUES (?, ?, 0, 0, 0, 0, 0, ?)',
      [websiteId, TODAY - days, Buffer.alloc(1)],
    );
};
const addWebsites = (first: number, count: number) =>
  one.database.write((manager) =>
    insertRows(
      manager,
      'counting',
      ['website_id', 'owner', 'token', 'expires_at', 'folds', 'archived_from'],
      Array.from({ length: count }, (_, index) => [first + index, '', 1, 0, 1, 0]),
    ),
  );
const addDeleted = (first: number, count: number) =>
  one.database.write((manager) =>
    insertRows(
      manager,
      'deleted_websites',
      ['website_id', 'deleted_at'],
      Array.from({ length: count }, (_, index) => [first + index, Date.now()]),
    ),
  );
/** As if the last run of retention was some days ago. */
const lastRun = (ago: number) =>
  one.execute("UPDATE retention SET done_before = done_before - ? WHERE name = 'clock'", [ago * DAY_MS]);

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const runner = engine === 'sqlite' ? BetterSqlite3QueryRunner : MysqlQueryRunner;
  const query = jest.spyOn(runner.prototype, 'query');
  await work();
  const { length } = query.mock.calls;
  query.mockRestore();
  return length;
}

/** On MariaDB. */
function rowsReadBy(sql: string, parameters: unknown[] = []): Promise<number> {
  return one.database.read(async (manager) => {
    const read = async () => {
      const rows = await manager.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    const before = await read();
    await manager.query(sql, parameters);
    return (await read()) - before;
  });
}

it('costs the same few statements for many websites as for one, where nothing is due', async () => {
  const tidy = () => statementsOf(() => housekeeping.tidy());
  const tidyAfresh = async () => {
    await one.execute("DELETE FROM retention WHERE name <> 'clock'");
    return tidy();
  };
  await tidy();
  const [again, afresh] = [await tidy(), await tidyAfresh()];
  await addWebsites(100_000, 10_000);
  expect(await tidy()).toBe(again);
  expect(again).toBeLessThan(40);
  expect(await tidyAfresh()).toBe(afresh);
});

it('costs the same few statements for many deleted websites as for one, where nothing of them is left', async () => {
  const tidy = () => statementsOf(() => housekeeping.tidy());
  await tidy();
  await addDeleted(100_000, 1);
  const forOne = await tidy();
  await addDeleted(100_001, 1000);
  expect(await tidy()).toBe(forOne);
  expect(forOne).toBeLessThan(3.4 * RETENTION_RULES.length);
});

describe('who was there on the days of many websites', () => {
  const ids = Array.from({ length: 300 }, (_, index) => 400_000 + index);
  const DAY = TODAY - 9;
  const rows = (last: (id: number) => unknown[]) => ids.map((id) => [id, DAY, ...last(id)]);

  beforeEach(async () => {
    await addWebsites(ids[0]!, ids.length);
    await one.database.write(async (manager) => {
      const hashes = Buffer.alloc(80);
      await insertRows(
        manager,
        'batch_visitors',
        ['website_id', 'day', 'first_hit', 'forget_at', 'hashes'],
        rows(() => [0, 1, hashes]),
      );
      await insertRows(
        manager,
        'day_visitors',
        ['website_id', 'day', 'sealing', 'first_visitor', 'forget_at', 'hashes'],
        rows((id) => [id, 0, 1, hashes]),
      );
      await insertRows(
        manager,
        'hit_days',
        ['website_id', 'day', 'segment', 'first_part', 'last_part', 'hits', 'sealing', 'sealed_at'],
        rows((id) => [1, 0, 0, 1, id, 0]),
      );
    });
  });
  afterEach(async () => {
    for (const table of ['day_visitors', 'closed_days', 'hit_days'])
      await one.execute(`DELETE FROM ${table} WHERE website_id >= ?`, [ids[0]]);
    await one.execute('DROP TRIGGER IF EXISTS refused');
  });

  it('are forgotten in few transactions', async () => {
    const write = jest.spyOn(one.database, 'write');
    await housekeeping.tidy();
    expect(write.mock.calls.length).toBeLessThan(ids.length / 4);
    for (const table of ['batch_visitors', 'day_visitors'])
      expect([table, await rowsOf(table)]).toEqual([table, 0]);
    const [named] = await one.database.query<{ n: number | string }[]>(
      'SELECT COUNT(*) AS n FROM hit_days WHERE sealing IS NOT NULL',
    );
    expect(Number(named!.n)).toBe(0);
  });

  onServer('some of which go meanwhile', () => {
    it('are forgotten of the websites alone that are locked', async () => {
      const query = Reflect.get(MysqlQueryRunner.prototype, 'query');
      let locked: number[] | undefined;
      jest.spyOn(MysqlQueryRunner.prototype, 'query').mockImplementation(async function (
        this: MysqlQueryRunner,
        ...requested: Parameters<MysqlQueryRunner['query']>
      ) {
        if (!locked && requested[0].startsWith('UPDATE counting SET token = token')) {
          locked = requested[1] as number[];
          await one.database.execute('DELETE FROM batch_visitors WHERE website_id < ?', [locked[10]]);
        }
        return query.apply(this, requested);
      });
      const write = one.database.write.bind(one.database);
      let left: number | undefined;
      jest.spyOn(one.database, 'write').mockImplementation(async (...work) => {
        const written = await write(...work);
        if (locked) left ??= await rowsOf('batch_visitors');
        return written;
      });
      await housekeeping.tidy();
      expect(locked!.length).toBeLessThan(ids.length);
      expect(left).toBe(ids.length - locked!.length);
      jest.restoreAllMocks();
      expect(await rowsOf('batch_visitors')).toBe(0);
    });
  });

  it('are forgotten though those of one of them cannot be', async () => {
    Logger.overrideLogger(false);
    await one.execute(
      engine === 'sqlite'
        ? `CREATE TRIGGER refused BEFORE DELETE ON batch_visitors WHEN OLD.website_id = ${ids[7]} BEGIN SELECT RAISE(ABORT, 'no'); END`
        : `CREATE TRIGGER refused BEFORE DELETE ON batch_visitors FOR EACH ROW
          IF OLD.website_id = ${ids[7]} THEN SIGNAL SQLSTATE '45000'; END IF`,
    );
    await housekeeping.tidy();
    Logger.overrideLogger(true);
    expect([await rowsOf('batch_visitors'), await rowsOf('day_visitors')]).toEqual([1, 0]);
    expect(await housekeeping.warnings()).toContainEqual(
      expect.objectContaining({ code: 'retention_fails', website_id: ids[7] }),
    );
  });
});

describe('visitors of hits that wait in the inbox', () => {
  const DAY = TODAY - 4;
  const NOON = TODAY * DAY_MS + 12 * HOUR_MS;

  beforeEach(() => addWebsites(websiteId, 1));

  /** Rows with a visitor each, by the moment of their acceptance. */
  const addWaiting = (...acceptedAt: number[]) => {
    const hits = encodeHits([pageViewOn(DAY, '/', 'a')]);
    return one.database.write((manager) =>
      insertRows(
        manager,
        'inbox',
        ['website_id', 'accepted_at', 'size', 'bytes', 'hits'],
        acceptedAt.map((moment) => [websiteId, moment, 1, hits.length, hits]),
      ),
    );
  };
  const rowsWithVisitor = async () => {
    const rows = await one.database.query<{ hits: Buffer }[]>('SELECT hits FROM inbox ORDER BY id');
    return rows.flatMap(({ hits }, index) => (decodeHits(hits)[0]!.visitor === '' ? [] : [index]));
  };

  it('are searched where rows were accepted early enough, give or take an hour', async () => {
    const late = Array<number>(450).fill(NOON - HOUR_MS);
    await addWaiting(NOON - 2 * DAY_MS, NOON - 11.5 * HOUR_MS, NOON - 2 * DAY_MS, ...late);
    const read = jest.spyOn(one.database, 'query');
    await housekeeping.tidy(NOON);
    const reads = read.mock.calls.filter(([sql]) => sql.includes('hits FROM inbox'));
    read.mockRestore();
    expect(reads).toHaveLength(1);
    const [row] = await one.database.query<{ id: number }[]>('SELECT MIN(id) AS id FROM inbox');
    const first = Number(row!.id);
    expect(reads[0]![1]!.slice(1).map((id) => Number(id) - first)).toEqual([0, 2]);
    expect((await rowsWithVisitor()).slice(0, 2)).toEqual([1, 3]);
  });

  it('delay the removal of no other hashes', async () => {
    await addWaiting(NOON - 4 * DAY_MS);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const query = one.database.query.bind(one.database);
    jest.spyOn(one.database, 'query').mockImplementation(async (sql, parameters) => {
      if (sql.includes('bytes, accepted_at FROM inbox')) await held;
      return query(sql, parameters);
    });
    for (const ago of [5, 6]) {
      await addVisitors(ago);
      await until(async () => {
        // A round that just ends may note that it ran.
        await one.execute("DELETE FROM retention WHERE name <> 'clock'");
        housekeeping.nudge();
        return (await rowsOf('batch_visitors')) === 0;
      });
    }
    expect(await rowsWithVisitor()).toEqual([0]);
    goOn();
    await until(async () => (await rowsWithVisitor()).length === 0);
    await housekeeping.beforeApplicationShutdown();
  });

  it('are removed beside those of a website whose inbox cannot be changed', async () => {
    Logger.overrideLogger(false);
    await addWaiting(NOON - 4 * DAY_MS);
    await addVisitors(5);
    const fail =
      engine === 'sqlite' ? "BEGIN SELECT RAISE(ABORT, 'no'); END" : "FOR EACH ROW SIGNAL SQLSTATE '45000'";
    await one.execute(`CREATE TRIGGER refused BEFORE UPDATE ON inbox ${fail}`);
    await housekeeping.tidy(NOON);
    await one.execute('DROP TRIGGER refused');
    Logger.overrideLogger(true);
    expect([await rowsOf('batch_visitors'), await rowsWithVisitor()]).toEqual([0, [0]]);
    expect(await housekeeping.warnings()).toContainEqual(
      expect.objectContaining({ code: 'retention_fails', website_id: websiteId }),
    );
  });
});

it('is noted for the columns of a website though a fold knew before when its days are due', async () => {
  const dueAt = async () => {
    const [row] = await one.database.query<{ due_at: number | string | null }[]>(
      'SELECT due_at FROM closed_days WHERE website_id = ?',
      [websiteId],
    );
    return Number(row!.due_at);
  };
  await one.accept(websiteId, pageView('/', 'a'));
  const folder = (await one.folderOf(websiteId))!;
  await folder.foldSome();
  await addHits(30);
  await housekeeping.tidy();
  expect(await dueAt()).toBe(0);
  await one.accept(websiteId, { ...pageView('/', 'b'), day: TODAY - 1 });
  await folder.foldSome().catch(() => undefined);
  await one.endLeases();
  await (await one.folderOf(websiteId))!.foldSome();
  expect(await dueAt()).toBe(0);
});

onServer('looking for what is due', () => {
  it('reads few rows of each website, however many it has', async () => {
    const websites = Array.from({ length: 300 }, (_, index) => 200_000 + index);
    await addWebsites(websites[0]!, websites.length);
    await addDeleted(300_000, 1000);
    for (let hits = 0; hits < 100; hits++)
      await one.database.write((manager) =>
        insertRows(
          manager,
          'batch_visitors',
          ['website_id', 'day', 'first_hit', 'forget_at', 'hashes'],
          websites.map((id) => [id, TODAY, hits, forgottenAt(TODAY), Buffer.alloc(8)]),
        ),
      );
    await one.database.query('ANALYZE TABLE batch_visitors, counting, deleted_websites');
    const query = jest.spyOn(MysqlQueryRunner.prototype, 'query');
    await housekeeping.tidy();
    const looks = query.mock.calls.filter(([sql]) => /^SELECT website_id/.test(sql));
    query.mockRestore();
    expect(looks.length).toBeGreaterThan(10);
    const costly: string[] = [];
    for (const [sql, parameters] of looks)
      if ((await rowsReadBy(sql, parameters as unknown[])) > 10_000) costly.push(sql);
    expect(costly).toEqual([]);
  });
});

it('renews its lease, however little each removal removes', async () => {
  await housekeeping.tidy();
  const first = ++websiteId;
  for (; websiteId < first + 9; websiteId++) await addHits(0);
  await addDeleted(first, 9);
  let passedMs = 0;
  const write = one.database.write.bind(one.database);
  jest.spyOn(one.database, 'write').mockImplementation((...work) => {
    passedMs += 20_000;
    passTime(20_000);
    return write(...work);
  });
  const taken: number[] = [0];
  const fence = Reflect.get(Lease.prototype, 'fence');
  jest.spyOn(Lease.prototype, 'fence').mockImplementation(function (this: Lease, manager) {
    taken.push(passedMs);
    return fence.call(this, manager);
  });
  await housekeeping.tidy();
  taken.push(passedMs);
  const pauses = taken.slice(1).map((moment, index) => moment - taken[index]!);
  expect(passedMs).toBeGreaterThan(180_000);
  expect(Math.max(...pauses)).toBeLessThan(90_000);
  expect(await daysOf('hit_batches')).toEqual([]);
});

it('is done by one process at a time', async () => {
  const second = new Housekeeping(one.database, new RetentionClock(one.database, SETTINGS), RETENTION_RULES);
  await housekeeping.tidy();
  await one.execute('DELETE FROM retention');
  await addSalts(5);
  await second.tidy();
  expect(await daysOf('salts')).toEqual([5]);
  await housekeeping.beforeApplicationShutdown();
  await second.tidy();
  expect(await daysOf('salts')).toEqual([]);
});

it('ends where it was frozen for so long that another process took over', async () => {
  const second = new Housekeeping(one.database, new RetentionClock(one.database, SETTINGS), RETENTION_RULES);
  await housekeeping.tidy();
  for (const first = ++websiteId; websiteId < first + 3; websiteId++) await addHits(0);
  await addDeleted(websiteId - 3, 3);
  let wasFrozen = false;
  const write = one.database.write.bind(one.database);
  jest.spyOn(one.database, 'write').mockImplementation(async (...work) => {
    const written = await write(...work);
    if (!wasFrozen && (await rowsOf('hit_batches')) === 2) {
      wasFrozen = true;
      passTime(100_000);
      await write((manager) => manager.query("UPDATE leases SET owner = 'another', expires_at = 0"));
    }
    return written;
  });
  await housekeeping.tidy();
  expect(await rowsOf('hit_batches')).toBe(2);
  jest.restoreAllMocks();
  await second.tidy();
  expect(await rowsOf('hit_batches')).toBe(0);
  await second.beforeApplicationShutdown();
});

it("goes by the database's clock, not by this machine's", async () => {
  await addWebsites(websiteId, 1);
  await addSalts(0, 1, 2, 3);
  await addVisitors(0, 1, 2, 3);
  await addHits(0, 9, 10, 11);
  await one.accept(websiteId, { ...pageView('/', 'a'), day: TODAY - 9 });
  const aYearAhead = Date.now() + 365 * DAY_MS;
  const now = jest.spyOn(Date, 'now').mockReturnValue(aYearAhead);
  await housekeeping.tidy();
  const { today, statsFrom } = await clock.calendar();
  now.mockRestore();
  expect([today, statsFrom]).toEqual([TODAY, TODAY - 10]);
  expect(await daysOf('salts')).toEqual([0, 1, 2]);
  expect(await daysOf('batch_visitors')).toEqual([0, 1, 2]);
  expect(await daysOf('hit_batches')).toEqual([0, 9, 10]);
});

it('forgets the sessions that somebody signed out of once they would have ended', async () => {
  for (const [name, endsAt] of [
    ['one', Date.now() - 2 * HOUR_MS],
    ['two', Date.now() + HOUR_MS],
  ] as const)
    await one.execute('INSERT INTO ended_sessions (session, ends_at) VALUES (?, ?)', [
      Buffer.from(name),
      endsAt,
    ]);
  await housekeeping.tidy();
  const rows = await one.database.query<{ session: Buffer }[]>('SELECT session FROM ended_sessions');
  expect(rows.map(({ session }) => session.toString().replaceAll('\0', ''))).toEqual(['two']);
});

describe('a removal that fails', () => {
  const refuseDeletesOfHits = (id: number) =>
    one.execute(
      engine === 'sqlite'
        ? `CREATE TRIGGER refused BEFORE DELETE ON hit_batches WHEN OLD.website_id = ${id} BEGIN SELECT RAISE(ABORT, 'refused'); END`
        : `CREATE TRIGGER refused BEFORE DELETE ON hit_batches FOR EACH ROW IF OLD.website_id = ${id} THEN SIGNAL SQLSTATE '45000'; END IF`,
    );
  const websitesIn = async (table: string) =>
    (
      await one.database.query<{ website_id: number }[]>(
        `SELECT DISTINCT website_id FROM ${table} ORDER BY 1`,
      )
    ).map(({ website_id }) => website_id);

  it('holds up no other website and no other table, and is reported until it works', async () => {
    const damaged = websiteId;
    const others = [++websiteId, ++websiteId];
    await addWebsites(damaged, 3);
    for (websiteId = damaged; websiteId <= others[1]!; websiteId++) await addHits(20);
    await addVisitors(0);
    await one.execute('INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, 0)', [damaged]);
    await one.execute('INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, 0)', [websiteId]);
    await refuseDeletesOfHits(damaged);
    await one.execute('ALTER TABLE limit_counts RENAME TO limit_counts_away');
    await housekeeping.tidy();
    await one.execute('ALTER TABLE limit_counts_away RENAME TO limit_counts');

    expect(await websitesIn('hit_batches')).toEqual([damaged]);
    expect(await websitesIn('counting')).toEqual(others);
    expect(await websitesIn('batch_visitors')).toEqual([]);
    expect(await websitesIn('deleted_websites')).toEqual([damaged]);
    const fails = (name: string) => ({
      code: 'retention_fails',
      detail: expect.stringMatching(new RegExp(` since .+Z: ${name}: (ER|SQLITE)_`)),
    });
    expect(await housekeeping.warnings()).toEqual([
      { ...fails('hits'), website_id: damaged },
      fails('counts of requests'),
      { ...fails('deleted websites'), website_id: damaged },
    ]);

    await one.execute('DROP TRIGGER refused');
    await housekeeping.tidy();
    expect(await websitesIn('hit_batches')).toEqual([]);
    expect(await websitesIn('deleted_websites')).toEqual([]);
    expect(await housekeeping.warnings()).toEqual([]);
  });
});

it('names the code of the driver where the database is away', async () => {
  const away = new DatabaseUnavailable(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
  for (const work of ['write', 'query'] as const) jest.spyOn(one.database, work).mockRejectedValue(away);
  const warned: unknown[] = [];
  logByNest();
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => void warned.push(message));
  housekeeping.nudge();
  const counting = new CountingService(one.database, SETTINGS, clock);
  counting.start();
  const dropped = new DroppedEvents(one.store);
  jest.spyOn(one.database, 'execute').mockRejectedValue(away);
  dropped.add(websiteId, TODAY, 'bot');
  await dropped.beforeApplicationShutdown();
  await housekeeping.beforeApplicationShutdown();
  await counting.stop();
  expect(new Set(warned)).toEqual(
    new Set([
      'cleanup postponed: ECONNREFUSED',
      'counting waits for the database: ECONNREFUSED',
      'dropped events wait for the database: ECONNREFUSED',
      'the latest dropped events could not be stored, and are not counted',
    ]),
  );
});

describe('a clock that is far ahead of the last run', () => {
  beforeEach(async () => {
    await addWebsites(websiteId, 1);
    await housekeeping.tidy();
    await one.execute("DELETE FROM retention WHERE name <> 'clock'");
    await addSalts(0, 20);
    await addVisitors(0, 20);
    await addHits(0, 20, 60);
  });

  it('removes salts and the visitors under them, but neither statistics nor archive', async () => {
    await lastRun(21);
    const restarted = new RetentionClock(one.database, SETTINGS);
    await housekeeping.beforeApplicationShutdown();
    const process = new Housekeeping(one.database, restarted, RETENTION_RULES);
    await process.tidy();
    await process.tidy();
    expect(await daysOf('salts')).toEqual([0]);
    expect(await daysOf('batch_visitors')).toEqual([0]);
    expect(await daysOf('hit_batches')).toEqual([0, 20]);
    expect((await restarted.calendar()).statsFrom).toBe(TODAY - 31);
    expect(await process.warnings()).toEqual([
      { code: 'retention_held', detail: expect.stringMatching(/ 21 days after .+ "retention confirm" /) },
    ]);

    const confirmed = await host.run(['retention', 'confirm'], { DATABASE_URL: database.url });
    expect([confirmed.code, confirmed.stdout]).toEqual([
      0,
      expect.stringMatching(/^Retention continues as of /),
    ]);
    await process.tidy();
    expect(await daysOf('hit_batches')).toEqual([0]);
    expect(await process.warnings()).toEqual([]);
  });

  it('removes what would grow without end', async () => {
    const rows: Record<string, (moment: number, key: number) => Record<string, unknown>> = {
      event_ids: (accepted_at, key) => ({
        website_id: websiteId,
        event_id: Buffer.alloc(17, key),
        batch: Buffer.alloc(8),
        accepted_at,
      }),
      limit_counts: (ends_at, key) => ({ counter: Buffer.alloc(16, key), ends_at, used: 1 }),
      ended_sessions: (ends_at, key) => ({ session: Buffer.alloc(16, key), ends_at }),
      store_requests: (created_at, key) => ({
        user_id: 1,
        idempotency_key: Buffer.alloc(32, key),
        request: Buffer.alloc(32),
        website_id: websiteId,
        created_at,
      }),
      reserved_domains: (reserved_until, key) => ({ domain: `${key}.example`, user_id: 1, reserved_until }),
      deleted_websites: (deleted_at, key) => ({ website_id: 400_000 + key, deleted_at }),
    };
    const [old, young] = [Date.now() - 8 * DAY_MS, Date.now() + HOUR_MS];
    for (const [table, rowOf] of Object.entries(rows)) {
      await one.execute(`DELETE FROM ${table}`);
      for (const row of [rowOf(old, 1), rowOf(young, 2)])
        await one.database.write((manager) =>
          insertRows(manager, table, Object.keys(row), [Object.values(row)]),
        );
    }
    await lastRun(21);
    await housekeeping.beforeApplicationShutdown();
    const process = new Housekeeping(
      one.database,
      new RetentionClock(one.database, SETTINGS),
      RETENTION_RULES,
    );
    await process.tidy();
    expect((await process.warnings()).map(({ code }) => code)).toEqual(['retention_held']);
    expect(await daysOf('hit_batches')).toEqual([0, 20]);
    for (const [table, rowOf] of Object.entries(rows)) {
      const left = await one.database.query<Record<string, unknown>[]>(`SELECT * FROM ${table}`);
      expect([table, left]).toEqual([table, [rowOf(young, 2)]]);
    }
  });

  it('is believed for some days, and where the process saw the time pass', async () => {
    await lastRun(6);
    const restarted = new RetentionClock(one.database, SETTINGS);
    expect((await restarted.calendar()).statsFrom).toBe(TODAY - 10);
    await restarted.begin();
    await lastRun(30);
    expect((await restarted.calendar()).statsFrom).toBe(TODAY - 10);
    expect((await new RetentionClock(one.database, SETTINGS).calendar()).statsFrom).toBe(TODAY - 40);
  });
});

describe('a clock that was ahead and was set back', () => {
  const ahead = () => Date.now() + 365 * DAY_MS;

  it('leaves nothing behind that is kept for longer', async () => {
    await addWebsites(websiteId, 1);
    await housekeeping.tidy();
    await housekeeping.tidy(ahead());
    await addSalts(0, 5);
    await addVisitors(0, 5);
    await housekeeping.tidy();
    expect(await daysOf('salts')).toEqual([0]);
    expect(await daysOf('batch_visitors')).toEqual([0]);
  });

  it('does not keep the leases of processes that are gone', async () => {
    await one.accept(websiteId, pageView('/', 'a'));
    const gone = [randomUUID(), ahead()];
    await addWebsites(websiteId, 1);
    await one.execute('UPDATE counting SET owner = ?, expires_at = ?', gone);
    await one.execute(
      "INSERT INTO leases (name, owner, token, expires_at) VALUES ('housekeeping', ?, 0, ?)",
      gone,
    );
    await addSalts(5);
    await housekeeping.tidy();
    expect(await daysOf('salts')).toEqual([]);
    expect(await one.counting.foldAll()).toBe(1);
  });

  it('does not keep the hits of days in batches', async () => {
    await one.accept(websiteId, { ...pageView('/', 'a'), day: TODAY - 5 });
    await (await one.folderOf(websiteId))!.foldSome();
    await one.endLeases();
    await closeDays(one.counting, websiteId);
    await one.execute('UPDATE closed_days SET columns_before = ?', [TODAY + 365]);
    await one.endLeases();
    const due: number[] = [];
    for await (const some of new CountingRepository(one.database, '').findDue(Date.now()))
      due.push(...some.map((own) => own.websiteId));
    expect(due).toContain(websiteId);
    await closeDays(one.counting, websiteId);
    passTime(10_000);
    await closeDays(one.counting, websiteId);
    expect(await daysOf('hit_days')).toEqual([5]);
  });

  it('tells no moment of the future as the one up to which events are counted', async () => {
    await one.accept(websiteId, pageView('/', 'a'));
    await one.execute('UPDATE inbox SET accepted_at = ?', [ahead()]);
    expect((await one.asOf(websiteId)).getTime()).toBeLessThanOrEqual(Date.now());
  });
});

it("knows an event by its id for as long as the database's clock says", async () => {
  await addWebsites(websiteId, 1);
  const [hit, eventId] = [pageView('/', 'a'), randomUUID()];
  const send = (source: IdSource) =>
    one.store.accept([{ websiteId, source, hits: [{ hit, eventId }] }], VERSION_ROW);
  const foldAll = async () => (await one.folderOf(websiteId))!.foldSome();
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 365 * DAY_MS);
  expect(await send('server')).toEqual([[true]]);
  await send('browser');
  await foldAll();
  now.mockRestore();
  await housekeeping.tidy();
  expect(await send('server')).toEqual([[false]]);
  await send('browser');
  await foldAll();
  expect(await one.counted(websiteId, 'page')).toEqual({ '/': 2 });
});

describe('visitors under a salt that is gone', () => {
  const acceptedAt = (moment: number) => one.execute('UPDATE inbox SET accepted_at = ?', [moment]);

  it('go whatever waits in the inbox, and are reported where they are still there', async () => {
    await addWebsites(websiteId, 1);
    await addVisitors(1, 2, 3);
    await one.accept(websiteId, { ...pageView('/', 'a'), day: TODAY - 3 });
    await acceptedAt((TODAY - 2) * DAY_MS + 47 * HOUR_MS);
    const name = 'visitors of hits, with their salt';
    await one.execute('INSERT INTO retention (name, done_before) VALUES (?, ?)', [
      name,
      Date.now() - 5 * DAY_MS,
    ]);
    expect(await housekeeping.warnings()).toEqual([
      { code: 'retention_late', detail: expect.stringContaining(name) },
    ]);
    await housekeeping.tidy();
    expect(await daysOf('batch_visitors')).toEqual([1, 2]);
    expect(await housekeeping.warnings()).toEqual([]);
  });

  it('are kept at the hits of a past day that has just been filled', async () => {
    await one.accept(websiteId, { ...pageView('/', 'a'), day: TODAY - 8 });
    await (await one.folderOf(websiteId))!.foldSome();
    await housekeeping.tidy();
    expect(await daysOf('batch_visitors')).toEqual([8]);
  });

  it('go under a fold that was about to use them, and later hits of their day are counted without a visitor', async () => {
    const DAY = TODAY - 3;
    const hitOf = (page: string, visitor: string) => ({ ...pageView(page, visitor), day: DAY });
    await one.accept(websiteId, hitOf('/', 'a'));
    await acceptedAt(Date.now());
    const folder = (await one.folderOf(websiteId))!;
    await folder.foldSome();
    await one.accept(websiteId, hitOf('/', 'a'), hitOf('/late', 'b'), pageView('/', 'a'));
    await acceptedAt((DAY + 1) * DAY_MS);
    await one.execute('UPDATE batch_visitors SET forget_at = ?', [Date.now() - HOUR_MS]);
    await housekeeping.tidy();
    expect(await daysOf('batch_visitors')).toEqual([]);
    expect(await daysOf('hit_batches')).toEqual([3]);
    expect(await folder.foldSome()).toBe(3);
    const on = (name: 'visitor' | 'page', day: number) => one.counted(websiteId, name, day, day);
    expect(await on('visitor', DAY)).toEqual({ [dayText(DAY)]: 1 });
    expect(await on('page', DAY)).toEqual({ '/': 2, '/late': 1 });
    expect(await on('visitor', TODAY)).toEqual({ [dayText(TODAY)]: 1 });
    const verification = new Verification(one.database, clock, SETTINGS);
    expect(await verification.verifyDay(websiteId, TODAY, () => undefined)).toEqual([]);
    await expect(verification.verifyDay(websiteId, DAY, () => undefined)).rejects.toThrow(ForgottenDay);
  });
});

it('keeps the ids of events while something that was sent when they were known waits in the inbox', async () => {
  const eventId = randomUUID();
  const idsOf = async (id: number) => {
    const sql = 'SELECT website_id FROM event_ids WHERE website_id = ?';
    return (await one.database.query<unknown[]>(sql, [id])).length;
  };
  const send = (id: number) => one.acceptWithIds(id, { hit: pageView('/', 'a'), eventId });
  const site = websiteId;
  const other = ++websiteId;
  await one.register(other);
  for (const id of [site, other]) {
    await send(id);
    await (await one.folderOf(id))!.foldSome();
  }
  await send(site);
  const inTwoDays = Date.now() + 49 * HOUR_MS;
  await housekeeping.tidy(inTwoDays);
  expect([await idsOf(site), await idsOf(other)]).toEqual([1, 0]);
  await (await one.folderOf(site))!.foldSome();
  expect(await one.counted(site, 'page')).toEqual({ '/': 1 });
  await housekeeping.tidy(inTwoDays);
  expect(await idsOf(site)).toBe(0);
});

it('gives rollups up by STATS_DAYS, and what is left over of them goes with the next work', async () => {
  const numbers = () => rowsOf('rollups');
  await one.count(websiteId, [
    { ...pageView('/old', 'a'), day: TODAY - 11 },
    { ...pageView('/kept', 'a'), day: TODAY - 10 },
  ]);
  await one.rollUpDays(websiteId, TODAY - 9);
  const before = await numbers();
  await housekeeping.tidy();
  expect([await daysOf('rollup_spans'), await daysOf('hit_days')]).toEqual([[10], [10]]);
  expect(await one.counted(websiteId, 'page', TODAY - 30, TODAY)).toEqual({ '/kept': 1 });
  await one.rollUpDays(websiteId, TODAY - 9);
  expect([before, await numbers()]).toEqual([2, 1]);
});

if (engine === 'sqlite') {
  const files = () => {
    const folder = dirname(database.url.slice('sqlite:'.length));
    return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  };

  it('leaves no hash that was removed in any file, and empties the log for nothing else', async () => {
    const emptyLog = jest.spyOn(one.database, 'emptyLog');
    const now = forgottenAt(TODAY);
    const isEmptied = async () => {
      emptyLog.mockClear();
      await housekeeping.tidy(now);
      return emptyLog.mock.calls.length > 0;
    };
    const { visitor } = pageView('/', 'Q');
    const isHashFound = () =>
      [visitor, Buffer.from(visitor, 'base64url')].some((hash) => files().includes(hash));
    const count = () => one.count(websiteId, [pageView('/', 'Q')]);
    const tidyAgain = () => one.execute("DELETE FROM retention WHERE name <> 'clock'");
    expect(await isEmptied()).toBe(true);

    const ids = await rowsOf('event_ids');
    await one.execute(
      'INSERT INTO event_ids (website_id, event_id, batch, accepted_at) VALUES (?, ?, ?, 0)',
      [websiteId, Buffer.alloc(17), Buffer.alloc(16)],
    );
    await count();
    await one.execute("DELETE FROM retention WHERE name = 'event ids'");
    expect([await isEmptied(), await rowsOf('event_ids'), isHashFound()]).toEqual([false, ids, true]);

    await tidyAgain();
    expect([await isEmptied(), await rowsOf('batch_visitors'), isHashFound()]).toEqual([true, 0, false]);

    await count();
    await one.execute('DELETE FROM websites WHERE id = ?', [websiteId]);
    await one.execute('INSERT INTO deleted_websites (website_id, deleted_at) VALUES (?, ?)', [
      websiteId,
      now,
    ]);
    expect([await isEmptied(), await rowsOf('batch_visitors'), isHashFound()]).toEqual([true, 0, false]);
    await tidyAgain();
    expect(await isEmptied()).toBe(false);
  });
}

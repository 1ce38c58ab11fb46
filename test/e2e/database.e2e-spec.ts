import { Overloaded } from '../../engine/ground/errors';
import { Settings } from '../../src/config/settings';
import { DatabaseUnavailable } from '../../engine/database/errors';
import { Lease, LeaseLost } from '../../engine/database/lease';
import { memoryOfThreads } from '../../engine/asking/memory/working-memory';
import { QueryThread } from '../../engine/columns/threads/query-thread';
import { askerOf, owner } from '../../src/stats/viewers/viewer';
import { CountingProcess, pageView } from '../support/counting';
import { DatabaseProxy } from '../support/database-proxy';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../support/fresh-database';
import { QUICK_ROLLUPS, SLOW_ROLLUPS, waitingOf } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

let database: FreshDatabase;
let process: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  process = await CountingProcess.start(database.url);
});
afterAll(async () => {
  await process.stop();
  await database.drop();
});

if (engine === 'sqlite')
  describe('a transaction inside a transaction on one connection', () => {
    it('is refused, where it would wait for itself', async () => {
      const inner = () => process.database.write(() => Promise.resolve(1));
      await expect(process.database.write(inner)).rejects.toThrow('must not open another one');
    });

    it('is allowed once the outer one has ended', async () => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      let later: Promise<number> | undefined;
      await process.database.write(() => {
        later = ended.then(() => process.database.write(() => Promise.resolve(1)));
        return Promise.resolve(undefined);
      });
      end();
      expect(await later).toBe(1);
    });
  });

it('says that all is counted up to the millisecond before the oldest event that waits', async () => {
  await process.register(1);
  await process.accept(1, pageView('/a', 'a'));
  await process.accept(1, pageView('/b', 'b'));
  const [row] = await process.database.query<{ oldest: number | string }[]>(waitingOf(1));
  expect((await process.asOf(1)).getTime()).toBe(Number(row!.oldest) - 1);
});

onServer('a lease', () => {
  it('is free once the work under it has ended, even where it was just being renewed', async () => {
    const proxy = await DatabaseProxy.start(database.url);
    const other = await CountingProcess.start(proxy.url);
    const sent: string[] = [];
    proxy.onStatement = (statement) => void sent.push(statement);
    let renewal: (() => void) | undefined;
    const work = new Lease(other.database, 'work', 600).during(async () => {
      renewal = await proxy.holdUp((statement) => statement.includes('UPDATE leases'));
    });
    const pass = await until(() => renewal);
    await other.database.query('SELECT 1');
    expect(sent.filter((statement) => statement.includes('expires_at = 0'))).toEqual([]);
    pass();
    await work;
    expect(await new Lease(process.database, 'work', 60_000).take()).toBe(true);
    await other.stop();
    await proxy.stop();
  });
});

describe('a lease that another process took', () => {
  const LEASE_MS = 300;
  let other: CountingProcess;
  beforeAll(async () => void (other = await CountingProcess.start(database.url)));
  afterAll(() => other.stop());

  /** As if the owner had been frozen for too long. */
  const end = (name: string) => process.execute('UPDATE leases SET expires_at = 0 WHERE name = ?', [name]);

  it('ends the work of its first owner, and is not taken back', async () => {
    const first = new Lease(process.database, 'taken', LEASE_MS);
    const second = new Lease(other.database, 'taken', 60_000);
    const steps: string[] = [];
    const work = first.during(async () => {
      for (;;) {
        await first.assertHeld();
        steps.push('first');
        if (steps.length === 1) {
          await end('taken');
          expect(await second.take()).toBe(true);
          steps.push('second');
        }
      }
    });
    await expect(work).rejects.toThrow(new LeaseLost('taken'));
    await second.release();
    expect(await first.isHeld()).toBe(false);
    expect(await first.take()).toBe(true);
    await first.release();
  });

  it('is lost even where its next owner has ended meanwhile', async () => {
    const first = new Lease(process.database, 'ended', 1);
    const second = new Lease(other.database, 'ended', 60_000);
    expect(await first.take()).toBe(true);
    await end('ended');
    await second.during(() => Promise.resolve());
    await expect(first.assertHeld()).rejects.toThrow('another process has taken the lease ended');
  });

  describe('and what is written under it', () => {
    const NAME = 'written';
    let first: Lease;
    beforeEach(async () => {
      first = new Lease(process.database, NAME, 60_000);
      await first.seize();
      await process.execute('DELETE FROM retention');
    });

    const write = (lease: Lease, moment: number) =>
      lease.write((manager) =>
        manager.query('INSERT INTO retention (name, done_before) VALUES (?, ?)', [String(moment), moment]),
      );
    const written = async () => {
      const rows = await process.database.query<{ done_before: number }[]>(
        'SELECT done_before FROM retention ORDER BY done_before',
      );
      return rows.map(({ done_before }) => Number(done_before));
    };
    const token = async () => {
      const rows = await process.database.query<{ token: number }[]>(
        'SELECT token FROM leases WHERE name = ?',
        [NAME],
      );
      return Number(rows[0]!.token);
    };

    it('is nothing of its first owner, also where the next one has given it back', async () => {
      const second = new Lease(other.database, NAME, 60_000);
      expect(await second.take()).toBe(false);
      await write(first, 1);
      await end(NAME);
      expect(await second.take()).toBe(true);
      await expect(write(first, 2)).rejects.toThrow(new LeaseLost(NAME));
      await write(second, 3);
      await second.release();
      await expect(write(first, 4)).rejects.toThrow(new LeaseLost(NAME));
      expect(await first.isHeld()).toBe(false);
      expect(await written()).toEqual([1, 3]);
    });

    it('raises a token, as each renewal does, and a release does not put it back', async () => {
      const tokens = [await token()];
      for (const use of [
        () => first.assertHeld(),
        () => write(first, 1),
        () => first.release(),
        () => first.take(),
      ]) {
        await use();
        tokens.push(await token());
      }
      expect(tokens.map((one) => one - tokens[0]!)).toEqual([0, 1, 2, 2, 3]);
    });

    it('goes on after a write that may or may not be committed', async () => {
      const commit = process.database.write.bind(process.database);
      const answerLost = jest.spyOn(process.database, 'write').mockImplementationOnce(async (...work) => {
        await commit(...work);
        throw new DatabaseUnavailable();
      });
      await expect(write(first, 1)).rejects.toThrow(DatabaseUnavailable);
      answerLost.mockRestore();
      await Promise.all([write(first, 2), write(first, 3)]);
      await expect(write(first, 3)).rejects.toThrow();
      await write(first, 4);
      expect(await written()).toEqual([1, 2, 3, 4]);
    });
  });

  it('is held on where nobody has taken it', async () => {
    const first = new Lease(process.database, 'free', 1);
    expect(await first.take()).toBe(true);
    await end('free');
    expect(await first.isHeld()).toBe(true);
  });
});

const THREADS = 2;
if (engine === 'sqlite')
  describe('statistics of SQLite', () => {
    let service: TestApp;
    let ids: number[];
    const names = ['page', 'event'] as const;
    beforeAll(async () => {
      service = await startApp();
      const domains = Array.from({ length: THREADS }, (_, index) => `n${index}.example`);
      const stored = domains.map((domain) => service.api.post('/api/v1/websites', { form: { domain } }));
      ids = (await Promise.all(stored)).map(({ body }) => body.data.id as number);
      for (const statement of SLOW_ROLLUPS) await service.database.query(statement);
    });
    afterAll(() => service.stop());

    const read = (id: number) =>
      service.api.get(`/api/v1/stats/${id}?name=page&from=2026-01-01&to=2026-01-02`);

    it('hold up neither look-ups nor writes', async () => {
      let isDone = false;
      const reads = Promise.all(ids.map(read)).finally(() => (isDone = true));
      expect((await service.api.get('/api/v1/websites')).status).toBe(200);
      expect((await service.api.post('/api/v1/websites', { form: { domain: 'a.example' } })).status).toBe(
        201,
      );
      expect(isDone).toBe(false);
      // A busy machine may take longer for a read than its deadline.
      for (const { status } of await reads) expect([200, 503]).toContain(status);
    });

    it('end at their deadline, or with their thread, and the next ones are answered', async () => {
      const { database: address, timezone } = service.app.get(Settings);
      const data = {
        address,
        timezone,
        cacheMb: 128,
        threads: 1,
        newValuesPerDay: 250_000,
        moves: undefined,
      };
      const thread = new QueryThread(
        { ...data, memory: memoryOfThreads(1)[0]!, lane: 'plain' },
        // A busy machine takes long for the statement that no thread can end.
        { patienceMs: 100, graceMs: 50_000 },
      );
      const order = { by: 'count', direction: 'desc' } as const;
      const request = {
        asker: askerOf(owner(1)),
        websiteId: ids[0]!,
        statsFrom: 0,
        range: { from: 0, to: 1 },
        previous: undefined,
        names: names.map((name) => ({ name, order, skip: 0, take: 1 })),
      };
      const ask = () => thread.ask('plain', request, { signal: undefined });
      await expect(ask()).rejects.toMatchObject({ code: 'question_too_long' });
      const ended = expect(ask()).rejects.toThrow(Overloaded);
      await thread.end();
      await ended;
      for (const statement of QUICK_ROLLUPS) await service.database.query(statement);
      expect((await until(() => ask().catch(() => undefined))).names).toHaveLength(names.length);
      expect((await read(ids[0]!)).status).toBe(200);
      await thread.stop();
    });
  });

import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { DatabaseUnavailable } from '../../../engine/database/errors';
import { LeaseLost } from '../../../engine/database/lease';
import { eventKey } from '../../../engine/hits/events/event-key';
import { CountingProcess, pageView, TODAY } from '../../support/counting';
import { DatabaseProxy } from '../../support/database-proxy';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { keptHits } from '../../support/stored-days';
import { textOfAllTables } from '../../support/tables';
import { until } from '../../support/until';

let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterAll(() => database.drop());

onServer('a fold whose answer to COMMIT is lost', () => {
  it('was counted, and goes on with nothing remembered', async () => {
    const proxy = await DatabaseProxy.start(database.url);
    const process = await CountingProcess.start(proxy.url);
    const websiteId = 9001;
    await process.register(websiteId);
    await process.accept(websiteId, pageView('/a', 'a'));
    const folder = await process.folderOf(websiteId);
    const lost = proxy.loseAnswerTo(
      (statement, previous) => statement === 'COMMIT' && previous.startsWith('INSERT INTO batch_visitors'),
    );
    await expect(Promise.all([folder!.foldSome(), lost])).rejects.toThrow(DatabaseUnavailable);
    await process.accept(websiteId, pageView('/a', 'a'), pageView('/b', 'b'));
    await expect(folder!.foldSome()).rejects.toThrow(LeaseLost);
    await (await process.folderOf(websiteId))!.foldSome();
    expect(await process.counted(websiteId, 'page')).toEqual({ '/a': 2, '/b': 1 });
    await process.stop();
    await proxy.stop();
  });
});

describe('between two folders', () => {
  let proxy: DatabaseProxy | undefined;
  let one: CountingProcess;
  let other: CountingProcess;
  let websiteId = 10_000;

  beforeAll(async () => {
    proxy = engine === 'server' ? await DatabaseProxy.start(database.url) : undefined;
    one = await CountingProcess.start(proxy?.url ?? database.url);
    other = await CountingProcess.start(database.url);
  });
  beforeEach(() => one.register(++websiteId));
  afterAll(async () => {
    await one.stop();
    await other.stop();
    await proxy?.stop();
  });

  const total = async (name: 'page' | 'visitor' | 'browser') =>
    Object.values(await one.counted(websiteId, name)).reduce((sum, hits) => sum + hits, 0);

  it('one at a time has the lease', async () => {
    expect(await one.folderOf(websiteId)).toBeDefined();
    expect(await other.folderOf(websiteId)).toBeUndefined();
    await one.endLeases();
    expect(await other.folderOf(websiteId)).toBeDefined();
    expect(await one.folderOf(websiteId)).toBeUndefined();
  });

  it('what has an id is counted once, by whichever of them, and its id is not archived', async () => {
    const [early, late] = [randomUUID(), randomUUID()];
    const view = (page: string, eventId: string | null) => ({ hit: pageView(page, page[1]!), eventId });
    const first = (await one.folderOf(websiteId))!;
    await one.acceptWithIds(websiteId, view('/a', early), view('/b', null), view('/a', early));
    await other.acceptWithIds(websiteId, view('/c', early));
    expect(await first.foldSome()).toBe(4);
    await one.acceptWithIds(websiteId, view('/d', early));
    expect(await first.foldSome()).toBe(1);
    await one.acceptWithIds(websiteId, view('/e', late), view('/f', early), view('/g', null));
    await one.endLeases();
    expect(await (await other.folderOf(websiteId))!.foldSome()).toBe(3);
    expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 1, '/b': 1, '/e': 1, '/g': 1 });
    expect(await total('visitor')).toBe(4);
    const kept = await keptHits(one.database, websiteId);
    expect(kept.map(({ page }) => page)).toEqual(['/a', '/b', '/e', '/g']);
    const text = await textOfAllTables(one.database);
    expect([early, late].filter((id) => text.includes(id))).toEqual([]);
  });

  describe('an id that another transaction inserts before a fold does', () => {
    const eventId = randomUUID();

    async function insertBeforeFold(): Promise<void> {
      await one.acceptWithIds(
        websiteId,
        { hit: pageView('/a', 'a'), eventId },
        { hit: pageView('/b', 'b'), eventId: null },
      );
      const write = one.database.write.bind(one.database);
      const insertion =
        'INSERT INTO event_ids (website_id, event_id, batch, accepted_at) VALUES (?, ?, ?, 0)';
      jest.spyOn(one.database, 'write').mockImplementationOnce(async (work) => {
        await other.execute(insertion, [websiteId, eventKey('browser', eventId), Buffer.alloc(0)]);
        const written = write(work);
        await expect(written).rejects.toThrow();
        expect(Object.keys(await one.counted(websiteId, 'page'))).not.toContain('/b');
        return written;
      });
    }

    it('rolls the fold back, which then looks it up', async () => {
      const folder = (await one.folderOf(websiteId))!;
      await insertBeforeFold();
      expect(await folder.foldSome()).toBe(2);
      expect(await one.counted(websiteId, 'page')).toEqual({ '/b': 1 });
    });

    it('fails the fold if that has just looked it up', async () => {
      const folder = (await one.folderOf(websiteId))!;
      const repeated = { hit: pageView('/c', 'c'), eventId: randomUUID() };
      for (let times = 0; times < 2; times++) {
        await one.acceptWithIds(websiteId, repeated);
        await folder.foldSome();
      }
      await insertBeforeFold();
      await expect(folder.foldSome()).rejects.toThrow();
      await (await one.folderOf(websiteId))!.foldSome();
      expect(await one.counted(websiteId, 'page')).toEqual({ '/b': 1, '/c': 1 });
    });
  });

  it('one that wakes up after another took over counts nothing', async () => {
    await one.accept(websiteId, pageView('/a', 'a'));
    const paused = (await one.folderOf(websiteId))!;
    await paused.foldSome();
    await one.endLeases();
    await one.accept(websiteId, pageView('/b', 'b'));
    const successor = (await other.folderOf(websiteId))!;
    await successor.foldSome();
    await one.accept(websiteId, pageView('/c', 'c'));
    await expect(paused.foldSome()).rejects.toThrow(LeaseLost);
    expect(await successor.foldSome()).toBe(1);
    expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 1, '/b': 1, '/c': 1 });
    expect(await total('visitor')).toBe(3);
  });

  it('one that got its lease back knows what was counted in between', async () => {
    await one.accept(websiteId, pageView('/a', 'a'));
    await one.counting.foldAll();
    await one.endLeases();
    await other.accept(websiteId, pageView('/b', 'b'));
    await other.counting.foldAll();
    await one.endLeases();
    await one.accept(websiteId, pageView('/b', 'b'), pageView('/c', 'c'));
    await one.counting.foldAll();
    expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 1, '/b': 1 });
    await one.counting.foldAll();
    expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 1, '/b': 2, '/c': 1 });
    expect(await total('visitor')).toBe(3);
  });

  it('a rollback leaves nothing behind in memory', async () => {
    const folder = (await one.folderOf(websiteId))!;
    await one.accept(websiteId, pageView('/a', 'a'));
    const inItsWay =
      'INSERT INTO hit_batches (website_id, day, first_hit, size, bytes, stored_bytes, last_at, data) VALUES (?, ?, 0, 0, 0, 0, 0, ?)';
    await one.execute(inItsWay, [websiteId, TODAY, Buffer.alloc(0)]);
    await expect(folder.foldSome()).rejects.toThrow();
    await one.execute('DELETE FROM hit_batches WHERE website_id = ?', [websiteId]);
    expect(await folder.foldSome()).toBe(1);
    expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 1 });
    expect(await total('visitor')).toBe(1);
    expect(await total('browser')).toBe(1);
  });

  it('what comes into the inbox late, under a smaller id, is counted', async () => {
    const [smaller, larger] = [websiteId * 10, websiteId * 10 + 1];
    await one.acceptUnder(larger, websiteId, pageView('/early', 'b'));
    const folder = (await one.folderOf(websiteId))!;
    expect(await folder.foldSome()).toBe(1);
    await one.acceptUnder(smaller, websiteId, pageView('/late', 'a'));
    expect(await folder.foldSome()).toBe(1);
    expect(await one.counted(websiteId, 'page')).toEqual({ '/early': 1, '/late': 1 });
  });

  onServer('in the middle of a fold', () => {
    const held = (beginning: string) => proxy!.holdUp((statement) => statement.startsWith(beginning));

    it('what comes into the inbox under a smaller id stays there', async () => {
      const [smaller, larger] = [websiteId * 10, websiteId * 10 + 1];
      await other.acceptUnder(larger, websiteId, pageView('/early', 'b'));
      const folder = (await one.folderOf(websiteId))!;
      const deleting = held('DELETE inbox FROM inbox');
      const fold = folder.foldSome();
      const pass = await deleting;
      await other.acceptUnder(smaller, websiteId, pageView('/late', 'a'));
      pass();
      expect(await fold).toBe(1);
      expect(await folder.foldSome()).toBe(1);
      expect(await one.counted(websiteId, 'page')).toEqual({ '/early': 1, '/late': 1 });
    });

    it('one that wakes up has lost its lease', async () => {
      await one.accept(websiteId, pageView('/a', 'a'));
      const folder = (await one.folderOf(websiteId))!;
      const beginning = held('UPDATE counting SET token = token + 1, folds');
      const fold = folder.foldSome();
      const pass = await beginning;
      await other.endLeases();
      expect(await (await other.folderOf(websiteId))!.foldSome()).toBe(1);
      await other.accept(websiteId, pageView('/b', 'b'));
      pass();
      await expect(fold).rejects.toThrow(LeaseLost);
      expect(await other.counted(websiteId, 'page')).toEqual({ '/a': 1 });
    });

    it('one that is frozen inside its transaction is stood in for', async () => {
      await one.accept(websiteId, pageView('/a', 'a'));
      const folder = (await one.folderOf(websiteId))!;
      const counting = held('INSERT INTO hit_batches');
      const fold = folder.foldSome();
      fold.catch(() => undefined);
      const pass = await counting;
      const successor = await untilTaken(other, websiteId);
      await successor.foldSome();
      pass();
      await expect(fold).rejects.toThrow(DatabaseUnavailable);
      expect(await other.counted(websiteId, 'page')).toEqual({ '/a': 1 });
      expect(await other.counted(websiteId, 'browser')).toEqual({ Firefox: 1 });
    });

    it('what one has locked keeps no other from looking for days that are over', async () => {
      const { lease } = (await one.folderOf(websiteId))!;
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      let locked: Promise<void> = Promise.resolve();
      await new Promise<void>((resolve) => {
        locked = one.database.write((manager) =>
          lease
            .fence(manager)
            .then(resolve)
            .then(() => released),
        );
      });
      const packing = await CountingProcess.start(database.url);
      await packing.register(++websiteId);
      packing.counting.start();
      await packing.accept(websiteId, pageView('/a', 'a'));
      await until(async () => (await other.counted(websiteId, 'page'))['/a'] === 1);
      release();
      await locked;
      await packing.counting.stop();
      await packing.stop();
    });

    it('rows that another transaction is about to remove are not counted', async () => {
      await one.accept(websiteId, pageView('/a', 'a'));
      const removing = await createConnection(database.url);
      await removing.query('START TRANSACTION');
      await removing.query('DELETE FROM inbox WHERE website_id = ?', [websiteId]);
      const fold = (await one.folderOf(websiteId))!.foldSome();
      await untilLocksAreAwaited(database.url, '');
      await removing.query('COMMIT');
      await removing.end();
      expect(await fold).toBe(0);
      expect(await one.counted(websiteId, 'page')).toEqual({});
    });

    it('what a deadlock rolled back is counted by the second attempt', async () => {
      await one.accept(websiteId, pageView('/a', 'a'));
      const folder = (await one.folderOf(websiteId))!;
      await folder.foldSome();
      await one.accept(websiteId, pageView('/a', 'b'), pageView('/b', 'c'));
      const rival = await heavyRival(database.url, websiteId);
      const fold = folder.foldSome();
      await rival.lockOutFold();
      expect(await fold).toBe(2);
      expect(await one.counted(websiteId, 'page')).toEqual({ '/a': 2, '/b': 1 });
      expect(await total('visitor')).toBe(3);
      expect(await total('browser')).toBe(3);
    });
  });

  describe('a read beside a fold', () => {
    it('sees one moment', async () => {
      await one.accept(websiteId, pageView('/a', 'a'));
      const folder = (await other.folderOf(websiteId))!;
      const waiting = 'SELECT COUNT(*) AS count FROM inbox WHERE website_id = ?';
      const counted = 'SELECT COUNT(*) AS count FROM hit_batches WHERE website_id = ?';
      const seen = await one.database.read(async (manager) => {
        const [before] = await manager.query(waiting, [websiteId]);
        await folder.foldSome();
        const [after] = await manager.query(counted, [websiteId]);
        return [before, after].map(({ count }: { count: unknown }) => Number(count));
      });
      expect(seen).toEqual([1, 0]);
      expect(await total('page')).toBe(1);
    });
  });
});

function untilTaken(process: CountingProcess, websiteId: number) {
  return until(() => process.folderOf(websiteId).catch(() => undefined), 100);
}

/** A transaction so large that a fold gives way. */
async function heavyRival(url: string, websiteId: number) {
  const connection = await createConnection(url);
  await connection.query('START TRANSACTION');
  const rows = Array.from({ length: 2000 }, (_, day) => `(${websiteId + 1_000_000}, ${day}, 'bot', 1)`);
  await connection.query(`INSERT INTO dropped_events (website_id, day, reason, count) VALUES ${rows.join()}`);
  await connection.query('SELECT * FROM hit_batches WHERE website_id = ? FOR UPDATE', [websiteId]);
  return {
    lockOutFold: async () => {
      await untilLocksAreAwaited(url, 'INSERT INTO hit_batches');
      await connection.query('UPDATE counting SET folds = folds WHERE website_id = ?', [websiteId]);
      await connection.query('ROLLBACK');
      await connection.end();
    },
  };
}

import { randomBytes, randomInt } from 'node:crypto';
import { dayText } from '../../engine/ground/time/days';
import { DatabaseUnavailable } from '../../engine/database/errors';
import { LeaseLost } from '../../engine/database/lease';
import type { Queryable } from '../../engine/database/rows';
import type { WebsiteCounter } from '../../engine/columns/fold/website-counter';
import type { Hit } from '../../engine/hits/hit';
import { readHitsFrom } from '../../engine/columns/stored-days';
import { Batch, DamagedBatch } from '../../engine/columns/batches/batch';
import {
  BATCH_LIMITS,
  endOf,
  HitsRemoved,
  readLastBatches,
  readNextBatches,
} from '../../engine/columns/batches/batches';
import { hitsOfBatch } from '../../engine/columns/batches/hits-of-batch';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { DatabaseProxy } from '../support/database-proxy';
import { type FreshDatabase, freshDatabase, onServer } from '../support/fresh-database';
import { keptHits } from '../support/stored-days';

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let websiteId = 0;
let sent: string[];
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  sent = [];
  await one.register(++websiteId);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await one.stop();
  await other.stop();
  await database.drop();
});

/** Folds of one hit each. The pages reveal their order. */
async function fold(folder: WebsiteCounter, times: number, change: Partial<Hit> = {}): Promise<void> {
  for (let index = 0; index < times; index++) {
    const hit = { ...pageView(`/${sent.length}`, 'a'), ...change };
    sent.push(hit.page);
    await one.accept(websiteId, hit);
    await folder.foldSome();
  }
}

const folderOf = async (process = one) => (await process.folderOf(websiteId))!;
const batches = (day = TODAY) => readLastBatches(one.database, websiteId, day, 1000);
const sizes = async (day = TODAY) => (await batches(day)).map(({ size }) => size);
const pages = async () => (await keptHits(one.database, websiteId)).map(({ page }) => page);
const total = async (process = one) =>
  Object.values(await process.counted(websiteId, 'page')).reduce((sum, hits) => sum + hits, 0);

it('are put together as they grow in number, in the order of acceptance', async () => {
  const folder = await folderOf();
  for (let round = 0; round < 5; round++) {
    await fold(folder, 7);
    await folder.mergeBatches();
  }
  expect((await sizes()).length).toBeLessThan(16);
  expect(await pages()).toEqual(sent);
  let read = 0;
  const report = (hits: number) => void (read += hits);
  expect(await one.verification().verifyDay(websiteId, TODAY, report)).toEqual([]);
  expect([read, await total()]).toEqual([sent.length, sent.length]);
});

it('cost no statement where none are due', async () => {
  const folder = await folderOf();
  await fold(folder, 3);
  const [query, write] = [jest.spyOn(one.database, 'query'), jest.spyOn(one.database, 'write')];
  await folder.mergeBatches();
  expect([query, write].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});

it('are put together by a folder that did not add them, also of a day that is over', async () => {
  const yesterday = { day: TODAY - 1, at: (TODAY - 1) * 86_400 };
  await fold(await folderOf(), 9, yesterday);
  await one.endLeases();
  const folder = await folderOf(other);
  await fold(folder, 1, yesterday);
  await fold(folder, 1);
  await folder.mergeBatches();
  expect([await sizes(TODAY - 1), await sizes()]).toEqual([[10], [1]]);
  await fold(folder, 1, yesterday);
  expect(await sizes(TODAY - 1)).toEqual([10, 1]);
  const [last] = sent.splice(-1);
  expect(await pages()).toEqual([...sent.slice(0, 10), last, sent[10]]);
});

it('keep no visitor for longer because they are put together with hits that came after the salt was gone', async () => {
  const yesterday = { day: TODAY - 1, at: (TODAY - 1) * 86_400 };
  const folder = await folderOf();
  await fold(folder, 9, yesterday);
  const moments = async () => {
    const rows = await one.database.query<{ forget_at: number | string }[]>(
      'SELECT forget_at FROM batch_visitors WHERE website_id = ? ORDER BY first_hit',
      [websiteId],
    );
    return rows.map(({ forget_at }) => Number(forget_at));
  };
  const [withSalt] = await moments();
  await one.execute(
    'UPDATE batch_visitors SET forget_at = forget_at + 1000 WHERE website_id = ? AND first_hit > 4',
    [websiteId],
  );
  await folder.mergeBatches();
  expect([await sizes(TODAY - 1), await moments()]).toEqual([[9], [withSalt]]);
});

it('of hits that cannot be deflated, stay small enough', async () => {
  const folder = await folderOf();
  const large = (bytes: number) => ({ term: randomBytes((3 * bytes) / 4).toString('base64url') });
  await fold(folder, 1, large(60_000));
  for (let hit = 0; hit < 40; hit++) await fold(folder, 1, large(BATCH_LIMITS.storedBytes / 9));
  await folder.mergeBatches();
  const stored = await batches();
  expect(stored.length).toBeLessThanOrEqual(32);
  expect(stored.filter(({ storedBytes }) => storedBytes > BATCH_LIMITS.storedBytes)).toEqual([]);
  expect(await pages()).toEqual(sent);
});

it('stay small enough where their codes get wider, and are left alone where no two fit', async () => {
  const folder = await folderOf();
  const term = (index: number) => randomBytes(9).toString('base64url') + index;
  const columns = ['term', 'content', 'source', 'medium', 'campaign', 'clickId'] as const;
  for (let batch = 0; batch < 33; batch++) {
    const texts = Array.from({ length: 250 }, (_, index) => term(index));
    const hits = Array.from({ length: 400 }, () => ({
      ...pageView('/', 'a'),
      ...Object.fromEntries(columns.map((name) => [name, texts[randomInt(texts.length)]])),
    }));
    sent.push(...hits.map(({ page }) => page));
    await one.accept(websiteId, ...hits);
    await folder.foldSome();
  }
  const limit = jest.replaceProperty(BATCH_LIMITS, 'storedBytes', 8.5 * (await batches())[0]!.storedBytes);
  await folder.mergeBatches();
  const { storedBytes } = BATCH_LIMITS;
  const stored = await batches();
  expect(stored.length).toBeLessThan(33);
  expect(stored.filter((own) => own.storedBytes > storedBytes)).toEqual([]);
  limit.restore();
  expect(await pages()).toEqual(sent);
});

describe('a reader that goes on while they are put together', () => {
  it('reads each hit once', async () => {
    const folder = await folderOf();
    await fold(folder, 13);
    const first = await readNextBatches(one.database, websiteId, TODAY, 0, 1);
    const read: Hit[] = [];
    for (const stored of first) read.push(...[...hitsOfBatch(await Batch.open(stored))].flat());
    expect(read.length).toBeLessThan(13);
    await folder.mergeBatches();
    await fold(folder, 2);
    expect(await sizes()).toEqual([13, 1, 1]);
    for (let place = endOf(first.at(-1)!); place < 14;)
      for (const stored of await readNextBatches(one.database, websiteId, TODAY, place)) {
        const rows = { from: place - stored.firstHit, before: Math.min(stored.size, 14 - stored.firstHit) };
        read.push(...[...hitsOfBatch(await Batch.open(stored), rows)].flat());
        place = endOf(stored);
      }
    expect(read.map(({ page }) => page)).toEqual(sent.slice(0, 14));
  });

  it('sees the old ones in its snapshot, and the new ones in another', async () => {
    const folder = await folderOf();
    await fold(folder, 9);
    const read = async (reader: Queryable, hits: number) => {
      const found: string[] = [];
      const day = { day: TODAY, hits, version: 0, isSealed: false, columns: undefined };
      for await (const some of readHitsFrom((work) => work(reader), websiteId, day))
        found.push(...some.hits.map(({ page }) => page));
      return found;
    };
    const seen = await other.database.read(async (manager) => {
      const before = await readLastBatches(manager, websiteId, TODAY, 100);
      await folder.mergeBatches();
      const after = await readLastBatches(manager, websiteId, TODAY, 100);
      return [before.length, after.length, await read(manager, 9)];
    });
    expect(seen).toEqual([9, 9, sent]);
    expect(await sizes()).toEqual([9]);
    expect(await read(one.database, 9)).toEqual(sent);
  });

  it('counts each hit once', async () => {
    const folder = await folderOf();
    await fold(folder, 9);
    expect(await total()).toBe(9);
    await folder.mergeBatches();
    await fold(folder, 8);
    await folder.mergeBatches();
    expect((await sizes()).length).toBeLessThan(9);
    expect([await total(), await total(other)]).toEqual([17, 17]);
  });
});

describe('what is written in their place', () => {
  /** Runs something between the preparation of a merge and its transaction. */
  const beforeWriting = (happen: () => Promise<unknown>) => {
    const write = one.database.write.bind(one.database);
    jest.spyOn(one.database, 'write').mockImplementationOnce(async (work) => {
      await happen();
      return write(work);
    });
  };

  it.each([0, 1, 2, 3])('is nothing at all where the process ends after statement %d of it', async (last) => {
    const folder = await folderOf();
    await fold(folder, 9);
    const write = one.database.write.bind(one.database);
    jest.spyOn(one.database, 'write').mockImplementationOnce((work) =>
      write(async (manager) => {
        let statements = 0;
        const query = manager.queryRunner!.query.bind(manager.queryRunner) as (
          ...all: unknown[]
        ) => Promise<unknown>;
        const ending = jest.spyOn(manager.queryRunner!, 'query').mockImplementation((...all: unknown[]) => {
          if (statements++ === last) throw new Error('ended');
          return query(...all);
        });
        try {
          await work(manager);
          throw new Error('ended');
        } finally {
          ending.mockRestore();
        }
      }),
    );
    await expect(folder.mergeBatches()).rejects.toThrow('ended');
    expect(await sizes()).toEqual(Array(9).fill(1));
    await one.endLeases();
    const successor = await folderOf(other);
    await fold(successor, 1);
    await successor.mergeBatches();
    expect(await sizes()).toEqual([10]);
    expect(await pages()).toEqual(sent);
    expect(await total()).toBe(10);
  });

  it('is nothing where another process took over', async () => {
    const paused = await folderOf();
    await fold(paused, 9);
    beforeWriting(async () => {
      await other.endLeases();
      const successor = await folderOf(other);
      await fold(successor, 1);
      await successor.mergeBatches();
    });
    await expect(paused.mergeBatches()).rejects.toThrow(LeaseLost);
    expect(await sizes()).toEqual([10]);
    expect(await pages()).toEqual(sent);
  });

  it('is nothing where hits were removed meanwhile, and further ones are taken', async () => {
    const folder = await folderOf();
    await fold(folder, 9);
    beforeWriting(() =>
      other.execute('DELETE FROM hit_batches WHERE website_id = ? AND first_hit < 4', [websiteId]),
    );
    await folder.mergeBatches();
    expect(await sizes()).toEqual(Array(5).fill(1));
    await fold(folder, 1);
    await folder.mergeBatches();
    expect(await sizes()).toEqual(Array(6).fill(1));
    await expect(readNextBatches(one.database, websiteId, TODAY, 0)).rejects.toThrow(HitsRemoved);
  });

  onServer('with an answer that is lost', () => {
    it('stands there once', async () => {
      const proxy = await DatabaseProxy.start(database.url);
      const process = await CountingProcess.start(proxy.url);
      const folder = await folderOf(process);
      await fold(folder, 9);
      const lost = proxy.loseAnswerTo(
        (statement, previous) => statement === 'COMMIT' && previous.startsWith('INSERT INTO batch_visitors'),
      );
      await expect(Promise.all([folder.mergeBatches(), lost])).rejects.toThrow(DatabaseUnavailable);
      await fold(await folderOf(process), 1);
      expect(await sizes()).toEqual([9, 1]);
      expect(await pages()).toEqual(sent);
      await process.stop();
      await proxy.stop();
    });
  });
});

describe('a batch that is damaged', () => {
  const damaged = async (statement: string, ...parameters: unknown[]) => {
    await fold(await folderOf(), 2);
    await one.execute(`${statement} WHERE website_id = ? AND first_hit = 1`, [...parameters, websiteId]);
    return keptHits(one.database, websiteId);
  };

  it('is an error that names it, and never fewer hits', async () => {
    const named = `${dayText(TODAY)} are damaged (website ${websiteId}, from number 1 on)`;
    await expect(damaged('UPDATE hit_batches SET data = ?', Buffer.from('no hits'))).rejects.toMatchObject({
      code: 'damaged_columns',
      detail: expect.stringContaining(named),
    });
  });

  it('is found by the number of its hits', async () => {
    await expect(damaged('UPDATE hit_batches SET size = 2')).rejects.toThrow(DamagedBatch);
  });
});

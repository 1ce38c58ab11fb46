import { Logger } from '@nestjs/common';
import { DAY_MS } from '../../../engine/ground/time/days';
import { CountingRepository } from '../../../engine/columns/counting.repository';
import type { DaysToClose } from '../../../engine/columns/upkeep/next-column-work';
import { inChunks } from '../../../engine/database/rows';
import { readClosedDays } from '../../../engine/columns/closed-days';
import type { Hit } from '../../../engine/hits/hit';
import { SPANS } from '../../../engine/columns/rollups/rollup-format';
import { readSpans } from '../../../engine/columns/rollups/rollup-rows';
import { HitSums } from '../../../engine/columns/ordering/hit-sums';
import { mergeDay } from '../../../engine/columns/segments/segment-merge-rules';
import type { Snapshot } from '../../../engine/columns/plain/snapshot';
import {
  attemptsOn,
  CountingProcess,
  daysOver,
  mixedHitsOn,
  pageViewOn,
  smallDaySealing,
  TODAY,
} from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf } from '../../support/hit-answers';
import { keptHits } from '../../support/stored-days';

const DAY = TODAY - 10;
const SEALED: DaysToClose = { ...daysOver(DAY + 1), before: 0, finalBefore: 0 };
const FINAL: DaysToClose = { ...SEALED, finalBefore: DAY + 1 };
const TABLES = ['hit_batches', 'batch_visitors', 'hit_days', 'hit_columns', 'day_visitors'] as const;
const IN_BATCHES = { hit_batches: 6, batch_visitors: 6, hit_days: 0, hit_columns: 0, day_visitors: 0 };
const IN_COLUMNS = { hit_batches: 0, batch_visitors: 0, hit_days: 1, hit_columns: 1, day_visitors: 1 };
const HITS_OF_FOLD = 3;
const HITS = mixedHitsOn(DAY);

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let lastId = 3000;
let ids: number[];
beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  ids = [];
  for (let index = 0; index < 4; index++) ids.push(await website());
});
afterEach(async () => {
  jest.restoreAllMocks();
  await one.execute('DROP TRIGGER IF EXISTS changed');
});
afterAll(async () => {
  Logger.overrideLogger(true);
  await one.stop();
  await other.stop();
  await database.drop();
});

async function website(hits = HITS): Promise<number> {
  await one.register(++lastId);
  await count(lastId, hits);
  return lastId;
}

/** Hits that arrive on their day. */
async function count(websiteId: number, hits: Hit[]): Promise<void> {
  for (const some of inChunks(hits, HITS_OF_FOLD)) await one.accept(websiteId, ...some);
  await one.execute('UPDATE inbox SET accepted_at = ?', [DAY * DAY_MS]);
  await one.count(websiteId, [], HITS_OF_FOLD);
}

async function rows(websiteId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row] = await one.database.query<{ n: number | string }[]>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`,
      [websiteId],
    );
    counts[table] = Number(row!.n);
  }
  return counts;
}

const allRows = () => Promise.all(ids.map(rows));
const requested = (websiteId: number) => answersOf(one.database, websiteId, { from: DAY - 1, to: DAY });
const answers = () => Promise.all(ids.map(requested));
const pages = async (websiteId: number) =>
  (await keptHits(one.database, websiteId)).map(({ page }) => page).sort();
const dueAt = async (websiteId: number) => (await readClosedDays(one.database, websiteId)).dueAt;

/** A process that freezes before it writes, until something has happened. */
async function frozenBeforeWriting(meanwhile: () => Promise<void>): Promise<number[]> {
  const write = one.database.write.bind(one.database);
  let goOn: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const isFrozen = new Promise<void>((resolve) => {
    jest.spyOn(one.database, 'write').mockImplementationOnce(async (work) => {
      resolve();
      await told;
      return write(work);
    });
  });
  const left = smallDaySealing(one).seal(ids, SEALED);
  await isFrozen;
  await meanwhile();
  goOn();
  return left;
}

it('are sealed for all websites in one transaction, and answer as before', async () => {
  const before = await answers();
  const write = jest.spyOn(one.database, 'write');
  expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([]);
  expect(write).toHaveBeenCalledTimes(1);
  expect(await allRows()).toEqual(ids.map(() => IN_COLUMNS));
  expect(await answers()).toEqual(before);
});

it('of several days are rows of one segment', async () => {
  const earlier = HITS.map((hit) => ({ ...hit, day: DAY - 1, at: hit.at - 86_400 }));
  const websiteId = await website([...earlier, ...HITS]);
  const before = await requested(websiteId);
  expect(await smallDaySealing(one).seal([websiteId], SEALED)).toEqual([]);
  expect(await rows(websiteId)).toMatchObject({ hit_batches: 0, hit_days: 2, hit_columns: 2 });
  expect(await requested(websiteId)).toEqual(before);
});

it('find the visitors of late hits, and are sealed again with these', async () => {
  const [id] = ids as [number];
  const inBatches = await website([...HITS, ...LATE_HITS]);
  await smallDaySealing(one).seal(ids, SEALED);
  await count(id, LATE_HITS);
  expect(await requested(id)).toEqual(await requested(inBatches));
  expect(await smallDaySealing(one).seal([id], SEALED)).toEqual([id]);
  await one.workOnColumns(id, FINAL);
  expect(await rows(id)).toMatchObject({ hit_batches: 0, batch_visitors: 0, hit_days: 1, hit_columns: 1 });
  expect(await requested(id)).toEqual(await requested(inBatches));
});

it('whose visitors are forgotten are sealed without their hashes', async () => {
  const [id] = ids as [number];
  await one.execute('DELETE FROM batch_visitors WHERE website_id = ? AND first_hit = 0', [id]);
  const before = await pages(id);
  expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([]);
  expect(await rows(id)).toEqual({ ...IN_COLUMNS, day_visitors: 0 });
  expect(await pages(id)).toEqual(before);
  const forgotten = ids.map((own) => one.read(own, (snapshot) => forgottenOn(snapshot, DAY)));
  expect(await Promise.all(forgotten)).toEqual([[DAY], ...ids.slice(1).map(() => [])]);
});

const forgottenOn = async (snapshot: Snapshot, day: number) =>
  (await snapshot.count('visitor', { from: day, to: day })).forgotten;

describe('two processes', () => {
  it('that seal the same websites at once seal each of them once', async () => {
    const before = await answers();
    await Promise.all([one, other].map((own) => smallDaySealing(own).seal(ids, SEALED)));
    await smallDaySealing(one).seal(ids, SEALED);
    expect(await allRows()).toEqual(ids.map(() => IN_COLUMNS));
    expect(await answers()).toEqual(before);
  });

  it('one of which was frozen in the middle: it changes nothing that the other one sealed', async () => {
    const before = await answers();
    const left = await frozenBeforeWriting(async () => {
      expect(await smallDaySealing(other).seal(ids.slice(1), SEALED)).toEqual([]);
    });
    expect(left).toEqual(ids.slice(1));
    expect(await allRows()).toEqual(ids.map(() => IN_COLUMNS));
    expect(await answers()).toEqual(before);
  });

  it('do not seal what the other one counts', async () => {
    const [id, ...others] = ids as [number, ...number[]];
    await other.folderOf(id);
    expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([id]);
    expect(await allRows()).toEqual([IN_BATCHES, ...others.map(() => IN_COLUMNS)]);
  });
});

describe('in the middle', () => {
  it('a website to which hits come is left for later', async () => {
    const [id, ...others] = ids as [number, ...number[]];
    expect(await frozenBeforeWriting(() => count(id, LATE_HITS))).toEqual([id]);
    expect((await allRows()).slice(1)).toEqual(others.map(() => IN_COLUMNS));
    expect(await rows(id)).toMatchObject({ hit_days: 0, hit_columns: 0, day_visitors: 0 });
    expect(await smallDaySealing(one).seal([id], SEALED)).toEqual([]);
    expect((await pages(id)).length).toBe(HITS.length + LATE_HITS.length);
  });

  it('a website that is deleted keeps nothing', async () => {
    const [id, ...others] = ids as [number, ...number[]];
    const left = await frozenBeforeWriting(async () => {
      for (const table of [...TABLES, 'closed_days', 'counting'])
        await other.execute(`DELETE FROM ${table} WHERE website_id = ?`, [id]);
    });
    expect(left).toEqual([id]);
    expect(Object.values(await rows(id))).toEqual([0, 0, 0, 0, 0]);
    expect((await allRows()).slice(1)).toEqual(others.map(() => IN_COLUMNS));
  });

  it.each([
    ['hits', 'hit_batches'],
    ['hashes', 'batch_visitors'],
  ])('a day whose %s are removed is left, and keeps no other one from being sealed', async (_, table) => {
    const [id, ...others] = ids as [number, ...number[]];
    const remove = () => other.execute(`DELETE FROM ${table} WHERE website_id = ? AND first_hit = 0`, [id]);
    const isSealed = table === 'batch_visitors';
    expect(await frozenBeforeWriting(remove)).toEqual(isSealed ? [] : [id]);
    const left = isSealed ? { ...IN_COLUMNS, day_visitors: 0 } : { ...IN_BATCHES, hit_batches: 5 };
    expect(await allRows()).toEqual([left, ...others.map(() => IN_COLUMNS)]);
  });
});

it.each([
  ['all', ''],
  ['some', 'AND first_hit = 0'],
])('one with %s hits removed between the readings is left, and no other one', async (_, which) => {
  const [id, ...others] = ids as [number, ...number[]];
  const read = one.database.read.bind(one.database);
  jest.spyOn(one.database, 'read').mockImplementationOnce(async (...work) => {
    const days = await read(...work);
    await other.execute(`DELETE FROM hit_batches WHERE website_id = ? ${which}`, [id]);
    return days;
  });
  expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([id]);
  expect((await allRows()).slice(1)).toEqual(others.map(() => IN_COLUMNS));
  expect(await rows(id)).toMatchObject({ hit_days: 0, hit_columns: 0, day_visitors: 0 });
});

describe('one that is damaged among many', () => {
  it('is put aside, and keeps no other one from being sealed', async () => {
    const [id, ...others] = ids as [number, ...number[]];
    await one.execute('UPDATE hit_batches SET data = ? WHERE website_id = ? AND first_hit = 0', [
      Buffer.from('damaged'),
      id,
    ]);
    expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([id]);
    expect(await allRows()).toEqual([IN_BATCHES, ...others.map(() => IN_COLUMNS)]);
  });
});

describe('what is written', () => {
  const attempts = () => attemptsOn(one.database);

  async function expectPutAside(id: number, reason: RegExp): Promise<void> {
    const own = attempts();
    const before = await answers();
    expect(await smallDaySealing(one, own).seal(ids, SEALED)).toEqual([id]);
    expect(own.warnings()).toEqual([
      { code: 'packing_fails', website_id: id, detail: expect.stringMatching(reason) },
    ]);
    expect(own.isPaused(id, 'close day', DAY)).toBe(true);
    expect(await allRows()).toEqual(ids.map((other) => (other === id ? IN_BATCHES : IN_COLUMNS)));
    expect(await answers()).toEqual(before);
  }

  it('is compared with the hits of the batches before', async () => {
    const add = jest.spyOn(HitSums.prototype, 'addHits').mockImplementationOnce(() => undefined);
    await expectPutAside(ids[0]!, /damaged/);
    add.mockRestore();
    expect(await smallDaySealing(one).seal(ids, SEALED)).toEqual([ids[1], ids[2], ids[3]]);
    expect(await allRows()).toEqual(ids.map(() => IN_COLUMNS));
  });

  it.each([
    ['columns', 'hit_columns', 'data'],
    ['hashes', 'day_visitors', 'hashes'],
  ])('is read back, so that %s that are stored otherwise are named', async (_, table, column) => {
    const id = ids[2]!;
    await beforeInsertion(table, id, { sets: column });
    await expectPutAside(id, /damaged/);
  });

  it('for a website that cannot be written is put aside, and written for all others', async () => {
    const id = ids[1]!;
    await beforeInsertion('hit_columns', id, 'fails');
    await expectPutAside(id, /ER_SIGNAL_EXCEPTION|SQLITE_CONSTRAINT_TRIGGER/);
  });
});

/** Makes the database change rows of a website at each insertion, until the test ends. */
async function beforeInsertion(table: string, id: number, does: { sets: string } | 'fails'): Promise<void> {
  const { oneConnection } = one.database.dialect;
  const failure = oneConnection
    ? `SELECT RAISE(ABORT, 'nothing of this website')`
    : `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'nothing of this website'`;
  const change = (column: string) =>
    oneConnection
      ? `UPDATE ${table} SET ${column} = x'00' WHERE website_id = ${id}`
      : `SET NEW.${column} = x'00'`;
  const action = does === 'fails' ? failure : change(does.sets);
  await one.execute(
    oneConnection
      ? `CREATE TRIGGER changed AFTER INSERT ON ${table} WHEN NEW.website_id = ${id} BEGIN ${action}; END`
      : `CREATE TRIGGER changed BEFORE INSERT ON ${table} FOR EACH ROW IF NEW.website_id = ${id} THEN ${action}; END IF`,
  );
}

it.each([
  ['day of 2,000 hits', 2000, SEALED],
  ['day whose visitors are forgotten by the clock', 10, { ...SEALED, before: DAY + 1 }],
])('a %s is left to be sealed by itself', async (_, hits, over) => {
  const many = Array.from({ length: hits }, (_, index) =>
    pageViewOn(DAY, '/', 'a', { at: 86_400 * DAY + index }),
  );
  await one.register(++lastId);
  await one.accept(lastId, ...many);
  await one.execute('UPDATE inbox SET accepted_at = ?', [DAY * DAY_MS]);
  await one.count(lastId, []);
  expect(await smallDaySealing(one).seal([lastId], over)).toEqual([lastId]);
});

describe('what is due', () => {
  async function due(now = Date.now()): Promise<number[]> {
    const found: number[] = [];
    for await (const some of new CountingRepository(one.database, '').findDue(now))
      found.push(...some.map(({ websiteId }) => websiteId));
    return found.filter((id) => ids.includes(id));
  }

  it('is a website from the end of its first open day on, until that is sealed', async () => {
    const [id] = ids as [number];
    expect(await due()).toEqual(ids);
    expect(await due(SEALED.sealAt(DAY - 1))).toEqual([]);
    await smallDaySealing(one).seal([id], SEALED);
    expect(await due(SEALED.finalAt(DAY) - 1)).toEqual(ids.slice(1));
    expect(await dueAt(id)).toBeGreaterThanOrEqual(SEALED.finalAt(DAY));
    expect(await dueAt(id)).toBeLessThan(SEALED.finalAt(DAY + 8));
  });

  it('is a website with a sealed day of 100 hits, at once and until the day is rolled up', async () => {
    const hits = Array.from({ length: 100 }, (_, index) => pageViewOn(DAY, `/${index}`, 'a'));
    const [larger, smaller] = [await website(hits), await website(hits.slice(1))];
    expect(await smallDaySealing(one).seal([larger, smaller], SEALED)).toEqual([]);
    expect(await dueAt(larger)).toBe(SEALED.now);
    expect(await dueAt(smaller)).toBe(SEALED.finalAt(mergeDay(smaller, DAY)));
    for (const id of [larger, smaller]) await one.workOnColumns(id, SEALED);
    expect(await rolledUpDays(larger)).toEqual([DAY]);
    expect(await rolledUpDays(smaller)).toEqual([]);
    expect(await dueAt(larger)).toBeGreaterThanOrEqual(SEALED.finalAt(DAY));
  });

  const rolledUpDays = async (websiteId: number) =>
    (await readSpans(one.database, websiteId, SPANS.day, DAY, DAY)).map(({ day }) => day);

  it('is a website to whose sealed day a hit comes, and one with hits of a later day', async () => {
    const [id, next] = ids as [number, number];
    await smallDaySealing(one).seal(ids, SEALED);
    const earlier = await dueAt(next);
    await count(id, LATE_HITS.slice(0, 1));
    expect(await dueAt(id)).toBeLessThan(SEALED.finalAt(DAY));
    await count(next, [pageViewOn(TODAY, '/', 'a')]);
    expect(await dueAt(next)).toBe(earlier);
    await one.execute('UPDATE closed_days SET due_at = NULL WHERE website_id = ?', [next]);
    await count(next, [pageViewOn(TODAY, '/', 'b')]);
    const today = await dueAt(next);
    expect(today).toBeGreaterThanOrEqual((TODAY + 1) * DAY_MS);
    expect(today).toBeLessThan((TODAY + 2) * DAY_MS);
  });

  it('is nothing once all of it is done, until further hits come', async () => {
    const [id] = ids as [number];
    await smallDaySealing(one).seal(ids, SEALED);
    await one.closeDays(id, DAY + 1);
    expect(await dueAt(id)).toBe(Infinity);
    await count(id, LATE_HITS);
    expect(await due()).toContain(id);
  });

  it('is found page by page, also where many are due at one moment', async () => {
    const first = 50_000;
    ids = Array.from({ length: 450 }, (_, index) => first + index);
    for (const id of ids) {
      await one.execute(
        `INSERT INTO counting (website_id, owner, token, expires_at, folds, archived_from)
        VALUES (?, '', 0, 0, 0, 0)`,
        [id],
      );
      await one.execute(
        `INSERT INTO closed_days (website_id, closed_before, version, rollups, epoch, sealed_before, columns_before,
          due_at) VALUES (?, 0, 0, 0, 0, 0, 0, ?)`,
        [id, id < first + 300 ? 7 : 8],
      );
    }
    expect(await due(7)).toEqual(ids.slice(0, 300));
    expect(await due(8)).toEqual(ids);
    for (const table of ['counting', 'closed_days'])
      await one.execute(`DELETE FROM ${table} WHERE website_id >= ?`, [first]);
  });
});

/** Hits of known visitors and of a new one. */
const LATE_HITS = [
  pageViewOn(DAY, '/late/a', 'a', { at: 86_400 * DAY + 5, referrer: 'late.example', country: 'IT' }),
  pageViewOn(DAY, '/late/z', 'z', { at: 86_400 * DAY + 4005 }),
  pageViewOn(DAY, '/late/new', 'n', { at: 86_400 * DAY + 100, country: 'ES', referrer: 'a.example' }),
];

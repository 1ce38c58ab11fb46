import { createHash } from 'node:crypto';
import { dayText } from '../../src/common/days';
import { Settings } from '../../src/config/settings';
import { LeaseLost } from '../../src/database/lease';
import { HeldLease } from '../../src/counting/held-lease';
import { packSome } from '../../src/counting/packer';
import { Recount } from '../../src/counting/recount';
import { RecountNumbers } from '../../src/counting/recount-numbers';
import { RetentionClock } from '../../src/retention/retention-clock';
import { RecountedDay } from '../../src/counting/recounted-day';
import { monthOf } from '../../src/storage/calendar';
import { DIMENSIONS } from '../../src/storage/dimensions';
import type { Hit } from '../../src/storage/hit';
import { SPANS } from '../../src/storage/segment-format';
import { ApiClient } from '../support/api-client';
import { CommandHost } from '../support/command-host';
import { untilCounted } from '../support/counted';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { counted } from '../support/numbers';
import { passTime } from '../support/passing-time';
import { startService } from '../support/programs';
import { size } from '../support/sizes';

/** Three months ago, so that the month is merged. */
const FIRST_OF_A_MONTH = monthOf(TODAY, -3);

/** Of the website that is rebuilt while its events come in: more than a month's, so that one is packed. */
const REBUILT_DAYS = 40;
const HITS_OF_DAY = size('HITS_OF_DAY', 100, 5000);

const nothing = () => undefined;

let database: FreshDatabase;
let one: CountingProcess;
let other: CountingProcess;
let recount: Recount;
let websiteId = 0;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  other = await CountingProcess.start(database.url);
  recount = recountWith({});
});
beforeEach(() => one.register(++websiteId));
afterAll(async () => {
  jest.restoreAllMocks();
  await host.stop();
  await one.stop();
  await other.stop();
  await database.drop();
});

function recountWith(environment: Record<string, string>): Recount {
  const settings = new Settings(environment);
  return new Recount(one.database, new RetentionClock(one.database, settings), settings);
}

/** Hits of a day that many visitors send, with a few pages. */
function hitsOf(day: number, count: number, pages = 50): Hit[] {
  return Array.from({ length: count }, (_, index) => ({
    ...pageView(`/p${index % pages}`, 'a'),
    day,
    at: day * 86_400 + (index % 86_400),
    visitor: Buffer.from(String(index % 4001).padStart(8, '0')).toString('base64url'),
  }));
}

async function count(...hits: Hit[]): Promise<void> {
  for (let from = 0; from < hits.length; from += 1000)
    await one.accept(websiteId, ...hits.slice(from, from + 1000));
  await foldAll();
}

async function foldAll(): Promise<void> {
  const folder = (await one.folderOf(websiteId))!;
  while ((await folder.foldSome()) > 0);
  await folder.lease.release();
}

async function pack(keptFrom = 0): Promise<void> {
  const { lease } = (await one.folderOf(websiteId))!;
  while (await packSome(one.database, lease, { today: TODAY, keptFrom }));
  await lease.release();
}

/** Every counter of the website says three too many. */
async function spoil(): Promise<void> {
  await one.execute('UPDATE stat_counters SET hits = hits + 3 WHERE website_id = ?', [websiteId]);
}

const differences = async (day: number) => recount.verifyDay(websiteId, day, nothing);

it('replaces the counters of a day in one transaction, so that no reader sees a part of it', async () => {
  await count(...hitsOf(TODAY, 8000, 2000));
  await spoil();
  const sums = () =>
    other.read(websiteId, async (snapshot) => {
      const range = { from: TODAY, to: TODAY };
      const names = ['pageview', 'page', 'visitor', 'browser'] as const;
      const totals: number[] = [];
      for (const name of names) totals.push((await snapshot.sums({ name, range })).total());
      return totals.join(' ');
    });
  const before = await sums();
  const seen = new Set<string>();
  const write = one.database.write.bind(one.database);
  const written = jest.spyOn(one.database, 'write').mockImplementation(async (...work) => {
    const result = await write(...work);
    seen.add(await sums());
    return result;
  });
  await recount.rebuildDay(websiteId, TODAY, nothing);
  written.mockRestore();
  expect([...seen].filter((text) => text !== before && text !== '8000 8000 4001 4001')).toEqual([]);
  expect(await sums()).toBe('8000 8000 4001 4001');
  expect(await differences(TODAY)).toEqual([]);
});

it('writes nothing where a day without a salt is right', async () => {
  await count(...hitsOf(TODAY - 10, 100));
  await pack();
  const version = () =>
    one.database.read((manager) =>
      manager.query('SELECT version FROM closed_days WHERE website_id = ?', [websiteId]),
    );
  const before = await version();
  await recount.rebuildDay(websiteId, TODAY - 10, nothing);
  expect(await version()).toEqual(before);
});

it('counts hits that come in while the archive of their day is read', async () => {
  await one.execute('DELETE FROM salts');
  await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [TODAY, Buffer.alloc(60)]);
  await count(...hitsOf(TODAY, 2000));
  await spoil();
  await one.execute('DELETE FROM seen WHERE website_id = ? AND hash > ?', [websiteId, Buffer.alloc(1, 'v')]);
  let came = false;
  await recount.rebuildDay(websiteId, TODAY, async () => {
    if (came) return;
    came = true;
    await count(pageView('/late', 'z'), pageView('/late', 'y'));
  });
  expect(await differences(TODAY)).toEqual([]);
  await count(pageView('/late', 'z'), ...hitsOf(TODAY, 2000));
  expect(await differences(TODAY)).toEqual([]);
  expect(await one.counted(websiteId, 'visitor')).toEqual({ [dayText(TODAY)]: 2002 });
  await one.execute('DELETE FROM salts');
});

it('compares a day that is being counted as it stands at one moment', async () => {
  await count(...hitsOf(TODAY, 3000));
  let counts = 0;
  const meanwhile = async () => {
    counts++;
    await count(...hitsOf(TODAY, 50));
  };
  expect(await recount.verifyDay(websiteId, TODAY, meanwhile)).toEqual([]);
  expect(counts).toBeGreaterThan(1);
});

it('counts the days of a damaged segment one after the other, also those that hits are added to', async () => {
  const VISITORS = 500;
  const days = Array.from({ length: 6 }, (_, index) => FIRST_OF_A_MONTH + index);
  for (const day of days) await count(...hitsOf(day, VISITORS));
  await pack();
  await one.execute("UPDATE stat_segments SET data = X'00' WHERE website_id = ? AND name = ? AND span = ?", [
    websiteId,
    DIMENSIONS.visitor.code,
    SPANS.days,
  ]);
  const segment = 'SELECT day, last_day FROM stat_segments WHERE website_id = ? AND name = ? AND span = ?';
  expect(await one.database.query(segment, [websiteId, DIMENSIONS.visitor.code, SPANS.days])).toMatchObject([
    { day: days[0], last_day: days.at(-1) },
  ]);
  const catchUp = jest.spyOn(RecountedDay.prototype, 'catchUp');
  const recounted = () => [...new Set(catchUp.mock.contexts)] as RecountedDay[];
  let maxKeys = 0;
  let hasAdded = false;
  await recount.repair(websiteId, async () => {
    maxKeys = Math.max(
      maxKeys,
      recounted().reduce((sum, { keys }) => sum + keys.size, 0),
    );
    if (hasAdded || recounted().length < days.length) return;
    hasAdded = true;
    await count({ ...pageView('/late', 'z'), day: days[1]! });
  });
  expect([hasAdded, recounted().length]).toEqual([true, days.length]);
  catchUp.mockRestore();
  expect(maxKeys).toBeLessThanOrEqual(2 * VISITORS);
  const visitors = Object.fromEntries(
    days.map((day) => [dayText(day), VISITORS + (day === days[1] ? 1 : 0)]),
  );
  expect(await one.counted(websiteId, 'visitor', days[0], days.at(-1))).toEqual(visitors);
  await pack();
  expect(await recount.problems(websiteId, nothing)).toEqual([]);
  expect(await one.counted(websiteId, 'visitor', days[0], days.at(-1))).toEqual(visitors);
});

describe('a day with more unique keys than are kept in memory', () => {
  const [DAY, MAX_KEYS, IN_PIECE] = [TODAY, 100, 20];
  const hits = Array.from({ length: 1500 }, (_, index) => ({
    ...pageView(`/p${index % 7}`, 'a'),
    visitor: createHash('sha256')
      .update(String(index % 611))
      .digest()
      .subarray(0, 8)
      .toString('base64url'),
    campaign: index % 3 === 0 ? `campaign ${index % 5}` : null,
    referrer: index % 4 === 0 ? `${index % 6}.example` : null,
  }));
  const bounded = () => {
    const settings = new Settings({});
    return new Recount(one.database, new RetentionClock(one.database, settings), settings, MAX_KEYS);
  };
  const seen = () =>
    one.database.query('SELECT hash FROM seen WHERE website_id = ? ORDER BY hash', [websiteId]);
  let catchUp: jest.SpyInstance;
  let most = 0;
  const watched = () => {
    for (const { keys } of catchUp.mock.contexts as RecountedDay[]) most = Math.max(most, keys.size);
  };
  const countInPieces = async (all: Hit[]) => {
    for (let from = 0; from < all.length; from += IN_PIECE)
      await one.accept(websiteId, ...all.slice(from, from + IN_PIECE));
    await one.count(websiteId, [], IN_PIECE);
  };
  beforeEach(async () => {
    await countInPieces(hits);
    most = 0;
    catchUp = jest.spyOn(RecountedDay.prototype, 'catchUp');
    await one.execute('DELETE FROM salts');
  });
  afterEach(() => {
    catchUp.mockRestore();
    // Of a hit its visitor, its campaign and its referrer.
    expect(most).toBeLessThanOrEqual(MAX_KEYS + 3 * IN_PIECE);
  });

  it('is compared with its counters', async () => {
    expect(await bounded().verifyDay(websiteId, DAY, watched)).toEqual([]);
    expect(most).toBeGreaterThan(MAX_KEYS / 2);
    await one.execute('UPDATE stat_counters SET hits = hits + 1 WHERE website_id = ? AND name = 2', [
      websiteId,
    ]);
    const found = await bounded().verifyDay(websiteId, DAY, watched);
    expect(found).toEqual([
      { day: dayText(DAY), name: 'visitor', value: dayText(DAY), counted: 612, archived: 611 },
    ]);
  });

  it('is counted anew where the work broke off', async () => {
    const whole = new RecountedDay(websiteId, DAY);
    await whole.catchUp(one.database, nothing);
    const numbers = new RecountNumbers(one.database, new Settings({}));
    const countsOf = async (day: RecountedDay) =>
      day.counts(one.database, await numbers.dictionaryOf(websiteId), nothing);
    const expected = await countsOf(whole);
    const inParts = new RecountedDay(websiteId, DAY, MAX_KEYS);
    let hasEnded = false;
    for (let ends = 1; !hasEnded; ends += 307) {
      let left = ends;
      const report = () => {
        if (left-- === 0) throw new LeaseLost('of a website');
      };
      hasEnded = await inParts.catchUp(one.database, report).then(
        () => true,
        () => false,
      );
    }
    expect(await countsOf(inParts)).toEqual(expected);
    await inParts.catchUp(one.database, nothing);
    expect(await countsOf(inParts)).toEqual(expected);
    most = 0;
  });

  it('tells each of its hits once', async () => {
    let told = 0;
    await bounded().verifyDay(websiteId, DAY, (some) => void (told += some));
    expect(told).toBe(hits.length);
  });

  it.each([
    ['with its keys, and hits that come in', true],
    ['without its keys', false],
  ])('is rebuilt %s', async (_, hasSalt) => {
    const before = await seen();
    await spoil();
    if (hasSalt) {
      await one.execute('INSERT INTO salts (day, salt) VALUES (?, ?)', [DAY, Buffer.alloc(60)]);
      await one.execute('DELETE FROM seen WHERE website_id = ? AND hash > ?', [websiteId, Buffer.of(200)]);
      const wrong = [0, 100, 255].map((first) => Buffer.alloc(8, first));
      for (const hash of wrong)
        await one.execute('INSERT INTO seen (website_id, day, hash) VALUES (?, ?, ?)', [
          websiteId,
          DAY,
          hash,
        ]);
    }
    let isLate = hasSalt;
    await bounded().rebuildDay(websiteId, DAY, async () => {
      watched();
      if (!isLate) return;
      isLate = false;
      await count(...hits.slice(0, IN_PIECE));
    });
    expect(await seen()).toEqual(before);
    expect(await recount.verifyDay(websiteId, DAY, nothing)).toEqual([]);
    expect(await one.counted(websiteId, 'visitor')).toEqual({ [dayText(DAY)]: 611 });
    await one.execute('DELETE FROM salts');
  });

  it('is read once where it is in columns', async () => {
    const day = DAY - 10;
    const before = hits.map((hit) => ({ ...hit, day, at: day * 86_400 }));
    await countInPieces(before);
    await one.closeDays(websiteId, day + 1);
    let told = 0;
    const recounted = new RecountedDay(websiteId, day, MAX_KEYS);
    await recounted.catchUp(one.database, (some) => {
      told += some;
      most = Math.max(most, recounted.keys.size);
    });
    expect([told, most]).toEqual([hits.length, expect.any(Number)]);
    expect(most).toBeLessThan(20);
    expect(await bounded().verifyDay(websiteId, day, nothing)).toEqual([]);
  });
});

it('keeps its lease alive while it works longer than one lasts', async () => {
  await count(pageView('/', 'a'));
  let attempts = 0;
  await HeldLease.during(one.database, websiteId, async (held) => {
    attempts++;
    for (let pause = 0; pause < 5; pause++) {
      passTime(1000);
      await one.execute('UPDATE counting SET expires_at = expires_at - 1000 WHERE website_id = ?', [
        websiteId,
      ]);
      await held.renewIfDue();
      expect(await other.folderOf(websiteId)).toBeUndefined();
    }
    await held.write(() => Promise.resolve());
  });
  expect(attempts).toBe(1);
  expect(await other.folderOf(websiteId)).toBeDefined();
});

it('seizes a lease that it lost, and does its work anew', async () => {
  await count(pageView('/', 'a'));
  let attempts = 0;
  await HeldLease.during(one.database, websiteId, async (held) => {
    if (++attempts === 1) {
      await one.endLeases();
      expect(await other.folderOf(websiteId)).toBeDefined();
    }
    await held.write((manager) =>
      manager.query('UPDATE counting SET archived_from = archived_from + 1 WHERE website_id = ?', [
        websiteId,
      ]),
    );
  });
  expect(attempts).toBe(2);
  const [row] = await one.database.read((manager) =>
    manager.query<{ archived_from: number }[]>('SELECT archived_from FROM counting WHERE website_id = ?', [
      websiteId,
    ]),
  );
  expect(row!.archived_from).toBe(1);
});

it('leaves days alone that are older than STATS_DAYS', async () => {
  await count(...hitsOf(TODAY - 30, 10), ...hitsOf(TODAY - 20, 10), ...hitsOf(TODAY, 10));
  await pack(TODAY - 20);
  const limited = recountWith({ STATS_DAYS: '20' });
  const days = async (of: Recount) => (await of.days(websiteId)).map(({ day }) => TODAY - day);
  expect(await days(recount)).toEqual([30, 20, 0]);
  expect(await days(limited)).toEqual([20, 0]);
  expect(await differences(TODAY - 30)).not.toEqual([]);
  const environment = { DATABASE_URL: database.url, STATS_DAYS: '20' };
  const domain = `counted${websiteId}.example`;
  for (const command of ['verify', 'rebuild', 'verify'])
    expect(await host.run(['stats', command, '--domain', domain], environment)).toMatchObject({ code: 0 });
  expect(await one.counted(websiteId, 'page', TODAY - 30, TODAY - 30)).toEqual({});
});

it('rebuilds a large website while its events come in, and tells its progress', async () => {
  const KEY = 'a-key-for-what-is-counted-again';
  for (let ago = REBUILT_DAYS - 1; ago >= 0; ago--) await count(...hitsOf(TODAY - ago, HITS_OF_DAY, 500));
  await pack();
  await one.execute('DELETE FROM stat_segments WHERE website_id = ? AND name IN (2, 3, 7)', [websiteId]);
  await one.execute('UPDATE closed_days SET version = version + 1 WHERE website_id = ?', [websiteId]);
  await spoil();

  const environment = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY };
  const service = await startService(environment);
  const api = new ApiClient(service.address, KEY);
  let acknowledged = 0;
  const refused: number[] = [];
  let over = false;
  const sending = (async () => {
    const json = { url: `https://counted${websiteId}.example/live` };
    const headers = {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
    };
    while (!over) {
      const { status } = await api.as(undefined).post('/api/v1/events', { json, headers });
      if (status === 202) acknowledged++;
      else refused.push(status);
    }
  })();
  const rebuilt = await host.run(
    ['stats', 'rebuild', '--domain', `counted${websiteId}.example`],
    environment,
  );
  const verified = await host.run(
    ['stats', 'verify', '--domain', `counted${websiteId}.example`],
    environment,
  );
  over = true;
  await sending;
  expect(rebuilt).toMatchObject({ code: 0, stdout: 'The counters were rebuilt from the archive.\n' });
  expect(rebuilt.stderr).toMatch(/rebuilt: 0 of [^]+rebuilt: [1-9][\d,]+ of /);
  expect(verified).toMatchObject({ code: 0, stdout: 'The counters agree with the archive.\n' });
  await untilCounted(api, websiteId);
  const pages = await counted(api, websiteId, 'page');
  expect([acknowledged > 0, new Set(refused)]).toEqual([true, new Set()]);
  expect(pages.entries.find(({ value }) => value === '/live')?.count).toBe(acknowledged);
  expect(pages.sum).toBe(REBUILT_DAYS * HITS_OF_DAY + acknowledged);
  expect((await counted(api, websiteId, 'visitor')).sum).toBe(REBUILT_DAYS * Math.min(4001, HITS_OF_DAY) + 1);
  await service.program.stop();
});

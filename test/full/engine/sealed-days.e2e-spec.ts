import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RETENTION_RULES } from '../../../src/retention-rules';
import { DAY_MS } from '../../../engine/ground/time/days';
import { VISITOR_BYTES } from '../../../engine/ground/visitor-bytes';
import { Settings } from '../../../src/config/settings';
import { SegmentMerge } from '../../../engine/columns/upkeep/segment-merge';
import { type ColumnWork, REPLACED_STAYS_MS } from '../../../engine/columns/upkeep/column-work';
import type { DaysToClose } from '../../../engine/columns/upkeep/next-column-work';
import { type ColumnLimits, nextColumnWork } from '../../../engine/columns/upkeep/next-column-work';
import { inChunks, insertAll } from '../../../engine/database/rows';
import { LeaseLost } from '../../../engine/database/lease';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { RetentionClock } from '../../../engine/database/retention-clock';
import { HitsReading } from '../../../engine/columns/hits/hits-reading';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { readClosedDays } from '../../../engine/columns/closed-days';
import type { Hit } from '../../../engine/hits/hit';
import { HitsRemoved } from '../../../engine/columns/batches/batches';
import { encodedNumbers } from '../../../engine/hits/codes/leb128';
import { partInsertion, partName, readParts } from '../../../engine/columns/segments/hit-segments';
import { ALL_KINDS, type EncodedPart, isLate, STRUCTURE } from '../../../engine/columns/segments/part-format';
import {
  DamagedColumns,
  type PartKey,
  rowsOfColumn,
  rowsOfPart,
} from '../../../engine/columns/segments/part-rows';
import { DamagedVisitors } from '../../../engine/columns/ordering/day-visitors';
import { readHitsFrom, readDays } from '../../../engine/columns/stored-days';
import { askerOf, owner } from '../../../src/stats/viewers/viewer';
import { closeDays } from '../../support/counted';
import {
  CountingProcess,
  daysOver,
  forgottenAt,
  mixedHitsOn,
  pageViewOn,
  TODAY,
} from '../../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf, selectedPages } from '../../support/hit-answers';
import { keptHits } from '../../support/stored-days';
import { textOfAllTables } from '../../support/tables';

const { seenIf } = askerOf(owner(1));

const HOUR_MS = 3_600_000;
/** Hits of it are accepted, and its visitors are known. */
const DAY = TODAY - 1;
/** The moment at which the day's salt is removed. */
const SALT_GONE_MS = forgottenAt(DAY);
/** The day's salt lives, and its events are still accepted. */
const SEALED: DaysToClose = { ...daysOver(DAY + 1), before: 0, finalBefore: 0 };
/** Its events are no longer accepted. */
const FINAL: DaysToClose = { ...SEALED, finalBefore: DAY + 1 };
/** Several parts for a day, with a transaction for each. */
const SMALL: ColumnLimits = { closing: { hits: 4, textBytes: 1_000_000, bytesAtOnce: 1 } };
/** Memory is so small that all hits become fragments. */
const BY_FRAGMENTS: ColumnLimits = { closing: { ...SMALL.closing!, bufferBytes: 1 } };

let database: FreshDatabase;
let one: CountingProcess;
let websiteId = 900;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
});
beforeEach(async () => {
  await one.register(++websiteId);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

const hit = (page: string, visitor: string, second: number, fields: Partial<Hit> = {}) =>
  pageViewOn(DAY, page, visitor, { at: 86_400 * DAY + second, ...fields });

const HITS = mixedHitsOn(DAY);

/** Hits of known and of new visitors: before, between and behind the other hits. */
const LATE_HITS = [
  hit('/late/a', 'a', 5, { referrer: 'late.example', country: 'IT' }),
  hit('/late/z', 'z', 3000, { campaign: 'Late', event: 'late' }),
  hit('/late/z', 'z', 4005),
  hit('/late/new', 'n', 100, { country: 'ES', referrer: 'a.example' }),
  hit('/late/nobody', '', 200),
  hit('/late/new', 'n', 99, { country: 'PT' }),
  hit('/late/m', 'm', 10, { referrer: 'a.example' }),
];

const SEGMENTS = [
  'country==FR',
  'event==late',
  'page=^/late',
  'referrer==a.example',
  'campaign==Late,campaign==Sale',
  'entry_page==/late/a',
  'exit_page==/5',
  'hour_of_day==1',
];

/** Hits that arrive on their day. */
async function count(hits: Hit[], of = websiteId): Promise<void> {
  await one.accept(of, ...hits);
  await one.execute('UPDATE inbox SET accepted_at = ?', [DAY * DAY_MS]);
  await one.count(of, [], 3);
}

const work = (over = SEALED, limits?: ColumnLimits) => one.workOnColumns(websiteId, over, limits);
const requested = (of = websiteId, cache?: ColumnCache) =>
  answersOf(one.database, of, { from: DAY, to: DAY }, cache);
const differences = () => one.verification().verifyDay(websiteId, DAY, () => undefined);
const pages = (hits: Hit[]) => hits.map(({ page }) => page).sort();
const kept = async () => pages(await keptHits(one.database, websiteId));

async function rows(table: string): Promise<number> {
  const [row] = await one.database.query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`,
    [websiteId],
  );
  return Number(row!.n);
}

/** The hits of each visitor, independent of names. */
async function visitorsOf(of = websiteId): Promise<string[]> {
  const visitors = new Map<string, string[]>();
  for (const { visitor, page, at } of await keptHits(one.database, of)) {
    const hits = visitors.get(visitor) ?? [];
    visitors.set(visitor, hits);
    hits.push(`${page} ${at}`);
  }
  return Array.from(visitors.values(), (hits) => hits.sort().join(', ')).sort();
}

const selected = (of = websiteId) =>
  Promise.all(SEGMENTS.map(async (segment) => (await selectedPages(one.database, of, DAY, segment)).sort()));

/** Everything that is known of the day. */
const all = async (of = websiteId) => [await requested(of), await visitorsOf(of), await selected(of)];

async function housekeeping(now: number): Promise<void> {
  for (const table of ['retention', 'leases']) await one.execute(`DELETE FROM ${table}`);
  const settings = new Settings({});
  await new Housekeeping(one.database, new RetentionClock(one.database, settings), RETENTION_RULES).tidy(now);
}

const HASH = Buffer.alloc(VISITOR_BYTES, 'Q');
/** In tables as bytes, or in the inbox as text. */
const FORMS = [HASH.toString(), HASH.toString('base64url')];

async function isHashFound(): Promise<boolean> {
  const text = await textOfAllTables(one.database);
  return FORMS.some((form) => text.includes(form));
}

/** SQLite overwrites deleted data. The files of a server are not searched. */
function isHashInFiles(): boolean {
  if (engine !== 'sqlite') return false;
  const folder = dirname(database.url.slice('sqlite:'.length));
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  return FORMS.some((form) => files.some((bytes) => bytes.includes(form)));
}

describe.each([
  ['in one part', undefined],
  ['in several parts', SMALL],
  ['in parts by way of fragments', BY_FRAGMENTS],
])('a day that was sealed %s', (_, limits) => {
  it('answers as one in batches does, whatever comes late', async () => {
    const inBatches = websiteId;
    await one.register(++websiteId);
    const both = async (hits: Hit[]) => {
      await count(hits, inBatches);
      await count(hits);
    };
    await both(HITS);
    await work(SEALED, limits);
    expect([await rows('hit_days'), (await rows('day_visitors')) > 0]).toEqual([1, true]);
    expect(await all()).toEqual(await all(inBatches));

    for (const late of LATE_HITS) {
      await both([late]);
      expect(await all()).toEqual(await all(inBatches));
      expect(await differences()).toEqual([]);
    }
    await work(FINAL, limits);
    expect([await rows('hit_days'), await rows('hit_batches')]).toEqual([1, 0]);
    expect(await all()).toEqual(await all(inBatches));
    expect(await differences()).toEqual([]);

    await both(LATE_HITS);
    const answered = await all(inBatches);
    expect(await all()).toEqual(answered);
    await work(FINAL, limits);
    await housekeeping(SALT_GONE_MS);
    expect(await rows('day_visitors')).toBe(0);
    expect(await all()).toEqual(answered);
    expect(await differences()).toEqual([]);
  });

  it('is kept in memory while hits come late', async () => {
    const cache = new ColumnCache();
    await count(HITS);
    await work(SEALED, limits);
    for (const late of LATE_HITS) {
      expect(await requested(websiteId, cache)).toEqual(await requested());
      await count([late]);
    }
    expect(await requested(websiteId, cache)).toEqual(await requested());
    await work(FINAL, limits);
    expect(await requested(websiteId, cache)).toEqual(await requested());
  });

  it('loses nothing where the process ends between any two transactions', async () => {
    await count(HITS);
    await work(SEALED, limits);
    await count(LATE_HITS);
    const whole = await all();
    for (let ends = 0; ; ends++) {
      const { work: next, turn } = await one.nextWork(websiteId, FINAL, limits);
      if (!next) break;
      let left = ends;
      const write: typeof turn.write = (prepared) =>
        left-- > 0 ? turn.write(prepared) : Promise.resolve(false);
      await next.run({ ...turn, write });
      expect(await all()).toEqual(whole);
      expect(await differences()).toEqual([]);
    }
    expect([await rows('hit_batches'), await rows('hit_days')]).toEqual([0, 1]);
    const named = await one.database.query<unknown[]>(
      `SELECT DISTINCT sealing FROM day_visitors WHERE website_id = ?`,
      [websiteId],
    );
    expect(named).toHaveLength(1);
  });
});

describe('the hashes of its visitors', () => {
  it.each([
    ['sealed', SEALED],
    ['in batches', undefined],
  ])('are gone with the salt, of a day %s with late hits', async (_, over) => {
    await count(HITS);
    if (over) await work(over);
    await count([hit('/late', 'Q', 7)]);
    await housekeeping(SALT_GONE_MS - 1);
    expect(await isHashFound()).toBe(true);
    await housekeeping(SALT_GONE_MS);
    expect(await isHashFound()).toBe(false);
    expect(isHashInFiles()).toBe(false);
    expect(await kept()).toEqual(pages([...HITS, hit('/late', 'Q', 7)]));
    await one.closeDays(websiteId, DAY + 1);
    expect(await kept()).toEqual(pages([...HITS, hit('/late', 'Q', 7)]));
  });

  const version = async () => (await readClosedDays(one.database, websiteId)).version;

  it('leave the version of its answers as it is where there are no late hits', async () => {
    await count(HITS);
    await work();
    const before = await version();
    await housekeeping(SALT_GONE_MS);
    expect([await rows('day_visitors'), await version()]).toEqual([0, before]);
  });

  it.each([
    ['batches', 'day_visitors'],
    ['the day', 'batch_visitors'],
  ])('change its answers for all processes where those of %s go before the others', async (_, later) => {
    await count(HITS);
    await work();
    await count(LATE_HITS);
    await one.execute(`UPDATE ${later} SET forget_at = forget_at + 1`);
    const cache = new ColumnCache();
    const answers = async (process = one, kept = cache) => [
      await requested(websiteId, kept),
      await process.counted(websiteId, 'country', DAY, DAY),
    ];
    const [answered, before] = [await answers(), await version()];
    for (const now of [SALT_GONE_MS, SALT_GONE_MS + HOUR_MS]) {
      await housekeeping(now);
      expect(await answers()).toEqual(await answers(one.coldly(), new ColumnCache()));
      expect(await answers()).not.toEqual(answered);
      expect(await version()).toBeGreaterThan(before);
    }
    expect([await rows('day_visitors'), await rows('batch_visitors')]).toEqual([0, 0]);
  });

  it.each([3, 8, 14])(
    'are gone from the fragments of a day that is being sealed at transaction %d, and it is sealed without them',
    async (at) => {
      await count([...HITS, ...LATE_HITS]);
      const whole = await kept();
      const { work: sealing, turn } = await one.nextWork(websiteId, SEALED, BY_FRAGMENTS);
      let writes = 0;
      await sealing.run({
        ...turn,
        write: async (prepared) => {
          if (++writes === at) {
            expect(await rows('day_visitors')).toBeGreaterThan(0);
            await housekeeping(SALT_GONE_MS);
            jest.spyOn(one.database, 'now').mockResolvedValue(SALT_GONE_MS);
            expect([await rows('day_visitors'), await rows('batch_visitors')]).toEqual([0, 0]);
          }
          return turn.write(prepared);
        },
      });
      jest.restoreAllMocks();
      expect([writes >= at, await rows('hit_days')]).toEqual([true, 0]);
      await housekeeping(SALT_GONE_MS);
      expect(await rows('day_visitors')).toBe(0);
      await one.closeDays(websiteId, DAY + 1, BY_FRAGMENTS);
      expect([await rows('hit_days'), await rows('hit_batches'), await rows('day_visitors')]).toEqual([
        1, 0, 0,
      ]);
      expect(await kept()).toEqual(whole);
    },
  );

  it('are gone though they are damaged, or the day was being sealed', async () => {
    await count(HITS);
    await work();
    await count(LATE_HITS);
    const { work: next, turn } = await one.nextWork(websiteId, FINAL, SMALL);
    let left = 3;
    await next.run({
      ...turn,
      write: (prepared) => (left-- > 0 ? turn.write(prepared) : Promise.resolve(false)),
    });
    await one.execute('UPDATE day_visitors SET hashes = ? WHERE website_id = ? AND first_visitor > 0', [
      Buffer.alloc(3),
      websiteId,
    ]);
    await housekeeping(SALT_GONE_MS);
    expect([await rows('day_visitors'), await rows('batch_visitors')]).toEqual([0, 0]);
    expect(await isHashFound()).toBe(false);
    expect(isHashInFiles()).toBe(false);
  });

  it('are gone though hits wait in the inbox behind a fault, whose visitors are forgotten as well', async () => {
    await count(HITS);
    await work();
    await one.accept(websiteId, hit('/waits', 'Q', 30), hit('/waits', 'm', 30), hit('/today', 'n', 86_400));
    await one.execute('UPDATE inbox SET accepted_at = ?', [SALT_GONE_MS - 2 * HOUR_MS]);
    await one.accept(websiteId, hit('/filled', 'k', 30));
    await one.execute('UPDATE inbox SET accepted_at = ? WHERE accepted_at > ?', [
      SALT_GONE_MS + HOUR_MS,
      SALT_GONE_MS,
    ]);
    await housekeeping(SALT_GONE_MS - 1);
    expect(await isHashFound()).toBe(true);
    await housekeeping(SALT_GONE_MS);
    expect([await rows('day_visitors'), await rows('batch_visitors')]).toEqual([0, 0]);
    expect(await isHashFound()).toBe(false);
    expect(isHashInFiles()).toBe(false);
    await one.count(websiteId, []);
    expect(await kept()).toEqual(
      pages([...HITS, ...['/waits', '/waits', '/today', '/filled'].map((page) => hit(page, '', 0))]),
    );
  });

  it.each([
    ['in small parts', SMALL],
    ['by fragments', BY_FRAGMENTS],
  ])(
    'are missing of a day that is sealed again and again %s, and its visitors stay as many',
    async (_, limits) => {
      await count(HITS);
      await work();
      await housekeeping(SALT_GONE_MS);
      for (let round = 0; round < 3; round++) {
        await count([hit(`/late/${round}`, 'z', round)]);
        const whole = await all();
        await work(FINAL, limits);
        expect([await rows('hit_batches'), await rows('day_visitors')]).toEqual([0, 0]);
        expect(await all()).toEqual(whole);
      }
    },
  );

  it('stay forgotten where their day moves to another segment meanwhile', async () => {
    const before = HITS.map((own) => ({ ...own, day: DAY - 1, at: own.at - 86_400 }));
    await count([...before, ...HITS]);
    await work();
    const { work: merge, turn } = await one.nextWork(websiteId, FINAL);
    expect(merge).toBeInstanceOf(SegmentMerge);
    await merge.run({
      ...turn,
      write: async (prepared) => {
        await housekeeping(SALT_GONE_MS);
        return turn.write(prepared);
      },
    });
    expect(await rows('day_visitors')).toBe(0);
    await count([hit('/late', 'z', 30)]);
    expect(await kept()).toEqual(pages([...before, ...HITS, hit('/late', 'z', 30)]));
    expect(await requested()).toHaveLength(3);
  });

  it('stay with the days that become one segment', async () => {
    const before = HITS.map((own) => ({ ...own, day: DAY - 1, at: own.at - 86_400 }));
    await count([...before, ...HITS]);
    await work(FINAL);
    expect(await rows('hit_columns')).toBe(1);
    await count(LATE_HITS);
    const inBatches = websiteId;
    await one.register(++websiteId);
    await count([...HITS, ...LATE_HITS]);
    expect(await requested(inBatches)).toEqual(await requested());
    websiteId = inBatches;
    await work(FINAL);
    expect(await requested(inBatches)).toEqual(await requested());
    websiteId++;
  });
});

describe('while a day is sealed', () => {
  it('hits come, and stay behind it', async () => {
    await count(HITS);
    await one.endLeases();
    const folder = (await one.folderOf(websiteId))!;
    const sealing = (await folder.nextColumns(SEALED))!;
    let isFirst = true;
    const goOn = async () => {
      if (isFirst) await one.accept(websiteId, ...LATE_HITS);
      while ((await folder.foldSome(2)) > 0) await folder.mergeBatches();
      isFirst = false;
      return folder.goOnWith(sealing);
    };
    await sealing.run({ goOn, write: (prepared) => folder.writeColumns(sealing, prepared) });
    folder.endColumns(sealing);
    await folder.lease.release();
    expect(await rows('hit_batches')).toBeGreaterThan(0);
    expect(await rows('hit_days')).toBe(1);
    expect(await kept()).toEqual(pages([...HITS, ...LATE_HITS]));
    expect(await differences()).toEqual([]);
  });

  it('another process takes the website over', async () => {
    await count(HITS);
    await work();
    await count(LATE_HITS);
    const whole = await all();
    const { work: next, turn } = await one.nextWork(websiteId, FINAL, SMALL);
    const other = await CountingProcess.start(database.url);
    let writes = 0;
    const write: typeof turn.write = async (prepared) => {
      if (++writes === 3) await other.workOnColumns(websiteId, FINAL);
      return turn.write(prepared);
    };
    await expect(next.run({ ...turn, write })).rejects.toThrow(LeaseLost);
    await other.stop();
    expect(await all()).toEqual(whole);
    expect(await rows('hit_batches')).toBe(0);
  });

  it('its visitors are forgotten, and the work is begun anew', async () => {
    await count(HITS);
    await work();
    await count(LATE_HITS);
    const { work: next, turn } = await one.nextWork(websiteId, FINAL, SMALL);
    let isFirst = true;
    const goOn = async () => {
      if (isFirst) await housekeeping(SALT_GONE_MS);
      isFirst = false;
      return true;
    };
    await next.run({ ...turn, goOn });
    expect(await rows('hit_batches')).toBeGreaterThan(0);
    expect(await kept()).toEqual(pages([...HITS, ...LATE_HITS]));
  });

  it.each([
    ['is made anew', FINAL],
    ['is left', SEALED],
  ])('an export of a day that %s breaks off, or goes on to its end', async (_, over) => {
    await count(HITS);
    await work(SEALED, SMALL);
    if (over === FINAL) await count(LATE_HITS);
    const [day] = await one.database.read((manager) => readDays(manager, websiteId));
    const reading = readHitsFrom((read) => read(one.database), websiteId, day!);
    await reading.next();
    await work(over, SMALL);
    const rest = async () => {
      const hits: Hit[] = [];
      for await (const some of reading) hits.push(...some.hits);
      return hits.length;
    };
    if (over === FINAL) await expect(rest()).rejects.toThrow(HitsRemoved);
    else expect(await rest()).toBeGreaterThan(0);
  });
});

describe('late hits', () => {
  const next = async (over: DaysToClose): Promise<ColumnWork | false> => {
    await one.endLeases();
    const { lease } = (await one.folderOf(websiteId))!;
    return nextColumnWork(one.database, lease, over);
  };
  const isFilled = () => true;
  /** Too few for a rollup, whose rows late hits would leave behind. */
  const SEALED_HITS = 80;
  const many = (hits: number) => Array.from({ length: hits }, (_, index) => hit(`/${index}`, 'a', index));

  it.each([
    ['one in 80 is', 1, {}, false],
    ['one in 80 of a day that gets no more events is', 1, FINAL, true],
    ['one in 20, and no further ones, are', 4, {}, true],
    ['one in 20, and further ones, are', 4, { isFilled }, false],
    ['one in four, and further ones, are', 20, { isFilled }, true],
  ])('%s brought into the columns', async (_, late, over, isDue) => {
    await count(many(SEALED_HITS));
    await work();
    await count(many(late));
    expect(await next({ ...SEALED, ...over })).toEqual(
      isDue ? expect.objectContaining({ days: [DAY] }) : false,
    );
  });

  it('that are 5 % go to the columns once no further ones come', async () => {
    const sealedBefore = async () =>
      (await one.database.read((manager) => readClosedDays(manager, websiteId))).sealedBefore;
    await count(many(SEALED_HITS));
    await closeDays(one.counting, websiteId, DAY - 5);
    await work();
    await count(many(4));
    expect(await next({ ...SEALED, isFilled })).toBe(false);
    expect(await sealedBefore()).toBe(DAY);
    await work();
    expect([await sealedBefore(), await rows('hit_batches')]).toEqual([DAY + 1, 0]);
  });

  it('have a website looked at again, and not without end', async () => {
    const noted = () => one.database.read((manager) => readClosedDays(manager, websiteId));
    await count(many(SEALED_HITS));
    await closeDays(one.counting, websiteId, DAY - 5);
    await work();
    expect(await noted()).toMatchObject({ sealedBefore: DAY + 1, columnsBefore: 0 });
    await count(many(1));
    expect(await noted()).toMatchObject({ sealedBefore: DAY, columnsBefore: 0 });
    await work();
    expect(await noted()).toMatchObject({ sealedBefore: DAY + 1, columnsBefore: 0 });
    await work(FINAL);
    expect(await noted()).toMatchObject({ sealedBefore: DAY + 1, columnsBefore: DAY + 1 });
    expect(await rows('hit_batches')).toBe(0);
  });
});

describe('hashes that are damaged', () => {
  beforeEach(async () => {
    await count(HITS);
    await work(SEALED, SMALL);
  });

  it.each([
    [
      'with a flipped bit',
      async () => {
        const [row] = await one.database.query<{ hashes: Buffer }[]>(
          'SELECT hashes FROM day_visitors WHERE website_id = ? AND first_visitor = 0',
          [websiteId],
        );
        row!.hashes[6]! ^= 1;
        await one.execute('UPDATE day_visitors SET hashes = ? WHERE website_id = ? AND first_visitor = 0', [
          row!.hashes,
          websiteId,
        ]);
      },
    ],
    [
      'with the first ones missing',
      () => one.execute('DELETE FROM day_visitors WHERE website_id = ? AND first_visitor = 0', [websiteId]),
    ],
    [
      'with the last ones missing',
      () => one.execute('DELETE FROM day_visitors WHERE website_id = ? AND first_visitor > 0', [websiteId]),
    ],
  ])('are an error of verification, and where late hits need them: those %s', async (_, damage) => {
    await damage();
    const answered = await requested();
    await expect(differences()).rejects.toThrow(DamagedVisitors);
    await count(LATE_HITS);
    await expect(requested()).rejects.toThrow(DamagedVisitors);
    await expect(kept()).rejects.toThrow(HitsRemoved);
    await expect(differences()).rejects.toThrow(DamagedVisitors);
    await expect(work(FINAL)).rejects.toThrow(DamagedVisitors);
    expect(await rows('hit_batches')).toBeGreaterThan(0);

    await one.execute('DELETE FROM hit_batches WHERE website_id = ?', [websiteId]);
    expect(await requested()).toEqual(answered);
  });

  it('are none once the salt is gone', async () => {
    await count(LATE_HITS);
    await one.execute('DELETE FROM day_visitors WHERE website_id = ?', [websiteId]);
    await housekeeping(SALT_GONE_MS);
    await one.closeDays(websiteId, DAY + 1);
    expect([await kept(), await rows('hit_batches')]).toEqual([pages([...HITS, ...LATE_HITS]), 0]);
  });

  it('leave no process with the sums from before, once the day is sealed without them', async () => {
    await count(LATE_HITS);
    const visitors = (process: CountingProcess) => process.counted(websiteId, 'visitor', DAY, DAY);
    const before = await visitors(one);
    await one.execute('DELETE FROM day_visitors WHERE website_id = ?', [websiteId]);
    await one.closeDays(websiteId, DAY + 1);
    expect(await visitors(one)).toEqual(await visitors(one.coldly()));
    expect(await visitors(one)).not.toEqual(before);
  });
});

describe('an export that began before', () => {
  /** An export of many pieces, after its first piece was read. */
  async function opened(size: number, pageOf: (index: number) => string, inFold: number) {
    const hits = Array.from({ length: size }, (_, index) => hit(pageOf(index), 'az'[index % 2]!, index));
    for (const some of inChunks(hits, inFold)) await one.count(websiteId, some);
    const reading = new HitsReading(one.database);
    const turn = { patienceMs: 10_000, check: () => undefined };
    const version = await reading.version({ seenIf, websiteId, range: { from: DAY, to: DAY } }, turn);
    const request = { seenIf, websiteId, version, filter: undefined, type: 'application/x-ndjson' };
    const { pieces } = await reading.lines(request, turn);
    const first = await pieces.next();
    return { first: first.value as Buffer, pieces, expected: pages(hits) };
  }

  async function wholeOf({ first, pieces }: Awaited<ReturnType<typeof opened>>): Promise<string[]> {
    const read = [first];
    for (let next = await pieces.next(); !next.done; next = await pieces.next())
      read.push(next.value as Buffer);
    const lines = Buffer.concat(read).toString().trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as { page: string }).page).sort();
  }

  it('has each hit once where a small day is sealed', async () => {
    const own = await opened(1500, (index) => `/${index}`, 100);
    expect(await rows('hit_batches')).toBeGreaterThan(8);
    await work();
    expect(await rows('hit_batches')).toBe(0);
    expect(await wholeOf(own)).toEqual(own.expected);
  });

  it('has each hit once where a large day is sealed, whose batches go ten minutes later', async () => {
    const own = await opened(6000, () => `/${randomBytes(720).toString('base64url')}`, 2000);
    const now = await one.database.now();
    await work({ ...SEALED, now });
    expect(await rows('hit_days')).toBe(1);
    expect(await rows('hit_batches')).toBeGreaterThan(8);
    const { dueAt } = await readClosedDays(one.database, websiteId);
    expect(dueAt).toBeGreaterThanOrEqual(now + REPLACED_STAYS_MS);
    expect(await wholeOf(own)).toEqual(own.expected);
    await work({ ...SEALED, now: dueAt - 1 });
    expect(await rows('hit_batches')).toBeGreaterThan(8);
    await work({ ...SEALED, now: dueAt });
    expect([await rows('hit_batches'), await rows('batch_visitors')]).toEqual([0, 0]);
    expect(await kept()).toEqual(own.expected);
  });
});

describe.each([
  ['one row', rowsOfPart],
  [
    'a row for each column',
    (key: PartKey, columns: EncodedPart) =>
      [...columns].flatMap(([kind, bytes]) => rowsOfColumn(key, kind, bytes)),
  ],
])('a part in %s', (_, rowsOf) => {
  /** Writes the part of the day anew, as a release did whose hits had fewer fields. */
  async function writeAsFormer(edit: (part: EncodedPart) => void): Promise<void> {
    const [row] = await one.database.query<{ segment: number | string }[]>(
      'SELECT segment FROM hit_days WHERE website_id = ?',
      [websiteId],
    );
    const key = { websiteId, segment: Number(row!.segment), part: 0 };
    const stored = await one.database.read((reader) => readParts(reader, websiteId, [key], ALL_KINDS));
    const part = stored.get(partName(key))!;
    edit(part);
    await one.database.write(async (manager) => {
      await manager.query('DELETE FROM hit_columns WHERE website_id = ?', [websiteId]);
      await insertAll(manager, [partInsertion(rowsOf(key, part), DAY)]);
    });
  }

  const withoutLate = (part: EncodedPart) => {
    for (const kind of ALL_KINDS) if (isLate(kind)) part.delete(kind);
  };
  const withId = async (value: string) =>
    (await selectedPages(one.database, websiteId, DAY, `campaign_id==${value}`)).sort();

  it('of a former release has no values of later fields', async () => {
    await count(HITS);
    await work();
    const before = await all();
    await writeAsFormer((part) => {
      withoutLate(part);
      const head = encodedNumbers([0, Math.max(...ALL_KINDS)]);
      part.set(STRUCTURE, part.get(STRUCTURE)!.subarray(head.length));
    });
    expect(await withId('')).toEqual(pages(HITS));
    expect(await all()).toEqual(before);
    expect(await differences()).toEqual([]);
    await count([hit('/new', 'n', 7, { campaignId: 'a.1' })]);
    await work(FINAL);
    expect(await rows('hit_batches')).toBe(0);
    expect([await withId('a.1'), await withId('')]).toEqual([['/new'], pages(HITS)]);
    expect(await differences()).toEqual([]);
  });

  it('is damaged if a later field is lost', async () => {
    await count(HITS);
    await work();
    await writeAsFormer(withoutLate);
    await expect(withId('')).rejects.toThrow(DamagedColumns);
  });
});

import { CommandError } from '../../../engine/ground/errors';
import { dayText } from '../../../engine/ground/time/days';
import { LeaseLost } from '../../../engine/database/lease';
import type { Verification } from '../../../engine/columns/verify/verification';
import type { ColumnLimits } from '../../../engine/columns/upkeep/next-column-work';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { insertAll } from '../../../engine/database/rows';
import { segmentsOf } from '../../../engine/columns/segments/segment-merge-rules';
import { findUnnamedSegments } from '../../../engine/columns/segments/hit-segments';
import type { Hit } from '../../../engine/hits/hit';
import { readHitsFrom, readDay, readDays } from '../../../engine/columns/stored-days';
import { daysOfPart } from '../../../engine/columns/segments/merged-part';
import { DamagedColumns } from '../../../engine/columns/segments/part-rows';
import { closeDays } from '../../support/counted';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf } from '../../support/hit-answers';
import { keptHits } from '../../support/stored-days';
import { passTime } from '../../support/passing-time';

/** The pause after the first failure of a day. */
const AFTER_A_FAILURE_MS = 1000;
const FIRST = TODAY - 20;
const DAYS = [FIRST, FIRST + 1, FIRST + 2, FIRST + 4, FIRST + 5];
const END = FIRST + 6;
const CLOSING = { hits: 3, textBytes: 1_000_000, bytesAtOnce: 1 };
/** A transaction for each row. */
const MERGE = { textBytes: 1_000_000, bytesAtOnce: 1 };
/** Days are not merged. */
const APART: ColumnLimits = { closing: CLOSING, merge: { ...MERGE, hits: 0 } };
const TOGETHER: ColumnLimits = { closing: CLOSING, merge: MERGE };
const IN_PARTS: ColumnLimits = { closing: CLOSING, merge: { ...MERGE, textBytes: 3000 } };

let database: FreshDatabase;
let one: CountingProcess;
let verification: Verification;
let websiteId = 900;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  verification = one.verification();
});
beforeEach(async () => {
  await one.register(++websiteId);
  await one.count(websiteId, DAYS.flatMap(hitsOn));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
});

/** Some visitors. One is unknown, and another has more hits than a part. */
function hitsOn(day: number): Hit[] {
  const at = 86_400 * day;
  const hit = (page: string, visitor: string, fields: Partial<Hit> = {}) =>
    pageViewOn(day, page, visitor, fields);
  return [
    hit(`/of/${day}`, 'z', { at: at + 50, referrer: 'a.example', country: 'FR' }),
    hit('/all', 'a', { at: at + 20, properties: [['day', String(day)]], event: 'buy' }),
    hit('/all', 'z', { at: at + 10 }),
    hit('/unknown', '', { at: at + 90 }),
    ...[1, 2, 3, 4].map((page) => hit(`/${page}`, 'm', { at: at + 100 + page })),
    hit('/last', 'b', { at: at + 86_399, campaign: 'Sale' }),
  ];
}

const close = (limits: ColumnLimits) => one.closeDays(websiteId, END, limits);
const answers = (cache?: ColumnCache) => answersOf(one.database, websiteId, { from: FIRST, to: END }, cache);
const kept = () => keptHits(one.database, websiteId);

async function differences(): Promise<unknown[]> {
  const found = [];
  for (const day of DAYS) found.push(...(await verification.verifyDay(websiteId, day, () => undefined)));
  return found;
}

async function segments(): Promise<number[]> {
  const days = await one.database.read((manager) => readDays(manager, websiteId));
  return [...new Set(days.map(({ columns }) => columns?.segment ?? 0))];
}

/** The number of segments in the database, including unnamed ones. */
async function storedSegments(): Promise<number> {
  const [row] = await one.database.read((manager) =>
    manager.query<{ n: number }[]>(
      'SELECT COUNT(DISTINCT segment) AS n FROM hit_columns WHERE website_id = ?',
      [websiteId],
    ),
  );
  return Number(row!.n);
}

describe('days of several segments', () => {
  it.each([
    ['in one part', TOGETHER, 1],
    ['in several parts, as their texts need', IN_PARTS, 2],
  ])('become one segment %s, with the same hits in the same order', async (_, limits, leastParts) => {
    await close(APART);
    expect(await segments()).toHaveLength(DAYS.length);
    const before = [await kept(), await answers()];
    await one.execute('UPDATE closed_days SET columns_before = 0 WHERE website_id = ?', [websiteId]);
    await close(limits);
    expect([await segments(), await storedSegments()]).toEqual([[expect.any(Number)], 1]);
    expect([await kept(), await answers()]).toEqual(before);
    expect(await differences()).toEqual([]);
    const { columns } = await one.database.read((manager) => readDay(manager, websiteId, END - 1));
    expect(columns!.lastPart + 1).toBeGreaterThanOrEqual(leastParts);
  });

  it('are asked by who knew them as they were, and what is late is theirs', async () => {
    await close(APART);
    const cache = new ColumnCache();
    const before = await answers(cache);
    await one.execute('UPDATE closed_days SET columns_before = 0 WHERE website_id = ?', [websiteId]);
    await close(TOGETHER);
    expect(await answers(cache)).toEqual(before);
    await one.count(websiteId, [{ ...hitsOn(FIRST)[0]!, page: '/late', visitor: '' }]);
    const [[[pageviews]]] = (await answers(cache)) as [[[number]]];
    expect(pageviews).toBe((before as [[[number]]])[0][0][0] + 1);
    expect(await differences()).toEqual([]);
  });
});

describe('while segments become one', () => {
  beforeEach(() => close(APART));
  const merge = () => one.columnWork(websiteId, END + 1, IN_PARTS);

  it('loses nothing where the process ends between any two transactions', async () => {
    const before = [await kept(), await answers()];
    let isWhole = false;
    for (let ends = 0; !isWhole; ends++) {
      const { work, turn } = await merge();
      let left = ends;
      await work.run({
        ...turn,
        write: (own) => (left-- > 0 ? turn.write(own) : Promise.resolve(false)),
      });
      isWhole = (await segments()).length === 1;
      expect([await kept(), await answers()]).toEqual(before);
    }
    expect(await differences()).toEqual([]);
    expect(await storedSegments()).toBeGreaterThan(1);
    await one.execute('UPDATE closed_days SET columns_before = 0 WHERE website_id = ?', [websiteId]);
    await one.count(websiteId, [{ ...hitsOn(END)[0]!, day: END }]);
    await one.closeDays(websiteId, END + 1, APART);
    expect(await storedSegments()).toBe(2);
  });

  it('changes nothing where a transaction fails before it is committed', async () => {
    const before = [await segments(), await kept()];
    const { work, turn } = await merge();
    const run = work.run({
      ...turn,
      write: (own) =>
        turn.write(async (manager) => {
          await own(manager);
          const [row] = await manager.query<{ n: number }[]>(
            'SELECT COUNT(DISTINCT segment) AS n FROM hit_days WHERE website_id = ?',
            [websiteId],
          );
          if (Number(row!.n) === 1) throw new CommandError('the power went off');
        }),
    });
    await expect(run).rejects.toThrow('the power went off');
    expect([await segments(), await kept()]).toEqual(before);
  });

  it('is begun anew where a day expires in between', async () => {
    const before = await segments();
    const { work, turn } = await merge();
    const expire = async () => {
      await one.execute('UPDATE counting SET archived_from = ? WHERE website_id = ?', [DAYS[1]!, websiteId]);
      await one.execute('DELETE FROM hit_days WHERE website_id = ? AND day < ?', [websiteId, DAYS[1]!]);
      await one.execute('UPDATE closed_days SET due_at = 0 WHERE website_id = ?', [websiteId]);
    };
    let isFirst = true;
    await work.run({
      ...turn,
      goOn: async () => {
        if (isFirst) await expire();
        isFirst = false;
        return true;
      },
    });
    expect(await segments()).toEqual(before.slice(1));
    await close(TOGETHER);
    expect([(await segments()).length, (await kept()).length]).toEqual([1, 9 * (DAYS.length - 1)]);
  });

  it('is left to the process that took the website over', async () => {
    const before = await kept();
    const { work, turn } = await merge();
    const other = await CountingProcess.start(database.url);
    let writes = 0;
    const write: typeof turn.write = async (own) => {
      if (++writes === 2) await other.closeDays(websiteId, END + 1, TOGETHER);
      return turn.write(own);
    };
    await expect(work.run({ ...turn, write })).rejects.toThrow(LeaseLost);
    expect(writes).toBe(2);
    await other.stop();
    expect([(await segments()).length, await storedSegments(), await kept()]).toEqual([1, 1, before]);
  });

  it('is read as it was by whoever began before', async () => {
    const before = await kept();
    const read = await one.database.read(async (manager) => {
      const days = await readDays(manager, websiteId);
      await one.closeDays(websiteId, END + 1, TOGETHER);
      const hits: Hit[] = [];
      for (const day of days)
        for await (const some of readHitsFrom((work) => work(manager), websiteId, day))
          hits.push(...some.hits);
      return hits;
    });
    expect(read).toEqual(before);
  });

  it('goes on with an export in parts where it was', async () => {
    const before = (await kept()).filter(({ day }) => day === FIRST + 1);
    const [, day] = await one.database.read((manager) => readDays(manager, websiteId));
    const reading = readHitsFrom((work) => work(one.database), websiteId, day!);
    const { value: some } = (await reading.next()) as { value: { hits: Hit[] } };
    expect(some.hits.length).toBeLessThan(before.length);
    const read = [...some.hits];
    await one.closeDays(websiteId, END + 1, TOGETHER);
    for await (const { hits } of reading) read.push(...hits);
    expect(read).toEqual(before);
  });

  it.each([
    ['with a flipped bit', 'UPDATE hit_columns SET data = ? WHERE website_id = ? AND last_day = ?'],
    ['that are not there', 'DELETE FROM hit_columns WHERE data <> ? AND website_id = ? AND last_day = ?'],
    [
      'that no day names',
      'UPDATE hit_days SET last_part = 0 WHERE ? IS NOT NULL AND website_id = ? AND day = ?',
    ],
  ])('does not hide columns that are damaged: those %s', async (_, damage) => {
    const before = await segments();
    await one.execute(damage, [Buffer.alloc(30, 1), websiteId, FIRST + 2]);
    const { work, turn } = await merge();
    await expect(work.run(turn)).rejects.toThrow(DamagedColumns);
    expect(await segments()).toEqual(before);
  });
});

it('leaves out a segment that is damaged, names it, and merges it once it is restored', async () => {
  await close(APART);
  const before = await kept();
  const day = FIRST + 2;
  const of = [websiteId, day];
  const [row] = await one.database.query<{ data: Buffer }[]>(
    'SELECT data FROM hit_columns WHERE website_id = ? AND last_day = ? AND part = 0',
    of,
  );
  const write = (data: Buffer) =>
    one.execute('UPDATE hit_columns SET data = ? WHERE website_id = ? AND last_day = ? AND part = 0', [
      data,
      ...of,
    ]);
  await write(Buffer.alloc(30, 1));
  const merged = async () => {
    await closeDays(one.counting, websiteId);
    const days = await one.database.read((manager) => readDays(manager, websiteId));
    return segmentsOf(days).map((segment) => segment.days.map((own) => own.day));
  };
  const warnings = () => one.counting.warnings().filter(({ website_id }) => website_id === websiteId);
  expect(await merged()).toEqual([[FIRST, FIRST + 1], [day], [FIRST + 4, FIRST + 5]]);
  const detail = `The stored hits of ${dayText(day)} are damaged (website ${websiteId}, part 0)`;
  expect(warnings()).toEqual([
    { code: 'packing_fails', website_id: websiteId, detail: expect.stringContaining(detail) },
  ]);
  await write(row!.data);
  passTime(AFTER_A_FAILURE_MS);
  expect([await merged(), warnings()]).toEqual([[DAYS], []]);
  expect(await kept()).toEqual(before);
});

it('writes a segment anew without the days that are not kept any more', async () => {
  await close(TOGETHER);
  const first = async () => {
    const { columns } = await one.database.read((manager) => readDay(manager, websiteId, END - 1));
    const { segment, firstPart } = columns!;
    return daysOfPart(one.database, { websiteId, segment, part: firstPart }, END - 1);
  };
  expect(await first()).toEqual(DAYS);
  const before = (await kept()).filter(({ day }) => day > FIRST + 1);
  for (const table of ['counting', 'hit_days'])
    await one.execute(
      table === 'counting'
        ? 'UPDATE counting SET archived_from = ? WHERE website_id = ?'
        : 'DELETE FROM hit_days WHERE day < ? AND website_id = ?',
      [FIRST + 2, websiteId],
    );
  await one.execute('UPDATE closed_days SET columns_before = 0 WHERE website_id = ?', [websiteId]);
  await close(TOGETHER);
  expect([await first(), await storedSegments()]).toEqual([DAYS.slice(2), 1]);
  expect(await kept()).toEqual(before);
});

it('finds the segments that no day names among more than a server steps through in one recursion', async () => {
  const rows = Array.from({ length: 1201 }, (_, segment) => [
    websiteId,
    segment + 100_000,
    0,
    0,
    0,
    FIRST,
    Buffer.alloc(1),
  ]);
  await insertAll(one.database.writer.manager, [
    {
      table: 'hit_columns',
      columns: ['website_id', 'segment', 'part', 'kind', 'piece', 'last_day', 'data'],
      rows,
    },
  ]);
  expect(await findUnnamedSegments(one.database, websiteId)).toEqual(rows.map(([, segment]) => segment));
});

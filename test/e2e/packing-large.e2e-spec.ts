import type { EntityManager } from 'typeorm';
import { packSome } from '../../src/counting/packer';
import { bytesInStatement, insertRows, MAX_STATEMENT_BYTES } from '../../src/database/rows';
import { raiseVersion } from '../../src/storage/closed-days';
import { replacedCounts } from '../../src/storage/day-counts';
import { SPANS } from '../../src/storage/segment-format';
import { Sums } from '../../src/storage/sums';
import { coveringSegments } from '../../src/stats/covering-segments';
import { day } from '../../src/validation/parsers';
import { CountingProcess } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const WEBSITE = 1;
const PAGE = 3;
const IDS = 450_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const DAY = day('2026-01-20');
const JANUARY = { from: day('2026-01-01'), to: day('2026-01-31') };
const CALENDAR = { today: day('2026-02-01'), keptFrom: 0 };

let files: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  files = await freshDatabase();
  one = await CountingProcess.start(files.url);
  await one.register(WEBSITE);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await one.stop();
  await files.drop();
});

async function addRows(from: number, to: number, hits: number): Promise<void> {
  const added = Array.from(
    { length: to - from + 1 },
    (_, index) => `(1, ${PAGE}, ${DAY}, ${from + index}, ${hits})`,
  );
  await one.execute(`INSERT INTO stat_counters VALUES ${added.join()}`);
  await one.database.write((manager) => raiseVersion(manager, WEBSITE));
}

async function pack(): Promise<void> {
  const { lease } = (await one.folderOf(WEBSITE))!;
  while (await packSome(one.database, lease, CALENDAR, { rows: IDS, bytes: 1 }));
}

async function segments(): Promise<number> {
  const sql = 'SELECT COUNT(*) AS n FROM stat_segments WHERE website_id = ?';
  const [row] = await one.database.query<{ n: number }[]>(sql, [WEBSITE]);
  return Number(row!.n);
}

const total = async (range: { from: number; to: number }) =>
  (await one.read(WEBSITE, (snapshot) => snapshot.sums({ name: 'page', range }))).total();

it('splits the counts of very many values, also where more come late', async () => {
  for (let from = 1; from <= IDS; from += 10_000) await addRows(from, from + 9999, 1);
  await pack();
  expect(await total({ from: DAY, to: DAY })).toBe(IDS);
  expect(await segments()).toBeGreaterThan(10);
  await addRows(IDS + 1, IDS + 1, 5);
  await pack();
  expect([await total(JANUARY), await total({ from: DAY, to: DAY })]).toEqual([IDS + 5, IDS + 5]);
});

it('reads them in pieces, and replaces them in a transaction that reads nothing', async () => {
  const wanted = new Sums();
  for (let id = 1; id <= IDS; id++) wanted.add(id, 2);
  const { database } = one;
  const { lease } = (await one.folderOf(WEBSITE))!;
  const read = jest.spyOn(database, 'query');
  const apply = await replacedCounts(database.dialect, database, WEBSITE, DAY, new Map([[PAGE, wanted]]));
  const answers = (await Promise.all(read.mock.results.map(({ value }) => value))) as { data?: Buffer }[][];
  for (const answer of answers) {
    const found = answer.flatMap(({ data }) => data ?? []);
    if (found.length > 1) expect(Buffer.concat(found).length).toBeLessThanOrEqual(MAX_STATEMENT_BYTES);
  }

  const sent: { sql: string; bytes: number }[] = [];
  await database.write(async (manager) => {
    const spy = spyOnStatements(manager, sent);
    await lease.fenceCounts(manager);
    await apply(manager);
    spy.mockRestore();
  });
  expect(sent.filter(({ sql }) => /^\s*SELECT/.test(sql))).toEqual([]);
  expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThan(1024 * 1024);
  expect([await total({ from: DAY, to: DAY }), await total(JANUARY)]).toEqual([2 * IDS, 2 * IDS]);
});

it('adds up a long range in pieces of limited size', async () => {
  const OTHER_WEBSITE = 2;
  const DAYS = 400;
  const large = new Set<number>();
  for (let later = 0; later < 8; later++) {
    large.add(DAY + 50 * later);
    await one.execute(
      `INSERT INTO stat_segments SELECT ${OTHER_WEBSITE}, name, span, day + ?, part, last_day + ?, data
      FROM stat_segments WHERE website_id = ? AND name = ? AND span = ? AND day = ?`,
      [50 * later, 50 * later, WEBSITE, PAGE, SPANS.days, DAY],
    );
  }
  await one.database.write((manager) =>
    insertRows(
      manager,
      'stat_segments',
      ['website_id', 'name', 'span', 'day', 'part', 'last_day', 'data'],
      Array.from({ length: DAYS }, (_, index) => DAY + index)
        .filter((of) => !large.has(of))
        .map((of) => [OTHER_WEBSITE, PAGE, SPANS.days, of, 0, of, Buffer.alloc(1000)]),
    ),
  );

  const read: { day: number; part: number; bytes: number }[] = [];
  const answers: number[] = [];
  await one.database.read(async (manager) => {
    const spy = jest.spyOn(manager.queryRunner!, 'query');
    const plan = { months: undefined, days: [{ from: DAY, to: DAY + DAYS - 1 }] };
    for await (const { day, part, data } of coveringSegments(
      manager,
      { websiteId: OTHER_WEBSITE, name: PAGE },
      plan,
    ))
      read.push({ day, part, bytes: data.length });
    for (const { value } of spy.mock.results) {
      const answer = (await value) as Answer | { records: Answer };
      const rows = 'records' in answer ? answer.records : answer;
      answers.push(rows.reduce((sum, { data }) => sum + (data?.length ?? 0), 0));
    }
  });

  const total = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0);
  const [stored] = await one.database.query<{ n: number; bytes: number }[]>(
    'SELECT COUNT(*) AS n, SUM(LENGTH(data)) AS bytes FROM stat_segments WHERE website_id = ?',
    [OTHER_WEBSITE],
  );
  expect(new Set(read.map(({ day, part }) => `${day} ${part}`)).size).toBe(Number(stored!.n));
  expect([read.length, total(read.map(({ bytes }) => bytes))]).toEqual([
    Number(stored!.n),
    Number(stored!.bytes),
  ]);
  expect(new Set(read.map(({ day }) => day)).size).toBe(DAYS);
  expect(total(answers)).toBe(Number(stored!.bytes));
  expect(total(answers)).toBeGreaterThan(MAX_ANSWER_BYTES);
  expect(Math.max(...answers)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
});

it('removes an expired month in pieces, also what cannot be read', async () => {
  await one.execute("UPDATE stat_segments SET data = X'00' WHERE website_id = ? AND part = 1", [WEBSITE]);
  const { lease } = (await one.folderOf(WEBSITE))!;
  const calendar = { ...CALENDAR, keptFrom: CALENDAR.today };
  const removed: number[] = [];
  let left = await segments();
  while (left > 0) {
    expect(await packSome(one.database, lease, calendar, { rows: 3, bytes: 400_000 })).toBeDefined();
    const now = await segments();
    removed.push(left - now);
    left = now;
  }
  expect([Math.min(...removed), Math.max(...removed)]).toEqual([1, 3]);
  expect([await total(JANUARY), await total({ from: DAY, to: DAY })]).toEqual([0, 0]);
});

type Answer = { data: Buffer | null }[];

function spyOnStatements(manager: EntityManager, sent: { sql: string; bytes: number }[]) {
  const query = manager.query.bind(manager);
  return jest.spyOn(manager, 'query').mockImplementation((sql, parameters: unknown) => {
    sent.push({ sql, bytes: sql.length + bytesInStatement((parameters ?? []) as unknown[]) });
    return query(sql, parameters as unknown[]);
  });
}

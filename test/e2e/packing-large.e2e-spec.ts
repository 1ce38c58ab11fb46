import type { EntityManager } from 'typeorm';
import { packSome } from '../../src/counting/packer';
import { bytesInStatement, MAX_STATEMENT_BYTES } from '../../src/database/rows';
import { raiseVersion } from '../../src/storage/closed-days';
import { replacedCounts } from '../../src/storage/day-counts';
import { Sums } from '../../src/storage/sums';
import { day } from '../../src/validation/parsers';
import { CountingProcess } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';

const WEBSITE = 1;
const PAGE = 3;
const IDS = 450_000;
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
    await lease.fence(manager);
    await apply(manager);
    spy.mockRestore();
  }, 60_000);
  expect(sent.filter(({ sql }) => /^\s*SELECT/.test(sql))).toEqual([]);
  expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThan(1024 * 1024);
  expect([await total({ from: DAY, to: DAY }), await total(JANUARY)]).toEqual([2 * IDS, 2 * IDS]);
});

function spyOnStatements(manager: EntityManager, sent: { sql: string; bytes: number }[]) {
  const query = manager.query.bind(manager);
  return jest.spyOn(manager, 'query').mockImplementation((sql, parameters: unknown) => {
    sent.push({ sql, bytes: sql.length + bytesInStatement((parameters ?? []) as unknown[]) });
    return query(sql, parameters as unknown[]);
  });
}

import { inChunks } from '../../engine/database/rows';
import type { Order } from '../../engine/questions/plain-request';
import { CountingProcess, pageViewOn, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { loseTexts } from '../support/store-hooks';

const SITE = 1;
const DAY = TODAY - 60;
const SELECTION = { name: 'page', range: { from: DAY, to: DAY + 1 } } as const;

let database: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  await one.register(SITE);
});
afterAll(async () => {
  await one.stop();
  await database.drop();
});

/** Counts a hit of each page, and rolls up its day. */
async function count(pages: string[], day = DAY): Promise<void> {
  await one.count(
    SITE,
    pages.map((page) => pageViewOn(day, page, '')),
  );
  await one.rollUpDays(SITE, TODAY);
}

async function page(order: Order, skip: number, take: number, range: { from: number; to: number }) {
  const selection = { ...SELECTION, range };
  const shown = await one.read(SITE, async (snapshot) => {
    const sums = await snapshot.sums(selection);
    return snapshot.page(selection.name, sums, sums.codes(), order, skip, take);
  });
  return shown.map(({ value }) => value);
}

/** Compares both orders by value, and the order by count if all counts are equal. */
async function expectOrder(values: string[], range = SELECTION.range as { from: number; to: number }) {
  const sorted = [...values].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  for (const skip of [0, 3, Math.floor(values.length / 2), values.length - 4]) {
    const expected = sorted.slice(skip, skip + 7);
    expect(await page({ by: 'value', direction: 'asc' }, skip, 7, range)).toEqual(expected);
    expect(await page({ by: 'count', direction: 'desc' }, skip, 7, range)).toEqual(expected);
    const fromEnd = [...sorted].reverse().slice(skip, skip + 7);
    expect(await page({ by: 'value', direction: 'desc' }, skip, 7, range)).toEqual(fromEnd);
  }
}

const numbered = (size: number, suffix = '') =>
  Array.from({ length: size }, (_, index) => `/${(index * 7919) % size}${suffix}`);

it('pages through many values in their order, while more are added', async () => {
  const values = numbered(1500);
  await count(values);
  await expectOrder(values);
  const early = ['/', '/!', '/700!', '/700!!', '/700"', '/99999', 'é', '🎉'];
  await count(early);
  await expectOrder([...values, ...early]);
  const nextDay = ['/700!!!', '/3!', '/999999'];
  await count(nextDay, DAY + 1);
  await expectOrder([...values, ...early], { from: DAY, to: DAY });
  const after = ['/700!!!!', '/9999999'];
  await count(after);
  await expectOrder([...values, ...early, ...after], { from: DAY, to: DAY });
  const many = numbered(2500, 'x');
  await count(many);
  await expectOrder([...values, ...early, ...after, ...nextDay, ...many]);
});

it('adds up more rows than are read at once, of several days', async () => {
  const values = numbered(21_000, 'y');
  for (const some of inChunks(values, 7000)) await count(some);
  await count(values.slice(0, 100), DAY + 1);
  const sums = await one.read(SITE, (snapshot) => snapshot.sums(SELECTION));
  const before = await one.read(SITE, (snapshot) =>
    snapshot.sums({ ...SELECTION, range: { from: DAY, to: DAY } }),
  );
  expect([sums.total() - before.total(), sums.codes().length - before.codes().length]).toEqual([103, 3]);
  expect(before.codes().length).toBe(21_000 + 1500 + 8 + 2 + 2500);
});

it('is an error that names the texts where some of them are missing', async () => {
  const day = DAY + 40;
  await count(numbered(5, 'few'), day);
  await one.execute(loseTexts(SITE));
  for (const by of ['value', 'count'] as const)
    await expect(page({ by, direction: 'asc' }, 0, 7, { from: day, to: day })).rejects.toMatchObject({
      code: 'damaged_segment',
    });
});

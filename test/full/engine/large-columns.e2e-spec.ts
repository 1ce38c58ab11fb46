import { setCacheBudget } from '../../../engine/ground/memory/memory-limits';
import { insertAll } from '../../../engine/database/rows';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { WebsiteTexts } from '../../../engine/hits/codes/text-codes';
import { DayBuilder } from '../../../engine/columns/segments/day-builder';
import { columnDayInsertion, HOMES, partInsertion } from '../../../engine/columns/segments/hit-segments';
import { encodePart } from '../../../engine/columns/segments/part-format';
import { rowsOfPart } from '../../../engine/columns/segments/part-rows';
import { columnsOf } from '../../support/columns-of';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { answersOf } from '../../support/hit-answers';
import { visitorCalled } from '../../support/visitor-called';

const WEBSITE = 950;
const DAYS = [TODAY - 9, TODAY - 8];
const SPAN = { from: DAYS[0]!, to: DAYS.at(-1)! };
/** A byte for each visitor is more than a list that is left to the garbage collector. */
const VISITORS = 150_000;
const COUNTRIES = ['DE', 'FR', 'US', ''];

let database: FreshDatabase;
let one: CountingProcess;
beforeAll(async () => {
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  await one.register(WEBSITE);
  // Makes the row of the website's counting.
  await one.count(WEBSITE, [pageViewOn(TODAY, '/', 'a')]);
  const texts = new WebsiteTexts(Infinity);
  for (const day of DAYS) {
    const builder = new DayBuilder(day, texts);
    builder.add(columnsOf(Array.from({ length: VISITORS }, (_, index) => hitOf(day, index))));
    const key = { websiteId: WEBSITE, segment: day, part: 0 };
    const rows = rowsOfPart(key, await encodePart([builder.columns()], texts));
    const columns = {
      home: HOMES.columns,
      segment: day,
      firstPart: 0,
      lastPart: 0,
      hits: VISITORS,
      sealing: null,
    };
    await one.database.write((manager) =>
      insertAll(manager, [
        partInsertion(rows, day),
        columnDayInsertion([{ websiteId: WEBSITE, day, columns }], 0),
      ]),
    );
  }
});
afterEach(() => setCacheBudget(128));
afterAll(async () => {
  await one.stop();
  await database.drop();
});

const hitOf = (day: number, index: number) =>
  pageViewOn(day, `/${index % 300}`, visitorCalled(index), {
    at: 86_400 * day + (index % 80_000),
    country: COUNTRIES[index % 4]!,
    referrer: index % 3 === 0 ? `${index % 100}.example` : null,
  });

it.each([128, 2])(
  'answers from large columns whether they are cached or not, with CACHE_MB=%i',
  async (mb) => {
    setCacheBudget(mb);
    const cache = new ColumnCache();
    const sizes = new Set<number>();
    for (let turn = 0; turn < 3; turn++) {
      const [all, countries, referrers] = await answersOf(one.database, WEBSITE, SPAN, cache);
      const total = DAYS.length * VISITORS;
      expect(all).toEqual([[total, total, total, 0], [total], [total], [total], [0]]);
      expect((countries as number[][])[1]).toEqual(Array(4).fill(total / 4));
      expect((referrers as number[][])[1]![0]).toBe((2 * total) / 3);
      sizes.add(cache.bytes);
    }
    expect(sizes.size).toBe(1);
    if (mb === 2) expect(cache.bytes).toBeLessThan(VISITORS);
    else expect(cache.bytes).toBeGreaterThan(DAYS.length * VISITORS);
  },
);

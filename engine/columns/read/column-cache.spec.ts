import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { HASHES_IN_MEMORY } from '../../ground/memory/hashes-in-memory';
import { setCacheBudget } from '../../ground/memory/memory-limits';
import { NO_HIT } from '../../hits/hit';
import { DayBuilder } from '../segments/day-builder';
import { Part } from '../segments/part';
import { encodePart, type EncodedPart } from '../segments/part-format';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { ColumnCache } from './column-cache';

const WEBSITE = 1;
const PAGES = 1000;
const BUDGET_MB = 2;

/** Hits of one day, each with a different page. All days have the same pages. */
async function encodedDay(day: number): Promise<EncodedPart> {
  const texts = new WebsiteTexts(Infinity);
  const builder = new DayBuilder(day, texts);
  builder.add(
    columnsOf(
      Array.from({ length: PAGES }, (_, page) => ({
        ...NO_HIT,
        day,
        visitor: visitorCalled(page),
        page: `/${page}`,
      })),
    ),
  );
  return encodePart([builder.columns()], texts);
}

afterEach(() => {
  jest.useRealTimers();
  setCacheBudget(128);
});

it('has room for days that are asked for, whatever days were before', async () => {
  setCacheBudget(BUDGET_MB);
  const cache = new ColumnCache();
  const { values } = cache.website(WEBSITE, []);
  const isKept = async (day: number) => {
    const parts = cache.parts(WEBSITE, { from: day, to: day });
    const name = `part of ${day}`;
    parts.set(name, new Part(await encodedDay(day), parts.texts(name)));
    return parts.get(name) !== undefined;
  };
  expect(await isKept(1)).toBe(true);
  const days = Math.ceil((1.5 * (BUDGET_MB * 2 ** 20 * 0.24 - values.bytes)) / (2 * PAGES));
  for (let day = 2; day < days; day++) expect([day, await isKept(day)]).toEqual([day, true]);
});

it('drops open days, which have hashes, an hour after they were read, but no other days', () => {
  jest.useFakeTimers();
  const cache = new ColumnCache();
  const known = cache.website(WEBSITE, []);
  const builder = new DayBuilder(1, known.values.texts);
  builder.add(columnsOf([{ ...NO_HIT, day: 1, visitor: visitorCalled(1) }]));
  const own = { columns: undefined, first: 0, version: 0, forgotten: 0 };
  cache.keep(WEBSITE, known, { ...own, day: 1, builder }, { from: 1, to: 2 });
  cache.keep(WEBSITE, known, { ...own, day: 2, builder: undefined }, { from: 1, to: 2 });
  const bytes = cache.bytes;
  const daysAfter = (milliseconds: number) => {
    jest.advanceTimersByTime(milliseconds);
    cache.dropHashes();
    return [...known.days.keys()];
  };
  expect(daysAfter(HASHES_IN_MEMORY.maxAgeMs - 1)).toEqual([1, 2]);
  expect(daysAfter(1)).toEqual([2]);
  expect(cache.bytes).toBe(bytes - builder.bytes);
});

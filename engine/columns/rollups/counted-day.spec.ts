import fc from 'fast-check';
import { columnsOf } from '../../../test/support/columns-of';
import { countedOneByOne } from '../../../test/support/day-model';
import { visitorCalled } from '../../../test/support/visitor-called';
import { dayText } from '../../ground/time/days';
import { ended } from '../../ground/time/work-in-steps';
import { DayBuilder } from '../segments/day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import { Sums } from '../../hits/sums';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { OTHER } from '../../hits/rules/value-limits';
import { CountedDay, HitsToCount } from './counted-day';
import { COUNTED_NAMES, type CountedName, TEXT_NAMES } from './counted-names';
import { addCountsOf } from './block-counts';

const DAY = 20_000;
const visitorName = (number: number) => (number === 0 ? '' : visitorCalled(number));
const hits = fc.array(
  fc
    .record({
      at: fc.nat(20),
      visitor: fc.nat(8).map(visitorName),
      page: fc.constantFrom('/', '/a', '/ä', '/🙂', '\ud800'),
      event: fc.constantFrom(null, null, null, 'signup', ''),
      referrer: fc.constantFrom(null, null, 'a.example', 'b.example', 'c.example'),
      campaign: fc.constantFrom(null, null, null, 'spring', 'Spring'),
      browser: fc.constantFrom('Firefox', 'Chrome'),
      city: fc.constantFrom('Berlin, DE', '(unknown)'),
    })
    .map((own): Hit => ({ ...NO_HIT, day: DAY, ...own })),
  { maxLength: 60 },
);

function countedBy(day: CountedDay, name: CountedName): Record<string, number> {
  if (name === 'pageview' || name === 'visitor') {
    const count = name === 'pageview' ? day.pageviews : day.visitors;
    return count === 0 ? {} : { [dayText(DAY)]: count };
  }
  const { texts, sums } = day.of(name);
  return Object.fromEntries(Array.from(sums.codes(), (code) => [texts.textOf(code), sums.counts[code]!]));
}

const bytesOf = (text: string) => Buffer.from(text).toString();

function countedIn(all: Hit[], name: CountedName): Record<string, number> {
  const texts = new WebsiteTexts(Infinity);
  const builder = new DayBuilder(DAY, texts);
  builder.add(columnsOf(all));
  const sums = new Sums();
  addCountsOf(name, builder.columns(), texts, sums);
  const textOf = (code: number) =>
    name === 'pageview' || name === 'visitor' ? dayText(code) : bytesOf(texts.of[name].texts[code]!);
  const counts: Record<string, number> = {};
  for (const code of sums.codes()) counts[textOf(code)] = (counts[textOf(code)] ?? 0) + sums.counts[code]!;
  return counts;
}

describe('a day is counted as its hits are one by one', () => {
  it('from batches, however they are cut and merged', () => {
    fc.assert(
      fc.property(hits, fc.array(fc.nat(60)), (all, cuts) => {
        const day = new CountedDay(Infinity);
        const places = [...cuts.filter((cut) => cut < all.length), all.length].sort((one, two) => one - two);
        for (const [index, before] of places.entries()) {
          const merged = index % 2 === 0 ? 0 : day.hits;
          const range = { from: day.hits - merged, before: before - merged };
          if (before > day.hits) ended(day.add(new HitsToCount(columnsOf(all.slice(merged)), range, merged)));
        }
        for (const name of COUNTED_NAMES)
          expect([name, countedBy(day, name)]).toEqual([name, countedOneByOne(all, name)]);
      }),
    );
  });

  it('from columns', () => {
    fc.assert(
      fc.property(hits, (all) => {
        for (const name of COUNTED_NAMES)
          expect([name, countedIn(all, name)]).toEqual([name, countedOneByOne(all, name)]);
      }),
    );
  });

  it('with further values together, in the order of acceptance however they are cut', () => {
    fc.assert(
      fc.property(hits, fc.nat(60), fc.integer({ min: 1, max: 3 }), (all, cut, maxValues) => {
        const [day, whole] = [new CountedDay(maxValues), new CountedDay(Infinity)];
        const batch = columnsOf(all);
        for (const before of [Math.min(cut, all.length), all.length])
          if (before > day.hits) ended(day.add(new HitsToCount(batch, { from: day.hits, before }, 0)));
        if (all.length > 0) ended(whole.add(new HitsToCount(batch, { from: 0, before: all.length }, 0)));
        for (const name of TEXT_NAMES) {
          expect([name, countedBy(day, name)]).toEqual([name, countedOneByOne(all, name, maxValues)]);
          expect(day.of(name).sums.total()).toBe(whole.of(name).sums.total());
          expect(day.limited.has(name)).toBe(countedBy(day, name)[OTHER] !== undefined);
        }
      }),
    );
  });
});

it('bounds the texts of a name in bytes, as many in one batch as in several', () => {
  const page = (index: number) => `/${String(index).padStart(999, 'x')}`;
  const all = Array.from({ length: 20_000 }, (_, index): Hit => ({ ...NO_HIT, day: DAY, page: page(index) }));
  const counted = [all.length, 7000].map((size) => {
    const day = new CountedDay(Infinity);
    for (let from = 0; from < all.length; from += size) {
      const some = all.slice(from, from + size);
      ended(day.add(new HitsToCount(columnsOf(some), { from: 0, before: some.length }, from)));
    }
    return day;
  });
  for (const day of counted) {
    const { texts, sums } = day.of('page');
    expect(texts.textBytes).toBeLessThan(17_000_000);
    expect(day.limited.has('page')).toBe(true);
    expect(sums.counts[texts.find(OTHER)]).toBeGreaterThan(3000);
  }
  expect(countedBy(counted[0]!, 'page')).toEqual(countedBy(counted[1]!, 'page'));
});

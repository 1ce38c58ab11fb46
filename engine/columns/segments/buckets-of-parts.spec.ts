import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DayClock } from '../../ground/time/day-clock';
import { DayBuilder } from './day-builder';
import { NO_HIT } from '../../hits/hit';
import { Part } from './part';
import { encodePart } from './part-format';
import { PartTexts } from './part-texts';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { day } from '../../ground/time/parsed';
import {
  BUCKETS,
  MAX_DAYS_OF_HOURS,
  setBucketsOfHits,
  setBucketsOfVisitors,
  Zone,
} from '../../questions/plan/buckets';

const QUARTER_S = 900;

/** Three days with a hit in each quarter of an hour, except for the first and last hour of each. */
async function daysAround(middle: number, timezone: string): Promise<Part> {
  const clock = new DayClock(timezone);
  const texts = new WebsiteTexts(Infinity);
  const days = [middle - 1, middle, middle + 1].map((day) => {
    const builder = new DayBuilder(day, texts);
    const [begin, end] = [clock.endOf(day - 1) / 1000, clock.endOf(day) / 1000];
    for (let at = begin + 4 * QUARTER_S; at < end - 4 * QUARTER_S; at += QUARTER_S)
      builder.add(columnsOf([{ ...NO_HIT, day, at, visitor: visitorCalled(at), page: '/' }]));
    return builder.columns();
  });
  return new Part(await encodePart(days, texts), new PartTexts(texts));
}

describe.each([
  ['Europe/Berlin', '2026-10-25', '2026-10-25T02:00+02:00', '2026-10-25T02:00+01:00'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T01:00+01:00', '2026-03-29T03:00+02:00'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-05T01:00+11:00', '2026-04-05T01:00+10:30'],
])('where the clocks of %s are changed on %s', (timezone, text, before, after) => {
  const middle = day(text);
  const span = { from: middle - 1, to: middle + 1 };
  const zone = new Zone(timezone);
  let part: Part;
  beforeAll(async () => (part = await daysAround(middle, timezone)));

  it.each(['hour', 'hour_of_day'] as const)('has each hit of several days at its %s', (name) => {
    const buckets = BUCKETS[name](span, zone);
    const bucketsIn = (days: number[]) => {
      const block = part.block(days);
      const indices = new Uint32Array(block.hits);
      setBucketsOfHits(indices, buckets, block, block.seconds!);
      return [...indices];
    };
    const found = bucketsIn(part.days);
    expect(found).toEqual(part.days.flatMap((day) => bucketsIn([day])));
    const { at } = part.block(part.days);
    expect(found).toEqual(Array.from(at, (moment) => buckets.indexOf(0, moment)));
    const texts = found.map((index) => buckets.valueOf(index));
    if (name === 'hour') expect(texts.indexOf(after)).toBe(texts.lastIndexOf(before) + 1);
  });

  it('has each visitor of several days on its day', () => {
    const buckets = BUCKETS.day(span, zone);
    const { days } = part.block(part.days);
    const expected = days.flatMap(({ visitors }, index) => Array.from({ length: visitors }, () => index));
    const block = part.block(part.days);
    const indices = new Uint32Array(block.visitors);
    setBucketsOfVisitors(indices, buckets, block);
    expect([...indices]).toEqual(expected);
  });
});

it('takes little memory for the hours of the longest range', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const taken = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const zone = new Zone('Europe/Berlin');
  const from = day('2016-01-01');
  const hours = () => BUCKETS.hour({ from, to: from + MAX_DAYS_OF_HOURS - 1 }, zone);
  hours();
  const before = taken();
  const all = Array.from({ length: 5 }, hours);
  expect(taken() - before).toBeLessThan(5_000_000);
  const last = all.map((one) => one.valueOf(one.size - 1));
  expect(new Set(last)).toEqual(new Set(['2026-01-07T23:00+01:00']));
});

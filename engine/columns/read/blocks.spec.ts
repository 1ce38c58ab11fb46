import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { DayBuilder } from '../segments/day-builder';
import { NO_HIT } from '../../hits/hit';
import { Part } from '../segments/part';
import { encodePart } from '../segments/part-format';
import { PartTexts } from '../segments/part-texts';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import { areInSameRanges } from '../../questions/plan/range-days';
import { blocksOf } from './blocks';

const HITS: Record<number, number> = { 1: 2, 2: 3, 3: 9, 4: 1, 5: 1, 8: 2, 9: 2 };
const DAYS = Object.keys(HITS).map(Number);
let part: Part;
beforeAll(async () => {
  const texts = new WebsiteTexts(Infinity);
  const days = DAYS.map((day) => {
    const builder = new DayBuilder(day, texts);
    builder.add(
      columnsOf(
        Array.from({ length: HITS[day]! }, (_, hit) => ({ ...NO_HIT, day, visitor: visitorCalled(hit) })),
      ),
    );
    return builder.columns();
  });
  part = new Part(await encodePart(days, texts), new PartTexts(texts));
});

const span = (from: number, to: number) => ({ days: { from, to } });
const one = { range: span(1, 9), previous: undefined };

it.each([
  ['whole, where all days are asked alike', DAYS, [one], 100, [DAYS]],
  ['of a number of hits, besides a day with more', DAYS, [one], 5, [[1, 2], [3], [4, 5, 8], [9]]],
  [
    'where a range begins and ends',
    DAYS,
    [one, { range: span(2, 4), previous: undefined }],
    100,
    [[1], [2, 3, 4], [5, 8, 9]],
  ],
  [
    'where a range begins on a day without hits',
    DAYS,
    [{ range: span(1, 9), previous: span(6, 7) }],
    100,
    [DAYS],
  ],
  [
    'where a range ends on a day without hits',
    DAYS,
    [{ range: span(1, 9), previous: span(-5, 7) }],
    100,
    [
      [1, 2, 3, 4, 5],
      [8, 9],
    ],
  ],
  [
    'of a range that overlaps with the one that it is compared with',
    DAYS,
    [{ range: span(3, 9), previous: span(1, 4) }],
    100,
    [
      [1, 2],
      [3, 4],
      [5, 8, 9],
    ],
  ],
  ['without days that are in another part by now', [1, 2, 4, 5, 7, 9], [one], 100, [[1, 2], [4, 5], [9]]],
  ['of no days', [6, 7], [one], 100, []],
])('finds blocks %s', (_, days, requested, maxHits, expected) => {
  expect([...blocksOf(part, days, areInSameRanges(requested), maxHits)]).toEqual(expected);
});

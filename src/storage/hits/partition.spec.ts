import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { type Hit, NO_HIT } from '../hit';
import { COLUMN_NAMES } from '../hit-columns';
import type { HitColumns } from './batch';
import { BatchBuilder } from './batch-builder';
import { hitsOfBatch } from './hits-of-batch';
import { Partition } from './partition';

const PARTS = 5;
const DAY = 20_000;
const hits = Array.from({ length: 600 }, (_, index): Hit => {
  const visitor = index % 7 === 0 ? '' : visitorCalled(index % 40);
  return { ...NO_HIT, day: DAY, at: index, visitor, page: `/${index}`, country: index % 2 ? 'DE' : 'FR' };
});

function hitsOf(columns: HitColumns): Hit[] {
  const builder = new BatchBuilder();
  builder.addColumns(columns);
  return [...hitsOfBatch({ ...builder.columns(), key: { day: DAY, firstHit: 0 } }, {}, COLUMN_NAMES)].flat();
}

const ALL = { from: 0, before: hits.length };

it('puts all hits of a visitor in one part, whichever batch they are in', () => {
  const partition = new Partition(PARTS);
  const [first, second] = [hits.slice(0, 300), hits.slice(300)];
  const parts = [first, second].map((own, index) =>
    partition.divided(columnsOf(own), 300 * index, { from: 0, before: own.length }).map(hitsOf),
  );
  const together = Array.from({ length: PARTS }, (_, part) => [...parts[0]![part]!, ...parts[1]![part]!]);
  expect(together.flat().sort((one, other) => one.at - other.at)).toEqual(hits);
  const known = together.map((own) => new Set(own.flatMap(({ visitor }) => (visitor ? [visitor] : []))));
  expect(known.reduce((sum, { size }) => sum + size, 0)).toBe(40);
  expect(together.filter((own) => own.some(({ visitor }) => visitor === '')).length).toBeGreaterThan(1);
});

it('divides them in another way each time', () => {
  const divisions = Array.from({ length: 8 }, () =>
    JSON.stringify(new Partition(PARTS).divided(columnsOf(hits), 0, ALL).map((part) => part.hits)),
  );
  expect(new Set(divisions).size).toBeGreaterThan(1);
});

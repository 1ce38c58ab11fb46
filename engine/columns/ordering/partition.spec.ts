import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { type Hit, NO_HIT } from '../../hits/hit';
import { COLUMN_NAMES } from '../../hits/hit-columns';
import type { HitColumns } from '../batches/batch';
import { BatchBuilder } from '../batches/batch-builder';
import { DayTexts } from './day-texts';
import { HitBuffer } from './hit-buffer';
import { hitsOfBatch } from '../batches/hits-of-batch';
import { Partition } from './partition';

const PARTS = 5;
const DAY = 20_000;
const ascending = (one: number, other: number) => one - other;
const hits = Array.from({ length: 600 }, (_, index): Hit => {
  const visitor = index % 7 === 0 ? '' : visitorCalled(index % 40);
  return { ...NO_HIT, day: DAY, at: index, visitor, page: `/${index}`, country: index % 2 ? 'DE' : 'FR' };
});

function hitsOf(columns: HitColumns): Hit[] {
  const builder = new BatchBuilder();
  builder.addColumns(columns);
  return [...hitsOfBatch({ ...builder.columns(), key: { day: DAY, firstHit: 0 } }, {}, COLUMN_NAMES)].flat();
}

/** The hits of each partition of some batches. */
function divided(...batches: Hit[][]): Hit[][] {
  const partition = new Partition(PARTS);
  const buffer = new HitBuffer(PARTS, new DayTexts(Infinity).ofSome().of, new Set(COLUMN_NAMES));
  let first = 0;
  for (const own of batches) {
    const columns = columnsOf(own);
    buffer.add(columns, partition.of(columns, first), { from: 0, before: own.length });
    first += own.length;
  }
  return Array.from({ length: PARTS }, (_, part) => [...buffer.fragments(part)].flatMap(hitsOf));
}

it('puts all hits of a visitor in one partition, whichever batch they are in', () => {
  const together = divided(hits.slice(0, 300), hits.slice(300));
  expect(together.flat().sort((one, other) => one.at - other.at)).toEqual(hits);
  for (const own of together)
    expect(own.map(({ at }) => at)).toEqual(own.map(({ at }) => at).sort(ascending));
  const known = together.map((own) => new Set(own.flatMap(({ visitor }) => (visitor ? [visitor] : []))));
  expect(known.reduce((sum, { size }) => sum + size, 0)).toBe(40);
  expect(together.filter((own) => own.some(({ visitor }) => visitor === '')).length).toBeGreaterThan(1);
});

it('divides them in another way each time', () => {
  const divisions = Array.from({ length: 8 }, () => JSON.stringify(divided(hits).map((own) => own.length)));
  expect(new Set(divisions).size).toBeGreaterThan(1);
});

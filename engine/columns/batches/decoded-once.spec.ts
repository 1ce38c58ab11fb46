import { columnsOf } from '../../../test/support/columns-of';
import { visitorCalled } from '../../../test/support/visitor-called';
import { DayBuilder } from '../segments/day-builder';
import { type Hit, NO_HIT } from '../../hits/hit';
import { COLUMN_NAMES } from '../../hits/hit-columns';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import type { HitColumns } from './batch';
import { DayTexts } from '../ordering/day-texts';
import { DecodedOnce } from './decoded-once';
import { HitBuffer } from '../ordering/hit-buffer';
import { Partition } from '../ordering/partition';

const DAY = 20_000;
const VISITORS = 3;
const PARTITIONS = 2;
/** More than a fragment has, of each visitor. */
const hits = Array.from({ length: 60_000 }, (_, index): Hit => {
  const visitor = visitorCalled(index % VISITORS);
  return { ...NO_HIT, day: DAY, at: index, visitor, page: '/' };
});

function withoutHashes(own: Hit[]): HitColumns {
  const columns = columnsOf(own);
  return {
    ...columns,
    hashes: undefined,
    moments: () => columns.moments(),
    texts: (name) => columns.texts(name),
  };
}

/** How many visitors the partitions of some batches have, each made of its fragments. */
function visitorsOf(...batches: Hit[][]): number {
  const partition = new Partition(PARTITIONS);
  const buffer = new HitBuffer(PARTITIONS, new DayTexts(Infinity).ofSome().of, new Set(COLUMN_NAMES));
  let first = 0;
  for (const own of batches) {
    const columns = new DecodedOnce(withoutHashes(own), first);
    buffer.add(columns, partition.of(columns, first), { from: 0, before: own.length });
    first += own.length;
  }
  let visitors = 0;
  for (let part = 0; part < PARTITIONS; part++) {
    const builder = new DayBuilder(DAY, new WebsiteTexts(Infinity));
    for (const fragment of buffer.fragments(part)) builder.add(fragment);
    visitors += builder.columns().visitors;
  }
  return visitors;
}

it('keeps a visitor whose hash is forgotten one, however its hits are divided', () => {
  expect(visitorsOf(hits)).toBe(VISITORS);
});

it('takes visitors of two batches for others where their hashes are forgotten', () => {
  expect(visitorsOf(hits.slice(0, 30_000), hits.slice(30_000))).toBe(2 * VISITORS);
});

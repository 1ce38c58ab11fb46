import { createHash } from 'node:crypto';
import { NO_HIT } from '../../hits/hit';
import { MAX_PART_ROW_BYTES } from '../segments/part-rows';
import { Batch } from '../batches/batch';
import { BatchBuilder } from '../batches/batch-builder';
import { divideIntoFragments } from './fragments';
import { hitsOfBatch } from '../batches/hits-of-batch';

const DAY = { websiteId: 7, day: 20_000, segment: 3, forgetAt: 0 };

/** Random text, which deflation hardly shortens. */
const random = (seed: string, length: number) =>
  createHash('shake256', { outputLength: length }).update(seed).digest('base64');

function columnsOf(hits: number, hitsOfVisitor: number) {
  const all = Array.from({ length: hits }, (_, index) => ({
    ...NO_HIT,
    day: DAY.day,
    at: index,
    visitor: Buffer.alloc(8, `${Math.floor(index / hitsOfVisitor)} `).toString('base64url'),
    page: random(`page ${index}`, 200),
    city: random(`city ${Math.floor(index / hitsOfVisitor)}`, 100),
  }));
  const builder = new BatchBuilder();
  builder.add(all);
  return { all, columns: builder.columns() };
}

async function fragmentsOf(hits: number, hitsOfVisitor: number) {
  const { all, columns } = columnsOf(hits, hitsOfVisitor);
  let number = 0;
  const stored = await divideIntoFragments(DAY, 0, columns, () => number++);
  const read = [];
  for (const { fragment, row, visitors } of stored) {
    const key = { websiteId: 7, day: DAY.day, firstHit: fragment.number, size: fragment.hits };
    const batch = await Batch.open({
      ...key,
      lastAt: 0,
      forgetAt: 0,
      data: row.data,
      hashes: visitors[0]!.data,
    });
    read.push(
      ...[
        ...hitsOfBatch({ ...batch, key, moments: () => batch.moments(), texts: (name) => batch.texts(name) }),
      ].flat(),
    );
  }
  return { all, stored, read };
}

it.each([
  ['visitors with a hit each', 1],
  ['visitors with some hits', 7],
  ['one visitor', 4000],
])('are few, where texts take much room, of %s', async (_, hitsOfVisitor) => {
  const { all, stored, read } = await fragmentsOf(4000, hitsOfVisitor);
  expect(Math.max(...stored.map(({ row }) => row.data.length))).toBeLessThanOrEqual(MAX_PART_ROW_BYTES);
  expect(stored.length).toBeGreaterThan(1);
  expect(stored.length).toBeLessThanOrEqual(16);
  expect(read.toSorted((one, other) => one.at - other.at)).toEqual(all);
});

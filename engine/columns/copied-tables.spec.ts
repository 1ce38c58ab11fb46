import { VISITOR_BYTES } from '../ground/visitor-bytes';
import { decodeHits, encodeHits, type Hit, NO_HIT } from '../hits/hit';
import { Batch, encodeBatch } from './batches/batch';
import { BatchBuilder } from './batches/batch-builder';
import { rowsWithoutHashes } from './copied-tables';
import { rowsOfVisitors } from './ordering/day-visitors';

const [ONE, OTHER] = ['AAAAAAAAAAE', 'AAAAAAAAAAI'];
const hit = (visitor: string): Hit => ({ ...NO_HIT, day: 1, at: 86_400, visitor });
const bytesOf = (visitor: string) => Buffer.from(visitor, 'base64url');
const hits = [hit(ONE), hit(OTHER), hit(''), hit(ONE)];
const batchKey = { websiteId: 7, day: 1, firstHit: 0, size: hits.length };
const batchRow = { website_id: 7, day: 1, first_hit: 0, size: hits.length };
const dayRow = { website_id: 7, day: 1, sealing: 3, first_visitor: 0 };

async function batch() {
  const builder = new BatchBuilder();
  builder.add(hits);
  return encodeBatch(batchKey, builder.columns());
}

/** The rows of one copy, read back. */
async function copied() {
  const rows = rowsWithoutHashes();
  const { data, hashes } = await batch();
  const changed = rows.batch_visitors!.change(batchRow, hashes);
  const opened = await Batch.open({ ...batchKey, data, hashes: changed, lastAt: 0, forgetAt: 0 });
  const day = { websiteId: 7, day: 1, sealing: 3, forgetAt: 0 };
  const all = Buffer.concat([bytesOf(OTHER), Buffer.alloc(VISITOR_BYTES), bytesOf(ONE)]);
  const [visitors] = rowsOfVisitors(day, 0, all, true);
  return {
    inbox: decodeHits(rows.inbox!.change({}, encodeHits(hits))).map(({ visitor }) => visitor),
    batch: opened.hashes!,
    day: rows.day_visitors!.change(dayRow, visitors!.data),
    before: visitors!.data,
  };
}

it('gives a visitor the same number in each table, and none to unknown visitors', async () => {
  const { inbox, batch: own, day, before } = await copied();
  const [one, other, unknown, again] = inbox as [string, string, string, string];
  expect([unknown, again]).toEqual(['', one]);
  expect(new Set([one, other, ONE, OTHER]).size).toBe(4);
  const ofBatch = own.toString('hex').match(/.{16}/g)!;
  expect(ofBatch.slice(0, 2)).toEqual([one, other].map((visitor) => bytesOf(visitor).toString('hex')));
  const all = Buffer.concat([bytesOf(other), Buffer.alloc(VISITOR_BYTES), bytesOf(one)]);
  const [expected] = rowsOfVisitors({ websiteId: 7, day: 1, sealing: 3, forgetAt: 0 }, 0, all, true);
  expect(day).toEqual(expected!.data);
  expect(day).not.toEqual(before);
});

it('gives other numbers in each copy', async () => {
  const [first, second] = [await copied(), await copied()];
  expect(first.inbox[0]).not.toBe(second.inbox[0]);
});

it('copies no byte of hashes that are damaged, and leaves them damaged', async () => {
  const rows = rowsWithoutHashes();
  const { data, hashes } = await batch();
  hashes[hashes.length - 1]! ^= 1;
  const changed = rows.batch_visitors!.change(batchRow, hashes);
  const opening = Batch.open({ ...batchKey, data, hashes: changed, lastAt: 0, forgetAt: 0 });
  await expect(opening).rejects.toThrow();
  const emptied = [
    changed,
    rows.inbox!.change({}, Buffer.from('no hits')),
    rows.day_visitors!.change(dayRow, Buffer.from('damaged')),
  ];
  expect(emptied.map(({ length }) => length)).toEqual([0, 0, 0]);
});

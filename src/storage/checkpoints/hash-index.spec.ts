import { randomBytes } from 'node:crypto';
import { CHECKPOINTS } from './checkpoint-format';
import { HashIndex, HashIndexes } from './hash-index';

const random = (size: number) => new Uint32Array(new Uint8Array(randomBytes(4 * size)).buffer);

it.each([
  ['as many as hashes are', random(20_000).sort()],
  ['one', Uint32Array.of(7)],
  ['the least and the largest', Uint32Array.of(0, 0, 0xffffffff)],
  ['alike', new Uint32Array(500).fill(0x12345678)],
])('finds the places of all halves (%s), and hardly any of others', (_, halves) => {
  const index = new HashIndex(halves.length + 1);
  for (const half of halves) index.add(half | 0);
  const places = new Set(index.placesOf(halves));
  expect([...places].sort((one, other) => one - other)).toEqual(Array.from(halves.keys()));
  expect(index.placesOf(random(20_000).sort()).length).toBeLessThan(100);
});

it('keeps those of a day that were read as a whole, up to a limit', () => {
  const indexes = new HashIndexes();
  const checkpoint = (firstHit: number) => ({
    ...{ websiteId: 1, day: 1, firstHit, size: 1, pieces: 0, visitorPieces: 300 },
    ...{ pageviews: 0, visitors: 0, limited: 0, maxValues: 1 },
  });
  for (let own = checkpoint(0); own.firstHit < 100; own = checkpoint(own.firstHit + 1)) {
    expect(indexes.of(own.firstHit)).toBeUndefined();
    indexes.keep(own, indexes.toFill(own, 0)!);
  }
  expect(indexes.toFill(checkpoint(0), 0)).toBeUndefined();
  expect(indexes.of(99)).toBeUndefined();
  expect(indexes.bytes).toBeGreaterThan(2 * 300 * CHECKPOINTS.hashesOfRow);
  expect(indexes.bytes).toBeLessThan(17_000_000);
});

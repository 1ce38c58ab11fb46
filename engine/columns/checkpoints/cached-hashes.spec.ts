import { CachedHashes } from './cached-hashes';

it('keeps the hashes of checkpoints up to a limit, each of them once', () => {
  const kept = new CachedHashes();
  const ofCheckpoint = new Uint32Array(5_000_000);
  for (const firstHit of [0, 1, 1, 2]) kept.set(firstHit, ofCheckpoint);
  expect([0, 1, 2].map((firstHit) => kept.of(firstHit))).toEqual([ofCheckpoint, ofCheckpoint, undefined]);
  expect(kept.bytes).toBe(2 * ofCheckpoint.byteLength);
});

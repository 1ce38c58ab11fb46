import { bytesOfPacked, Tally } from './tally';

const tallyOf = (counts: Readonly<Record<number, readonly [pageviews: number, value: number]>>) => {
  const tally = new Tally(['pageviews', 'value_low']);
  tally.reserve(70_000);
  for (const [group, [pageviews, value]] of Object.entries(counts)) {
    tally.countsOf('pageviews')![Number(group)] = pageviews;
    tally.countsOf('value_low')![Number(group)] = value;
  }
  return tally;
};

it.each([
  ['small counts', { 0: [1, 2], 255: [255, 0] }, 2 * 3],
  ['counts of two bytes', { 3: [256, 1], 256: [65_535, 0] }, 2 * (2 + 2 + 1)],
  ['large counts', { 65_536: [2 ** 32 - 1, 2 ** 32] }, 4 + 4 + 8],
  ['negative counts and fractions', { 1: [1, -1], 2: [1, 0.5] }, 2 * (1 + 1 + 8)],
  ['no counts', {}, 0],
] as const)('packs %s into few bytes, and loses none', (_, counts, bytes) => {
  const packed = tallyOf(counts).pack();
  expect(bytesOfPacked(packed)).toBe(bytes);
  expect(packed.groups.buffer.byteLength).toBe(packed.groups.byteLength);
  const unpacked = new Tally(['pageviews', 'value_low']);
  unpacked.unpack(packed);
  for (const [group, [pageviews, value]] of Object.entries(counts)) {
    expect(unpacked.of('pageviews', Number(group))).toBe(pageviews);
    expect(unpacked.of('value_low', Number(group))).toBe(value);
  }
  expect(unpacked.counted()).toHaveLength(Object.keys(counts).length);
});

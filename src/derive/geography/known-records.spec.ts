import { KnownRecords } from './known-records';

it('finds the record of an address once, and of each other address its own', () => {
  const records = new KnownRecords();
  const addresses = Array.from({ length: 60_000 }, (_, i) => [10, i & 255, i >> 8, 7]);
  const recordOf = ([, third, second]: number[]) => third! * 256 + second!;
  const looksUp = () =>
    addresses.filter((address) => {
      let searched = false;
      const find = () => ((searched = true), recordOf(address));
      expect(records.getOrFind(address, find)).toBe(recordOf(address));
      return searched;
    }).length;
  expect(looksUp()).toBe(60_000);
  expect(looksUp()).toBeLessThan(6000);
});

it('keeps nothing of an address that has no record', () => {
  const records = new KnownRecords();
  expect(records.getOrFind([1, 2, 3, 4], () => undefined)).toBeUndefined();
  expect(records.getOrFind([1, 2, 3, 4], () => 0)).toBe(0);
  expect(records.getOrFind([1, 2, 3, 4], () => undefined)).toBe(0);
});

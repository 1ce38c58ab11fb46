import { bytesFor, garbageOfScansInMebibytes, setCacheBudget, sharesInPercent } from './memory-limits';
import { ByteCache } from './byte-cache';

afterEach(() => {
  jest.useRealTimers();
  setCacheBudget(128);
});

it('shares out the whole budget and no more, and the whole pool of threads that scan', () => {
  const sums = sharesInPercent().map((shares) => shares.reduce((sum, share) => sum + share));
  expect(sums).toEqual([100, 100]);
});

it.each([
  [16, 8],
  [128, 64],
  [1024, 192],
])('lets garbage wait in proportion to the budget of %i MiB', (budget, garbage) => {
  setCacheBudget(budget);
  expect(garbageOfScansInMebibytes()).toBe(garbage);
});

it('makes a value once, as long as it is used', () => {
  setCacheBudget(1);
  const cache = new ByteCache<string>('languages', () => 1000);
  const make = jest.fn((key: string) => key.toUpperCase());
  expect(cache.getOrMake('often', make)).toBe('OFTEN');
  for (let index = 0; index < 100; index++) {
    cache.getOrMake(`once ${index}`, make);
    cache.getOrMake('often', make);
  }
  expect(make.mock.calls.filter(([key]) => key === 'often')).toHaveLength(1);
  expect(cache.get('once 0')).toBeUndefined();
});

it('holds as many entries as their bytes allow, and none that is too large', () => {
  setCacheBudget(10);
  const cache = new ByteCache<Buffer>('languages', (value) => value.length);
  for (let index = 0; index < 1000; index++) cache.set(`${index}`, Buffer.alloc(1000));
  expect(cache.bytes).toBeLessThanOrEqual(bytesFor('languages'));
  expect(cache.size).toBeGreaterThan(80);
  cache.set('huge', Buffer.alloc(200_000));
  expect(cache.get('huge')).toBeUndefined();
  cache.set('k'.repeat(100_000), Buffer.alloc(0));
  expect(cache.get('k'.repeat(100_000))).toBeUndefined();
});

it('drops entries that were set too long ago', () => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(1);
  const cache = new ByteCache<Buffer>('languages', (value) => value.length, 1000);
  cache.set('old', Buffer.alloc(10));
  const bytes = cache.bytes;
  jest.advanceTimersByTime(600);
  cache.set('new', Buffer.alloc(10));
  jest.advanceTimersByTime(600);
  cache.dropOld();
  expect(cache.bytes).toBe(bytes);
  expect([cache.get('old'), cache.get('new')?.length]).toEqual([undefined, 10]);
});

it('measures a value again that grew since it was set', () => {
  setCacheBudget(10);
  const cache = new ByteCache<{ bytes: number }>('languages', ({ bytes }) => bytes);
  const growing = { bytes: 1000 };
  cache.set('growing', growing);
  cache.set('other', { bytes: 1000 });
  const before = cache.bytes;
  growing.bytes = 5000;
  cache.set('growing', growing);
  expect(cache.bytes).toBe(before + 4000);
  growing.bytes = bytesFor('languages');
  cache.set('growing', growing);
  expect(cache.get('growing')).toBeUndefined();
  expect(cache.get('other')).toBeDefined();
});

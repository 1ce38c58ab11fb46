import { HASHES_IN_MEMORY } from '../../ground/memory/hashes-in-memory';
import { bytesFor, bytesOfPool, bytesOfScanned, setCacheBudget } from '../../ground/memory/memory-limits';
import { CachedHashes } from '../checkpoints/cached-hashes';
import { CountedDay } from '../rollups/counted-day';
import type { TextName } from '../rollups/counted-names';
import { DistinctTexts } from '../rollups/texts/distinct-texts';
import { Sums } from '../../hits/sums';
import { ColumnCache } from '../read/column-cache';
import { TextValues } from './values/name-values';
import { type CodesOfTexts, type CachedOpenDay, nothingCounted, PlainCache } from './plain-cache';

beforeAll(() => setCacheBudget(1));
afterEach(() => void jest.useRealTimers());
afterAll(() => setCacheBudget(128));

function valuesOf(size: number): TextValues {
  const texts = new DistinctTexts();
  for (let index = 0; index < size; index++) texts.codeOf(`/page/${index}`);
  return new TextValues('page', texts);
}

it('keeps the last values that are too large for their share, beside those that are not', () => {
  const cache = new PlainCache();
  const [small, large, other] = [valuesOf(10), valuesOf(10_000), valuesOf(10_000)];
  cache.setValues(1, 0, 'page', small);
  cache.setValues(2, 0, 'page', large);
  expect(cache.valuesOf(2, 0, 'page')).toBe(large);
  cache.setValues(3, 0, 'page', other);
  expect(cache.valuesOf(3, 0, 'page')).toBe(other);
  expect(cache.valuesOf(2, 0, 'page')).toBeUndefined();
  expect(cache.valuesOf(1, 0, 'page')).toBe(small);
});

it('keeps values that grew in one place', () => {
  const cache = new PlainCache();
  const values = valuesOf(10);
  cache.setValues(1, 0, 'page', values);
  for (let index = 10; index < 10_000; index++) values.texts.codeOf(`/page/${index}`);
  cache.setValues(1, 0, 'page', values);
  cache.setValues(2, 0, 'page', valuesOf(10_000));
  expect(cache.valuesOf(1, 0, 'page')).toBeUndefined();
});

describe('days', () => {
  const share = () => bytesFor('openDays');
  const emptyDay = (): CachedOpenDay => ({
    counted: new CountedDay(10),
    forgotten: 0,
    hashes: new CachedHashes(),
    codes: new Map<TextName, CodesOfTexts>(),
  });
  const withCodes = (bytes: number) => {
    const day = emptyDay();
    day.codes.set('page', { valuesId: 1, codes: new Uint32Array(bytes / 4), size: 0 });
    return day;
  };
  const withTexts = (bytes: number) => {
    const day = emptyDay();
    const { texts } = day.counted.of('page');
    while (texts.bytes < bytes) texts.codeOf(`/page/${texts.size}`);
    return day;
  };
  const withHashes = (bytes: number) => {
    const day = emptyDay();
    day.hashes.set(0, new Uint32Array(bytes / 4));
    return day;
  };

  it.each([
    ['codes', withCodes],
    ['texts', withTexts],
    ['hashes', withHashes],
  ])('are kept, those that were used last, as many as their share has room for with their %s', (_, dayOf) => {
    const cache = new PlainCache();
    const days = Array.from({ length: 6 }, () => dayOf(share() / 5));
    days.forEach((day, number) => cache.setDay(1, number, day));
    expect(cache.takeDay(1, 0)).toBeUndefined();
    expect(cache.takeDay(1, 5)).toBe(days[5]);
    expect(cache.takeDay(1, 5)).toBeUndefined();
  });

  it('are kept beside a large one, which has memory of its own until it is taken out', () => {
    const cache = new PlainCache();
    const small = [withCodes(0.3 * share()), withCodes(0.3 * share())];
    small.forEach((day, number) => cache.setDay(1, number, day));
    const large = withCodes(0.6 * share());
    cache.setDay(2, 0, large);
    expect(small.map((day, number) => cache.takeDay(1, number) === day)).toEqual([true, true]);
    expect(cache.takeDay(2, 0)).toBe(large);
    expect(cache.takeDay(2, 0)).toBeUndefined();
  });

  it.each([
    ['a small one', 0.1],
    ['a large one', 0.6],
  ])('are dropped with their hashes where they are not used for long: %s', (_, part) => {
    jest.useFakeTimers();
    jest.advanceTimersByTime(1);
    const cache = new PlainCache();
    const day = withHashes(part * share());
    for (const isKept of [true, false]) {
      cache.setDay(1, 0, day);
      jest.advanceTimersByTime(HASHES_IN_MEMORY.maxAgeMs + (isKept ? -1 : 1));
      cache.dropHashes();
      expect(cache.takeDay(1, 0)).toBe(isKept ? day : undefined);
    }
  });

  it('has a pool instead of a share in threads that scan, and keeps large values there, but no large day', () => {
    const threads = 4;
    const cache = new PlainCache(threads, true);
    const most = bytesOfScanned('openDays', threads);
    expect(most).toBeGreaterThan(bytesFor('openDays'));
    const [small, large] = [withHashes(0.4 * most), withHashes(0.6 * most)];
    cache.setDay(1, 0, small);
    cache.setDay(1, 1, large);
    expect([cache.takeDay(1, 0), cache.takeDay(1, 1)]).toEqual([small, undefined]);
    const valuesOf = (bytes: number) => ({ bytes }) as TextValues;
    const [kept, tooLarge] = [1, 2].map((of) => valuesOf((of * bytesOfPool('largeScannedValues')) / threads));
    cache.setValues(1, 0, 'page', kept!);
    cache.setValues(2, 0, 'page', tooLarge!);
    expect([cache.valuesOf(1, 0, 'page'), cache.valuesOf(2, 0, 'page')]).toEqual([kept, undefined]);
  });

  it('are not kept where they are larger than what each thread has for a large one', () => {
    const cache = new PlainCache(Math.floor(bytesOfPool('largeDays') / (2 * share())));
    cache.setDay(1, 0, withCodes(1.5 * share()));
    expect(cache.takeDay(1, 0)).toBeDefined();
    cache.setDay(1, 0, withCodes(2.5 * share()));
    expect(cache.takeDay(1, 0)).toBeUndefined();
  });
});

it('keeps sums of one version, as many as there is room for', async () => {
  const cache = new PlainCache();
  const counts = bytesFor('sums') / 4 / Float64Array.BYTES_PER_ELEMENT;
  let loaded = 0;
  const isLoaded = async (key: string, version: string) => {
    const before = loaded;
    await cache.sumsOf(key, version, () => {
      loaded++;
      return Promise.resolve({ ...nothingCounted(), sums: new Sums(new Float64Array(counts)) });
    });
    return loaded > before;
  };
  expect([await isLoaded('a', '1'), await isLoaded('a', '1'), await isLoaded('a', '2')]).toEqual([
    ...[true, false, true],
  ]);
  for (const key of ['b', 'c', 'd']) await isLoaded(key, '1');
  expect([await isLoaded('d', '1'), await isLoaded('a', '2')]).toEqual([false, true]);
});

it('keeps the columns of websites, as many as there is room for', () => {
  const cache = new PlainCache();
  const all = [1, 2, 3].map((websiteId) => {
    const columns = new ColumnCache();
    const { page } = columns.website(websiteId, []).values.texts.of;
    while (columns.bytes < 0.4 * bytesFor('plainColumns')) page.codeOf(`/page/${page.texts.length}`);
    cache.setColumns(websiteId, columns);
    return columns;
  });
  expect(cache.takeColumns(3)).toBe(all[2]);
  expect(cache.takeColumns(3)).not.toBe(all[2]);
  expect(cache.takeColumns(2)).toBe(all[1]);
  expect(cache.takeColumns(1)).not.toBe(all[0]);
});

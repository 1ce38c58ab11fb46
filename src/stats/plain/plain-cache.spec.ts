import { setCacheBudget } from '../../common/memory/byte-budget';
import { TextList } from '../../storage/rollups/texts/text-list';
import { TextValues } from './values/name-values';
import { PlainCache } from './plain-cache';

beforeAll(() => setCacheBudget(1));
afterAll(() => setCacheBudget(128));

function valuesOf(size: number): TextValues {
  const texts = new TextList();
  for (let index = 0; index < size; index++) texts.codeOf(`/page/${index}`);
  return new TextValues('page', texts);
}

it('keeps the last values that are too large for their share, beside those that are not', () => {
  const cache = new PlainCache();
  const [small, large, other] = [valuesOf(10), valuesOf(10_000), valuesOf(10_000)];
  cache.keepValues(1, 0, 'page', small);
  cache.keepValues(2, 0, 'page', large);
  expect(cache.valuesOf(2, 0, 'page')).toBe(large);
  cache.keepValues(3, 0, 'page', other);
  expect(cache.valuesOf(3, 0, 'page')).toBe(other);
  expect(cache.valuesOf(2, 0, 'page')).toBeUndefined();
  expect(cache.valuesOf(1, 0, 'page')).toBe(small);
});

it('keeps values that grew in one place', () => {
  const cache = new PlainCache();
  const values = valuesOf(10);
  cache.keepValues(1, 0, 'page', values);
  for (let index = 10; index < 10_000; index++) values.texts.codeOf(`/page/${index}`);
  cache.keepValues(1, 0, 'page', values);
  cache.keepValues(2, 0, 'page', valuesOf(10_000));
  expect(cache.valuesOf(1, 0, 'page')).toBeUndefined();
});

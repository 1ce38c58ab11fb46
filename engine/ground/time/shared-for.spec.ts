import { sharedFor } from './shared-for';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('looks once in its time, however many ask', async () => {
  let looks = 0;
  const shared = sharedFor(1000, () => Promise.resolve(++looks));
  expect(await Promise.all([shared(), shared()])).toEqual([1, 1]);
  jest.advanceTimersByTime(1000);
  expect(await shared()).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await shared()).toBe(2);
});

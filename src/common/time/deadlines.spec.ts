import { Deadlines } from './deadlines';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('expires each in its turn, and none that was cancelled', () => {
  const deadlines = new Deadlines(100);
  const expired: string[] = [];
  deadlines.add(() => expired.push('first'));
  const cancel = deadlines.add(() => expired.push('cancelled'));
  jest.advanceTimersByTime(60);
  deadlines.add(() => expired.push('second'));
  cancel();
  jest.advanceTimersByTime(39);
  expect(expired).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(expired).toEqual(['first']);
  jest.advanceTimersByTime(59);
  expect(expired).toEqual(['first']);
  jest.advanceTimersByTime(1);
  expect(expired).toEqual(['first', 'second']);
  expect(jest.getTimerCount()).toBe(0);
});

it('has one timer for all', () => {
  const deadlines = new Deadlines(100);
  const cancels = Array.from({ length: 1000 }, () => deadlines.add(() => undefined));
  expect(jest.getTimerCount()).toBe(1);
  for (const cancel of cancels) cancel();
  jest.advanceTimersByTime(100);
  expect(jest.getTimerCount()).toBe(0);
});

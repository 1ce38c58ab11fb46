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

it('cancels any of them, once or twice', () => {
  const deadlines = new Deadlines(100);
  const expired: number[] = [];
  const cancels = [0, 1, 2, 3, 4].map((number) => deadlines.add(() => expired.push(number)));
  for (const number of [2, 0, 4, 2]) cancels[number]!();
  deadlines.add(() => expired.push(5));
  jest.advanceTimersByTime(100);
  for (const cancel of cancels) cancel();
  expect(expired).toEqual([1, 3, 5]);
});

it('takes and cancels others while one expires', () => {
  const deadlines = new Deadlines(100);
  const expired: string[] = [];
  deadlines.add(() => deadlines.add(() => expired.push('later')));
  deadlines.add(() => cancel());
  const cancel = deadlines.add(() => expired.push('cancelled'));
  deadlines.add(() => expired.push('last'));
  jest.advanceTimersByTime(100);
  expect(expired).toEqual(['last']);
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(100);
  expect(expired).toEqual(['last', 'later']);
  expect(jest.getTimerCount()).toBe(0);
});

it('lets the others expire if one fails', () => {
  const deadlines = new Deadlines(100);
  const expired: string[] = [];
  deadlines.add(() => {
    throw new Error('failed');
  });
  deadlines.add(() => expired.push('next'));
  expect(() => jest.advanceTimersByTime(100)).toThrow('failed');
  jest.advanceTimersByTime(1);
  expect(expired).toEqual(['next']);
});

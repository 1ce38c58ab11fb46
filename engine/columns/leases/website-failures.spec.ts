import { DatabaseUnavailable } from '../../database/errors';
import { WebsiteFailures } from './website-failures';

const logger = { error: jest.fn(), warn: jest.fn() };
beforeEach(() => {
  jest.clearAllMocks();
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

const lockWait = new DatabaseUnavailable(
  Object.assign(new Error('secret text'), { code: 'ER_LOCK_WAIT_TIMEOUT' }),
);

it('puts a website aside for a growing time, and no other', () => {
  const failures = new WebsiteFailures(logger);
  for (const seconds of [1, 5, 10, 60, 60]) {
    failures.noteFailure(1, 'fold', lockWait);
    jest.advanceTimersByTime(seconds * 1000 - 1);
    expect([failures.isPaused(1, 'fold'), failures.isPaused(1, 'close day')]).toEqual([true, false]);
    expect(failures.isPaused(2, 'fold')).toBe(false);
    jest.advanceTimersByTime(1);
    expect(failures.isPaused(1, 'fold')).toBe(false);
  }
  failures.noteSuccess(1, 'fold');
  failures.noteFailure(1, 'fold', lockWait);
  jest.advanceTimersByTime(1000);
  expect(failures.isPaused(1, 'fold')).toBe(false);
});

it('puts a day aside, and no other', () => {
  const failures = new WebsiteFailures(logger);
  failures.noteFailure(1, 'close day', lockWait, 7);
  const isPaused = (day?: number) => failures.isPaused(1, 'close day', day);
  expect([isPaused(7), isPaused(8), isPaused()]).toEqual([true, false, false]);
  failures.noteSuccess(1, 'close day', 8);
  expect(isPaused(7)).toBe(true);
  failures.noteSuccess(1, 'close day', 7);
  expect(isPaused(7)).toBe(false);
});

it("warns with the driver's code and not with its text, as long as it fails", () => {
  const failures = new WebsiteFailures(logger);
  failures.noteFailure(7, 'fold', lockWait);
  const [warning] = failures.warnings();
  expect(warning).toMatchObject({ code: 'counting_fails', website_id: 7 });
  expect(warning!.detail).toMatch(/since .*: ER_LOCK_WAIT_TIMEOUT$/);
  failures.noteSuccess(7, 'fold');
  expect(failures.warnings()).toEqual([]);
  failures.noteFailure(8, 'close day', new Error('secret text'));
  jest.advanceTimersByTime(400_000);
  expect(failures.warnings()).toEqual([]);
});

it('bounds what it keeps, warns of and logs', () => {
  const failures = new WebsiteFailures(logger);
  for (let websiteId = 1; websiteId <= 10_100; websiteId++) failures.noteFailure(websiteId, 'fold', lockWait);
  expect(failures.isPaused(1, 'fold')).toBe(false);
  expect(failures.isPaused(10_100, 'fold')).toBe(true);
  expect(failures.warnings()).toHaveLength(20);
  expect(logger.error).toHaveBeenCalledTimes(20);
  expect(logger.warn).toHaveBeenCalledTimes(1);
});

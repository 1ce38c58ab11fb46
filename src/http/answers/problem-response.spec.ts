import { Overloaded } from '../../../engine/ground/errors';
import { Unexpected } from '../../common/problems';
import { DatabaseUnavailable } from '../../../engine/database/errors';
import { ProblemLog } from './problem-response';

const lines: [string, { cause?: string; more?: number }][] = [];
const warnings: unknown[] = [];
const logger = {
  error: (...line: unknown[]) => lines.push(line as never),
  warn: (code: unknown) => warnings.push(code),
};
let log: ProblemLog;
beforeEach(() => {
  jest.useFakeTimers();
  lines.length = 0;
  log = new ProblemLog(logger as never);
});
afterEach(() => jest.useRealTimers());

it('writes one line a second for each code, and then how many more there were', () => {
  for (let i = 0; i < 10_000; i++) log.add(new DatabaseUnavailable(new Error('away')), `id-${i}`);
  log.add(new Overloaded(), 'another');
  expect(lines.map(([code]) => code)).toEqual(['database_unavailable', 'overloaded']);
  jest.advanceTimersByTime(1000);
  expect(lines[2]).toEqual(['database_unavailable', { more: 9999 }]);
  expect(lines).toHaveLength(3);
  log.add(new DatabaseUnavailable(new Error('away')), 'later');
  expect(lines).toHaveLength(4);
});

it('warns of the load that callers without a key make', () => {
  log.add(new Overloaded(), '1', false);
  log.add(new DatabaseUnavailable(new Error('away')), '2', false);
  log.add(new Overloaded(), '3');
  expect(warnings).toEqual(['overloaded']);
  expect(lines.map(([code]) => code)).toEqual(['database_unavailable', 'overloaded']);
});

it('keeps the stack of what was not foreseen alone', () => {
  const error = Object.assign(new Error('SELECT secret'), { code: 'ER_SOMETHING' });
  log.add(new DatabaseUnavailable(error), '1');
  log.add(new Unexpected(error), '2');
  const [away, unexpected] = lines.map(([, { cause }]) => cause!);
  expect(away).toBe('Error ER_SOMETHING');
  expect(unexpected).toMatch(/^Error ER_SOMETHING\n {4}at /);
});

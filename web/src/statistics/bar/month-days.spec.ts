import { dayByKey, plusMonths, weeksOf } from './month-days';
import { monthOf } from './periods';

it('a month has weeks from Monday to Sunday', () => {
  const weeks = weeksOf(monthOf('2026-02-10'));
  expect(weeks).toHaveLength(5);
  expect(weeks[0]!.slice(5)).toEqual([undefined, '2026-02-01']);
  expect(weeks[4]).toEqual([
    '2026-02-23',
    '2026-02-24',
    '2026-02-25',
    '2026-02-26',
    '2026-02-27',
    '2026-02-28',
    undefined,
  ]);
  expect(weeksOf(monthOf('2027-02-01'))).toHaveLength(4);
});

it('a month later is the same day, or the last one', () => {
  expect(plusMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(plusMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(plusMonths('2026-12-15', 1)).toBe('2027-01-15');
  expect(plusMonths('2028-02-29', -12)).toBe('2027-02-28');
});

it.each([
  ['ArrowLeft', false, '2026-11-17'],
  ['ArrowRight', false, '2026-11-19'],
  ['ArrowUp', false, '2026-11-11'],
  ['ArrowDown', false, '2026-11-25'],
  ['Home', false, '2026-11-16'],
  ['End', false, '2026-11-22'],
  ['PageUp', false, '2026-10-18'],
  ['PageUp', true, '2025-11-18'],
  ['PageDown', false, '2026-11-26'],
  ['Enter', false, undefined],
])('%s (shifted: %s) leads to %s', (key, isShifted, day) =>
  expect(dayByKey(key, isShifted, '2026-11-18', '2026-11-26')).toBe(day),
);

it('no key leads before the first day there can be', () =>
  expect(dayByKey('ArrowUp', false, '1970-01-03', '2026-11-26')).toBe('1970-01-03'));

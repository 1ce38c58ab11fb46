import fc from 'fast-check';
import { dayText } from '../../ground/time/days';
import { monthOf, type Span } from '../../hits/calendar';
import { day } from '../../ground/time/parsed';
import { planRange, spansOf } from './range-plan';

const worded = (span: Span | undefined) => span && [dayText(span.from), dayText(span.to)];
const cover = (from: string, to: string, rolledUp: string[]) => {
  const { months, days } = planRange({ from: day(from), to: day(to) }, rolledUp.map(day));
  return { months: worded(months), days: days.map(worded) };
};

it.each([
  [
    '2026-01-15',
    '2026-04-10',
    ['2026-02-01', '2026-03-01'],
    ['2026-02-01', '2026-03-01'],
    [
      ['2026-01-15', '2026-01-31'],
      ['2026-04-01', '2026-04-10'],
    ],
  ],
  ['2026-01-01', '2026-03-31', ['2026-01-01', '2026-02-01', '2026-03-01'], ['2026-01-01', '2026-03-01'], []],
  [
    '2026-01-01',
    '2026-03-31',
    ['2026-01-01', '2026-03-01'],
    ['2026-01-01', '2026-03-01'],
    [['2026-02-01', '2026-02-28']],
  ],
  ['2026-01-02', '2026-01-30', [], undefined, [['2026-01-02', '2026-01-30']]],
])('covers %s to %s, with the months %j', (from, to, rolledUp, months, days) => {
  expect(cover(from, to, rolledUp)).toEqual({ months, days });
});

it('covers each day of any range once, and months whole', () => {
  const anyDay = fc.integer({ min: 0, max: 4000 });
  fc.assert(
    fc.property(anyDay, anyDay, fc.uniqueArray(anyDay.map((one) => monthOf(one))), (one, other, rolledUp) => {
      const range = { from: Math.min(one, other), to: Math.max(one, other) };
      const whole = rolledUp
        .filter((month) => month >= range.from && monthOf(month, 1) - 1 <= range.to)
        .sort((a, b) => a - b);
      const { months, days } = planRange(range, whole);
      const ofMonths = whole.map((from) => ({ from, to: monthOf(from, 1) - 1 }));
      const spans = [...days, ...ofMonths].sort((a, b) => a.from - b.from);
      let next = range.from;
      for (const { from, to } of spans) {
        expect(from).toBe(next);
        next = to + 1;
      }
      expect(next).toBe(range.to + 1);
      expect(months && [months.from, months.to]).toEqual(
        whole.length > 0 ? [whole[0], whole.at(-1)] : undefined,
      );
    }),
  );
});

it('knows the months of the widest range', () => {
  expect(dayText(monthOf(day('9999-12-31')))).toBe('9999-12-01');
  expect(monthOf(0)).toBe(0);
});

it('takes days that follow each other as one span', () => {
  expect(spansOf(new Set([7, 3, 4, 9, 5]))).toEqual([
    { from: 3, to: 5 },
    { from: 7, to: 7 },
    { from: 9, to: 9 },
  ]);
});

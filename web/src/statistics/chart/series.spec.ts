import { daysOf, type Unit } from '../../shared/ranges';
import {
  addedUp,
  type Bucket,
  bucketsOfDays,
  bucketsOfRows,
  completed,
  joined,
  marked,
  monthsOf,
} from './series';

const span = { from: '2026-01-30', to: '2026-02-03' };
const entry = (value: string, count: number, previous_count: number) => ({
  ...{ value, label: value, count, previous_count },
});
const summary = (...entries: ReturnType<typeof entry>[]) =>
  ({ name: 'visitor', counts: 'visitors', total: 3, sum: 7, entries }) as const;
const VISITORS = summary(entry('2026-01-30', 1, 10), entry('2026-02-01', 2, 20), entry('2026-02-02', 4, 40));
const days = bucketsOfDays(VISITORS, undefined, span);
const shown = (buckets: Bucket[]) =>
  buckets.map(({ from, to, now, before }) => [from, to, now.visitors, before.visitors]);

it('has the days without a visit too', () =>
  expect(shown(days)).toEqual([
    ['2026-01-30', '2026-01-30', 1, 10],
    ['2026-01-31', '2026-01-31', 0, 0],
    ['2026-02-01', '2026-02-01', 2, 20],
    ['2026-02-02', '2026-02-02', 4, 40],
    ['2026-02-03', '2026-02-03', 0, 0],
  ]));

it('makes weeks from Monday to Sunday, and months', () => {
  expect(shown(addedUp(days, 'week'))).toEqual([
    ['2026-01-30', '2026-02-01', 3, 30],
    ['2026-02-02', '2026-02-03', 4, 40],
  ]);
  expect(shown(addedUp(days, 'month'))).toEqual([
    ['2026-01-30', '2026-01-31', 1, 10],
    ['2026-02-01', '2026-02-03', 6, 60],
  ]);
});

it('compares months of the calendar with those of the earlier range, and says which', () => {
  const counterparts = (back: number | undefined) =>
    monthsOf(days, back).map(({ from, before, counterpart }) => [from, before.visitors, counterpart]);
  expect(counterparts(5)).toEqual([
    ['2026-01-30', 70, { from: '2026-01-25', to: '2026-01-29' }],
    ['2026-02-01', undefined, undefined],
  ]);
  expect(counterparts(31)).toEqual([
    ['2026-01-30', 10, { from: '2025-12-30', to: '2025-12-31' }],
    ['2026-02-01', 60, { from: '2026-01-01', to: '2026-01-03' }],
  ]);
  expect(counterparts(undefined)).toEqual([
    ['2026-01-30', 10, undefined],
    ['2026-02-01', 60, undefined],
  ]);
});

it('completes weeks with what only a whole week tells', () => {
  const added = addedUp(days, 'week');
  const row = (week: string, visits: number, counterpart: string) =>
    ({ week, visits, visitors: 99, previous: { visits: 1 }, counterpart }) as const;
  const rows = [row('2026-W05', 6, '2026-W04'), row('2026-W06', 7, '2026-W05')];
  const weeksWith = (back: number) =>
    completed(added, bucketsOfRows(rows, 'week', span, new Date(), back), back).map(
      ({ from, to, now, before }) => [from, to, now.visitors, now.visits, before.visits],
    );
  expect(weeksWith(7)).toEqual([
    ['2026-01-30', '2026-02-01', 3, 6, 1],
    ['2026-02-02', '2026-02-03', 4, 7, 1],
  ]);
  expect(weeksWith(5).map((week) => week.at(-1))).toEqual([undefined, undefined]);
});

it('takes the place of what a row is compared with from it', () => {
  const row = { month: '2026-02', visits: 2, previous: { visits: 1 }, counterpart: '2025-12' };
  const [month] = bucketsOfRows([row], 'month', span, new Date(), 40);
  expect(month).toMatchObject({ from: '2026-02-01', counterpart: { from: '2025-12-21', to: '2025-12-25' } });
});

it('takes hours, days and months from rows', () => {
  const now = new Date('2026-10-25T02:30:00+01:00');
  const hours = bucketsOfRows(
    [
      { hour: '2026-10-25T02:00+02:00', visits: 1, previous: { visits: 3 } },
      { hour: '2026-10-25T02:00+01:00', visits: 2 },
      { hour: '2026-10-25T03:00+01:00', visits: 0, previous: { visits: 4 } },
    ],
    'hour',
    span,
    now,
  );
  expect(hours.map((bucket) => [bucket.from, bucket.hour, bucket.now.visits, bucket.before.visits])).toEqual([
    ['2026-10-25', '2026-10-25T02:00', 1, 3],
    ['2026-10-25', '2026-10-25T02:00', 2, undefined],
    ['2026-10-25', '2026-10-25T03:00', undefined, 4],
  ]);
  const months = bucketsOfRows([{ month: '2026-01' }, { month: '2026-02' }], 'month', span, now);
  expect(months.map(({ from, to }) => [from, to])).toEqual([
    ['2026-01-30', '2026-01-31'],
    ['2026-02-01', '2026-02-03'],
  ]);
});

it('takes the hours of a part of days', () => {
  const hours = ['10:00', '11:00', '12:00'].map((clock) => ({
    hour: `2026-02-03T${clock}+00:00`,
    visits: 1,
  }));
  const part = { ...span, moments: ['2026-02-03T11:00:00Z', '2026-02-03T11:59:59Z'] } as const;
  const buckets = bucketsOfRows(hours, 'hour', part, new Date());
  expect(buckets.map(({ hour }) => hour)).toEqual(['2026-02-03T11:00']);
});

describe('a series', () => {
  const open = (buckets: Bucket[], unit: Unit, today: string) =>
    marked(buckets, unit, today).map(({ now, isOpen }) => [now.visitors, isOpen]);

  it('has one day that is not over, and nothing of those to come', () => {
    expect(open(days, 'day', '2026-02-02')).toEqual([
      [1, undefined],
      [0, undefined],
      [2, undefined],
      [4, true],
      [undefined, undefined],
    ]);
    expect(open(days, 'day', '2026-02-04').some(([, isOpen]) => isOpen)).toBe(false);
    expect(open(addedUp(days, 'week'), 'week', '2026-02-03')).toEqual([
      [3, undefined],
      [4, true],
    ]);
  });

  it('has weeks and months that its range cuts', () => {
    const cut = (unit: Unit) =>
      marked(addedUp(days, unit), unit, '2026-02-04').map(({ from, isCut }) => [from, isCut]);
    expect(cut('day').some(([, isCut]) => isCut)).toBe(false);
    expect(cut('week')).toEqual([
      ['2026-01-30', true],
      ['2026-02-02', true],
    ]);
    expect(cut('month')).toEqual([
      ['2026-01-30', true],
      ['2026-02-01', true],
    ]);
    const whole = daysOf({ from: '2026-01-01', to: '2026-02-28' }).map((day) => ({
      ...{ from: day, to: day, now: {}, before: {} },
    }));
    expect(marked(addedUp(whole, 'month'), 'month', '2026-03-01').some(({ isCut }) => isCut)).toBe(false);
  });

  it('has one hour that is not over', () => {
    const hours = [20, 21, 22].map((hour) => ({ hour: `2026-02-03T${hour}:00Z`, visitors: 1 }));
    const at = new Date('2026-02-03T21:30:00Z');
    const buckets = bucketsOfRows(hours, 'hour', span, at);
    expect(open(buckets, 'hour', '2026-02-03')).toEqual([
      [1, undefined],
      [1, true],
      [undefined, undefined],
    ]);
    expect(open(buckets, 'hour', '2026-02-04').some(([, isOpen]) => isOpen)).toBe(false);
  });
});

it('joins the counts of rollups and hits', () => {
  const rows = bucketsOfRows([{ day: '2026-01-30', visits: 9, visitors: 8 }], 'day', span, new Date());
  expect(joined(rows, days)[0]!.now).toEqual({ visits: 9, visitors: 1, pageviews: 0 });
});

import { comparedChange, comparedIn, daysBack, hasSameWeekdays, toneOf } from './range-to-compare';

const SPAN = { from: '2026-11-20', to: '2026-11-26' };
const DAY = { from: '2026-11-28', to: '2026-11-28' };
const address = (query: string) => new URLSearchParams(query);

it.each([
  ['', 'previous'],
  ['compare=nonsense', 'previous'],
  ['compare=year', 'year'],
  ['compare=off', 'off'],
  ['compare=custom&since=2026-01-01', 'custom'],
  ['compare=custom', 'previous'],
  ['compare=custom&since=2026-11-31', 'previous'],
  ['compare=custom&since=2026-11-20', 'previous'],
])('"%s" compares with %s', (query, compared) =>
  expect(comparedIn(address(query), '7d', SPAN)).toBe(compared),
);

it('all days are compared with nothing', () =>
  expect(comparedIn(address('compare=year'), 'all', undefined)).toBe('off'));

it('the compared range begins as many days earlier, on the same weekday of a year ago, or on a day of its own', () => {
  const back = (query: string) => daysBack(comparedIn(address(query), '7d', SPAN), SPAN, address(query));
  expect(back('')).toBe(7);
  expect(back('compare=year')! % 7).toBe(0);
  expect(back('compare=year')).toBe(364);
  expect(back('compare=custom&since=2026-11-01')).toBe(19);
  expect(back('compare=off')).toBeUndefined();
});

it('is in the address where it is not the default', () => {
  expect(comparedChange('previous', SPAN)).toEqual({ compare: undefined, since: undefined });
  expect(comparedChange('custom', SPAN, '2026-01-01')).toEqual({ compare: 'custom', since: '2026-01-01' });
  expect(comparedChange('week', DAY)).toEqual({ compare: undefined, since: undefined });
  expect(comparedChange('previous', DAY)).toEqual({ compare: 'previous', since: undefined });
});

it('a day, and the last 24 hours, are compared with the same weekday unless the address has another day', () => {
  const hours = { ...SPAN, moments: ['2026-11-25T13:00:00Z', '2026-11-26T12:59:59Z'] as const };
  for (const span of [DAY, hours]) {
    const back = (query: string) => daysBack(comparedIn(address(query), 'today', span), span, address(query));
    expect(['', 'compare=week', 'compare=previous'].map(back)).toEqual([7, 7, 1]);
  }
  expect(comparedIn(address('compare=week'), '7d', SPAN)).toBe('previous');
});

it('a change has a color only if the compared days are the same weekdays, or many', () => {
  const days = (from: string, to: string, back: number) => hasSameWeekdays({ from, to }, back);
  expect(days('2026-11-28', '2026-11-28', 7)).toBe(true);
  expect(days('2026-11-28', '2026-11-28', 1)).toBe(false);
  expect(days('2026-11-20', '2026-11-26', 30)).toBe(true);
  expect(days('2026-11-01', '2026-11-10', 10)).toBe(false);
  expect(days('2026-11-01', '2026-11-30', 30)).toBe(true);
  const fall = { direction: 'down', text: '−46%' } as const;
  expect([toneOf(fall, true), toneOf(fall, true, true), toneOf(fall, false)]).toEqual([
    ...['worse', 'better', 'same'],
  ]);
});

import { comparedChange, comparedIn, daysBack } from './compared';

const SPAN = { from: '2026-11-20', to: '2026-11-26' };
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
  expect(comparedChange('previous')).toEqual({ compare: undefined, since: undefined });
  expect(comparedChange('custom', '2026-01-01')).toEqual({ compare: 'custom', since: '2026-01-01' });
});

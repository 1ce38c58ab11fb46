import { rangeText, spanChange, stepChange } from './periods';
import { boundsFor, type RangeName, spanOf } from '../../shared/ranges';

const OWNER = { isOwner: true, mayFilter: true };
const BOUNDS = boundsFor(OWNER, 'UTC', new Date('2026-11-26T12:00:00Z'));
const custom = (from: string, to: string) => ({ range: 'custom', from, to });

function stepped(range: RangeName, step: -1 | 1, from?: string, to?: string, bounds = BOUNDS) {
  const address = new URLSearchParams({ from: from ?? '', to: to ?? '' });
  return stepChange(range, spanOf(range, bounds, address)!, step, bounds);
}

it.each([
  ['today', { range: 'yesterday' }],
  ['yesterday', custom('2026-11-24', '2026-11-24')],
  ['7d', custom('2026-11-13', '2026-11-19')],
  ['month', { range: 'last_month' }],
  ['last_month', custom('2026-09-01', '2026-09-30')],
  ['year', custom('2025-01-01', '2025-12-31')],
] as const)('the period before %s has its length, or is a month or a year', (range, change) =>
  expect(stepped(range, -1)).toMatchObject(change),
);

it('the period after one leads back, until today', () => {
  expect(stepped('yesterday', 1)).toMatchObject({ range: 'today' });
  expect(stepped('custom', 1, '2026-11-13', '2026-11-19')).toMatchObject({ range: '7d' });
  expect(stepped('custom', 1, '2026-11-20', '2026-11-24')).toMatchObject(custom('2026-11-22', '2026-11-26'));
  expect(stepped('custom', 1, '2026-09-01', '2026-09-30')).toMatchObject({ range: 'last_month' });
  expect(stepped('last_month', 1)).toMatchObject({ range: 'month' });
  expect(stepped('custom', 1, '2025-01-01', '2025-12-31')).toMatchObject({ range: 'year' });
  expect(stepped('7d', 1)).toBeUndefined();
  expect(stepped('custom', 1, '2026-11-20', '2026-12-24')).toBeUndefined();
});

it('two days picked are days, and the last 24 hours have no neighbors', () => {
  expect(spanChange({ from: '2026-11-25', to: '2026-11-26' }, BOUNDS)).toMatchObject({ range: 'custom' });
  expect(stepped('24h', -1)).toBeUndefined();
});

it('there is none before the first day', () =>
  expect(stepped('custom', -1, '1970-01-02', '1970-01-05')).toBeUndefined());

it('takes the names of periods only where a period was stepped over', () => {
  const bounds = boundsFor(OWNER, 'UTC', new Date('2026-11-07T12:00:00Z'));
  const week = { from: '2026-11-01', to: '2026-11-07' };
  expect(spanChange(week, bounds)).toMatchObject({ range: '7d' });
  expect(spanChange(week, bounds, 'month')).toMatchObject({ range: 'month' });
  expect(stepped('custom', 1, '2026-10-25', '2026-10-31', bounds)).toMatchObject({ range: '7d' });
});

describe('a range is called', () => {
  const viewer = boundsFor({ isOwner: false, mayFilter: false }, 'UTC', new Date('2026-11-26T12:00:00Z'));
  const toYesterday = { from: '2026-10-29', to: '2026-11-25' };

  it('the same for the owner and for viewers if it ends yesterday', () => {
    expect(rangeText('28d', BOUNDS)).toBe('Last 28 days');
    expect(rangeText('28d', viewer)).toBe('28 days to yesterday');
    for (const bounds of [BOUNDS, viewer])
      expect(rangeText('custom', bounds, toYesterday)).toBe('28 days to yesterday');
    for (const bounds of [BOUNDS, viewer]) expect(rangeText('last_month', bounds)).toBe('Last month');
  });

  it('by its days if it has no name', () =>
    expect(rangeText('custom', BOUNDS, { from: '2026-11-02', to: '2026-11-25' })).toMatch(/^Nov 2\s–\s25$/));
});

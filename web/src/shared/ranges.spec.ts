import { boundsFor, isDay, rangeIn, RANGES, shifted, spanOf, unitFor, unitsFor } from './ranges';

const address = (query: string) => new URLSearchParams(query);
const none = address('');
const at = (today: string) => new Date(`${today}T10:20:30Z`);
const ofOwner = (today: string) => boundsFor({ isOwner: true, mayFilter: true }, 'UTC', at(today));
const ofViewer = (today: string) => boundsFor({ isOwner: false, mayFilter: false }, 'UTC', at(today));

describe('the range of an address', () => {
  it.each([
    ['', '28d'],
    ['range=30d', '30d'],
    ['range=7d', '7d'],
    ['range=nonsense', '28d'],
    ['range=custom', '28d'],
    ['range=custom&from=2026-01-02&to=2026-01-01', '28d'],
    ['range=custom&from=2026-02-30&to=2026-03-01', '28d'],
    ['range=custom&from=2026-01-01&to=2026-01-01', 'custom'],
  ])('"%s" is %s', (query, range) => expect(rangeIn(address(query), ofOwner('2026-03-01'))).toBe(range));

  it.each([
    ['today', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['7d', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['28d', '2026-03-01', '2026-02-02', '2026-03-01'],
    ['30d', '2026-03-01', '2026-01-31', '2026-03-01'],
    ['90d', '2026-03-01', '2025-12-02', '2026-03-01'],
    ['month', '2026-03-05', '2026-03-01', '2026-03-05'],
    ['last_month', '2026-03-05', '2026-02-01', '2026-02-28'],
    ['year', '2026-03-05', '2026-01-01', '2026-03-05'],
    ['12m', '2026-03-01', '2025-04-01', '2026-03-01'],
    ['12m', '2026-12-31', '2026-01-01', '2026-12-31'],
  ] as const)('%s on %s is %s to %s', (range, today, from, to) =>
    expect(spanOf(range, ofOwner(today), none)).toEqual({ from, to }),
  );

  it('of all days has to be asked for, and one of its own is taken as it is', () => {
    expect(spanOf('all', ofOwner('2026-03-01'), none)).toBeUndefined();
    const own = { from: '2026-01-05', to: '2026-02-07' };
    expect(spanOf('custom', ofOwner('2026-01-06'), address('from=2026-01-05&to=2026-02-07'))).toEqual(own);
    expect(RANGES).toHaveLength(12);
  });

  it('of its own has at most a hundred years, however long the one in the address is', () => {
    const rangeOf = (days: string) => rangeIn(address(`range=custom&${days}`), ofOwner('2026-03-01'));
    expect(rangeOf('from=1970-01-01&to=2026-03-01')).toBe('custom');
    expect(rangeOf('from=1970-01-01&to=9999-12-31')).toBe('28d');
  });

  it.each([
    ['range=today', '28d', '2026-02-01', '2026-02-28'],
    ['range=yesterday', 'yesterday', '2026-02-28', '2026-02-28'],
    ['range=7d', '7d', '2026-02-22', '2026-02-28'],
    ['range=custom&from=2026-02-27&to=2026-03-01', 'custom', '2026-02-27', '2026-02-28'],
    ['range=custom&from=2026-03-01&to=2026-03-01', '28d', '2026-02-01', '2026-02-28'],
  ] as const)('"%s" ends before today for those who may not filter', (query, range, from, to) => {
    const bounds = ofViewer('2026-03-01');
    expect(rangeIn(address(query), bounds)).toBe(range);
    expect(spanOf(range, bounds, address(query))).toEqual({ from, to });
  });
});

describe('the last 24 hours', () => {
  it('are the one of the clock that goes on, and the 23 before it', () => {
    const spanIn = (timezone: string) =>
      spanOf('24h', boundsFor({ isOwner: true, mayFilter: true }, timezone, at('2026-03-01')), none);
    expect(spanIn('UTC')).toEqual({
      ...{ from: '2026-02-28', to: '2026-03-01' },
      moments: ['2026-02-28T11:00:00Z', '2026-03-01T10:59:59Z'],
    });
    expect(spanIn('Asia/Kolkata')?.moments).toEqual(['2026-02-28T10:30:00Z', '2026-03-01T10:29:59Z']);
  });

  it('are moved with their moments, and drawn by hours', () => {
    const span = spanOf('24h', ofOwner('2026-03-01'), none)!;
    expect(shifted(span, -1).moments).toEqual(['2026-02-27T11:00:00Z', '2026-02-28T10:59:59Z']);
    expect(unitsFor(span, true)).toEqual(['hour']);
  });

  it('are the owner’s', () => {
    const viewer = boundsFor({ isOwner: false, mayFilter: true }, 'UTC', at('2026-03-01'));
    expect(rangeIn(address('range=24h'), viewer)).toBe('28d');
    expect(rangeIn(address('range=24h'), ofViewer('2026-03-01'))).toBe('28d');
  });
});

it.each(['2026-02-30', '2026-1-1', '1969-12-31', '', '20260101', '10000-01-01'])('"%s" is no day', (text) =>
  expect(isDay(text)).toBe(false),
);

it('draws few days as hours, many as weeks or months', () => {
  const to = '2026-12-31';
  const units = (from: string, hasHours = true) => [
    unitFor({ from, to }, hasHours),
    ...unitsFor({ from, to }, hasHours),
  ];
  expect(units('2026-12-31')).toEqual(['hour', 'hour']);
  expect(units('2026-12-29')).toEqual(['day', 'hour', 'day']);
  expect(units('2026-12-31', false)).toEqual(['day']);
  expect(units('2026-12-29', false)).toEqual(['day', 'day']);
  expect(units('2026-12-10')).toEqual(['day', 'day', 'week']);
  expect(units('2026-08-01')).toEqual(['week', 'day', 'week', 'month']);
  expect(units('2020-01-01')).toEqual(['month', 'month']);
});

it.each([
  ['2026-03-01', ['year', '12m'], ['month']],
  ['2026-01-01', ['12m'], ['month', 'year']],
  ['2026-03-02', ['month', 'year'], []],
] as const)('has, for viewers on %s, only ranges with days that are over', (today, shown, hidden) => {
  const bounds = ofViewer(today);
  for (const name of shown) expect(bounds.ranges).toContain(name);
  for (const name of hidden) expect(bounds.ranges).not.toContain(name);
});

it('ends the last month before this one, also for viewers on a 1st', () => {
  expect(spanOf('last_month', ofViewer('2026-12-01'), none)).toEqual({
    from: '2026-11-01',
    to: '2026-11-30',
  });
});

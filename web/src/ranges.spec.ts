import { bucketsOf, isDay, rangeIn, RANGES, spanOf, unitFor, unitsFor } from './ranges';

const address = (query: string) => new URLSearchParams(query);
const none = address('');

describe('the range of an address', () => {
  it.each([
    ['', '30d'],
    ['range=7d', '7d'],
    ['range=nonsense', '30d'],
    ['range=custom', '30d'],
    ['range=custom&from=2026-01-02&to=2026-01-01', '30d'],
    ['range=custom&from=2026-02-30&to=2026-03-01', '30d'],
    ['range=custom&from=2026-01-01&to=2026-01-01', 'custom'],
  ])('"%s" is %s', (query, range) => expect(rangeIn(address(query))).toBe(range));

  it.each([
    ['today', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['7d', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['30d', '2026-03-01', '2026-01-31', '2026-03-01'],
    ['90d', '2026-03-01', '2025-12-02', '2026-03-01'],
    ['12m', '2026-03-01', '2025-03-02', '2026-03-01'],
    ['12m', '2028-02-29', '2027-03-01', '2028-02-29'],
  ] as const)('%s on %s is %s to %s', (range, today, from, to) =>
    expect(spanOf(range, today, none)).toEqual({ from, to }),
  );

  it('of all days has to be asked for, and one of its own is taken as it is', () => {
    expect(spanOf('all', '2026-03-01', none)).toBeUndefined();
    const own = { from: '2026-01-05', to: '2026-02-07' };
    expect(spanOf('custom', '2026-03-01', address('from=2026-01-05&to=2026-02-07'))).toEqual(own);
    expect(RANGES).toHaveLength(7);
  });
});

it.each(['2026-02-30', '2026-1-1', '1969-12-31', '', '20260101', '10000-01-01'])('"%s" is no day', (text) =>
  expect(isDay(text)).toBe(false),
);

it('draws few days as such, many as weeks or months', () => {
  const to = '2026-12-31';
  const units = (from: string) => [unitFor({ from, to }), ...unitsFor({ from, to })];
  expect(units('2026-12-31')).toEqual(['day', 'day']);
  expect(units('2026-12-10')).toEqual(['day', 'day', 'week']);
  expect(units('2026-08-01')).toEqual(['week', 'day', 'week', 'month']);
  expect(units('2020-01-01')).toEqual(['month', 'week', 'month']);
});

describe('days that are added up', () => {
  const entries = [
    { value: '2026-01-30', count: 1, previous_count: 10 },
    { value: '2026-02-01', count: 2, previous_count: 20 },
    { value: '2026-02-02', count: 4, previous_count: 40 },
  ];
  const span = { from: '2026-01-30', to: '2026-02-03' };

  it('stay what they are, those without a visit too', () => {
    const counts = bucketsOf(entries, span, 'day').map(({ from, count, previous }) => [
      from,
      count,
      previous,
    ]);
    expect(counts).toEqual([
      ['2026-01-30', 1, 10],
      ['2026-01-31', 0, 0],
      ['2026-02-01', 2, 20],
      ['2026-02-02', 4, 40],
      ['2026-02-03', 0, 0],
    ]);
  });

  it('make weeks from Monday to Sunday', () =>
    expect(bucketsOf(entries, span, 'week')).toEqual([
      { from: '2026-01-30', to: '2026-02-01', count: 3, previous: 30 },
      { from: '2026-02-02', to: '2026-02-03', count: 4, previous: 40 },
    ]));

  it('make months', () =>
    expect(bucketsOf(entries, span, 'month')).toEqual([
      { from: '2026-01-30', to: '2026-01-31', count: 1, previous: 10 },
      { from: '2026-02-01', to: '2026-02-03', count: 6, previous: 60 },
    ]));
});

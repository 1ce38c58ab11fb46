import type { HitQuery } from '../../questions/plan/hit-query';
import type { RequestedQuery } from '../../questions/parse/query-body';
import { nameOfRequest } from '../../questions/plan/name-of-request';

type Sent = Pick<RequestedQuery, 'filters' | 'dimensions' | 'metrics'>;
type Ranges = Pick<HitQuery, 'range' | 'previous'>;

const SENT: Sent = { filters: [['is', 'country', ['FR']]], dimensions: ['page'], metrics: ['pageviews'] };
const RANGES: Ranges = {
  range: { days: { from: 1, to: 9 }, moments: { from: 0, to: 800_000 } },
  previous: undefined,
};
const NAME = nameOfRequest(1, [SENT], [RANGES]);

it('names a request alike at another moment', () => {
  const later = { days: RANGES.range.days, moments: { from: 0, to: 800_001 } };
  expect(nameOfRequest(1, [SENT], [{ ...RANGES, range: later }])).toBe(NAME);
});

it.each<[string, number, Partial<Sent & Ranges>]>([
  ['website', 2, {}],
  ['range', 1, { range: { days: { from: 2, to: 9 } } }],
  ['compared range', 1, { previous: { days: { from: 0, to: 0 } } }],
  ['filter', 1, { filters: [['is', 'country', ['DE']]] }],
  ['dimension', 1, { dimensions: ['country'] }],
  ['metric', 1, { metrics: ['visitors'] }],
])('names a request with another %s differently', (_, websiteId, other) => {
  expect(nameOfRequest(websiteId, [{ ...SENT, ...other }], [{ ...RANGES, ...other }])).not.toBe(NAME);
});

import type { QueryAnswer, QueriesAnswer, SummaryAnswer } from '../shared/api';
import {
  type Answered,
  ofPart,
  ofWholeDays,
  ofWholeRange,
  type OpenDay,
  partBefore,
  rangeBefore,
} from './comparison';
import type { View } from './page-answer';

const PLACES = { ...{ stats: '', summary: '', query: '/query', values: '', live: '' }, headers: {} };
const SPAN = { from: '2026-11-21', to: '2026-11-23' };
const VIEW: View = {
  ...{ span: SPAN, unit: 'day', back: 3, filters: [], names: [], isOwner: true, mayFilter: true },
};
const FILTERED: View = { ...VIEW, filters: [{ name: 'country', operator: 'is', values: ['DE'] }] };
const OPEN: OpenDay = { day: '2026-11-23', asOf: '2026-11-23T12:00:00Z', timezone: 'UTC' };
const NOON = '2026-11-20T12:00:00Z';

const rows = [
  { day: '2026-11-21', visitors: 1, visits: 2, previous: { visitors: 10, visits: 20 } },
  { day: '2026-11-22', visitors: 3, visits: 4, previous: { visitors: 30, visits: 40 } },
  { day: '2026-11-23', visitors: 5, visits: 6, previous: { visitors: 500, visits: 600 } },
];
const entries = rows.map(({ day: value, visitors, previous }) => ({
  ...{ value, label: value, count: visitors + 100, previous_count: previous.visitors + 100 },
}));
const answered = {
  page: { now: { visitors: 9 }, before: { visitors: 540 } },
  summary: { data: [{ name: 'visitor', entries }] } as unknown as SummaryAnswer,
  hitQueries: { data: [{ data: rows, meta: { dimensions: ['day'] } }] } as unknown as QueriesAnswer,
} as Answered;
const part = (codes: string[] = []) =>
  ({
    data: [{ visitors: 7, visits: 8, pageviews: 9 }],
    meta: { warnings: codes.map((code) => ({ code })) },
  }) as unknown as QueryAnswer;

it('of a range that is over is with as many days before', () =>
  expect(ofWholeRange(VIEW, answered)).toEqual({
    ...{ now: { visitors: 9 }, before: { visitors: 540 } },
    span: { from: '2026-11-18', to: '2026-11-20' },
  }));

it('queries a part of the last day, or a part of the range if days do not add up', () => {
  const range = (view: View) => (partBefore(PLACES, view, OPEN).body as { range: string[] }).range;
  expect(range(VIEW)).toEqual(['2026-11-20T00:00:00Z', NOON]);
  expect(range({ ...VIEW, unit: 'hour' })).toEqual(['2026-11-18T00:00:00Z', NOON]);
  expect(range({ ...VIEW, unit: 'week' })).toEqual(['2026-11-20T00:00:00Z', NOON]);
});

it('queries as much of the 24 hours before as has passed', () => {
  const hours: View = {
    ...{ ...VIEW, unit: 'hour', back: 1 },
    span: { from: '2026-11-22', to: '2026-11-23', moments: ['2026-11-22T13:00:00Z', '2026-11-23T12:59:59Z'] },
  };
  expect(partBefore(PLACES, hours, OPEN).body).toMatchObject({
    range: ['2026-11-21T13:00:00Z', '2026-11-22T12:00:00Z'],
  });
});

it('adds a part of the last day to the days before it, which counters know better unless there are filters', () => {
  const span = { from: '2026-11-18', to: '2026-11-20' };
  expect(ofPart(VIEW, answered, part(), OPEN)).toMatchObject({
    ...{ now: { visitors: 9 }, span, until: OPEN.asOf },
    before: { visitors: 110 + 130 + 7, visits: 20 + 40 + 8 },
  });
  expect(ofPart(FILTERED, answered, part(), OPEN)?.before).toMatchObject({ visitors: 10 + 30 + 7 });
  expect(ofPart({ ...VIEW, unit: 'hour' }, answered, part(), OPEN)?.before).toMatchObject({ visitors: 7 });
});

it('has no part of hits that are not kept', () =>
  expect(ofPart(VIEW, answered, part(['kept_since']), OPEN)).toBeUndefined());

it('in whole days leaves the last one out on both sides', () => {
  expect(ofWholeDays(FILTERED, answered, OPEN.day)).toMatchObject({
    ...{ now: { visitors: 4, visits: 6 }, before: { visitors: 40, visits: 60 } },
    ...{ days: { from: '2026-11-21', to: '2026-11-22' }, span: { from: '2026-11-18', to: '2026-11-19' } },
  });
  expect(ofWholeDays(VIEW, answered, OPEN.day)?.before).toMatchObject({ visitors: 240, visits: 60 });
  expect(ofWholeDays(VIEW, answered, SPAN.from)).toBeUndefined();
  expect(ofWholeDays({ ...VIEW, unit: 'hour' }, answered, OPEN.day)).toBeUndefined();
});

describe('a list', () => {
  const before = (span: View['span'], back: number, asOf = OPEN.asOf) => rangeBefore(span, back, asOf, 'UTC');

  it('of a range that is over is compared with whole days', () =>
    expect(before({ from: '2026-11-20', to: '2026-11-22' }, 364)).toEqual(['2025-11-21', '2025-11-23']));

  it('of a range that is not over is compared with as much of the other one', () => {
    expect(before(SPAN, 364)).toEqual(['2025-11-22T00:00:00Z', '2025-11-24T12:00:00Z']);
    expect(before(SPAN, 3)).toEqual(['2026-11-18T00:00:00Z', NOON]);
  });

  it('of hours is compared with as many hours before', () => {
    const span = {
      ...{ from: '2026-11-22', to: '2026-11-23' },
      moments: ['2026-11-22T13:00:00Z', '2026-11-23T12:59:59Z'] as const,
    };
    expect(before(span, 1)).toEqual(['2026-11-21T13:00:00Z', '2026-11-22T12:00:00Z']);
  });
});

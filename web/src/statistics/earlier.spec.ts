import type { QueriesAnswer, QueryAnswer, QueryRow, SummaryAnswer } from '../shared/api';
import { comparedSummary, earlierSummaryFor, splitAnswers, withEarlierQuery } from './earlier';

const PLACES = { summary: 'summary' };
const SPAN = { from: '2026-11-20', to: '2026-11-21' };
const EARLIER = { from: '2025-11-21', to: '2025-11-22' };
const VIEW = { span: SPAN, back: 364, filters: [] };

const answer = (range: object, dimensions: string[], data: QueryRow[], codes: string[] = []) =>
  ({
    data,
    meta: { range, dimensions, warnings: codes.map((code) => ({ code })) },
  }) as unknown as QueryAnswer;
const series = answer(
  SPAN,
  ['day'],
  [
    { day: '2026-11-20', visits: 5 },
    { day: '2026-11-21', visits: 6 },
  ],
);
const pages = answer(SPAN, ['page'], [{ page: '/', visits: 3 }]);
const earlierSeries = (...codes: string[]) =>
  answer(
    EARLIER,
    ['day'],
    [
      { day: '2025-11-21', visits: 1, visitors: 10 },
      { day: '2025-11-22', visits: 2, visitors: 20 },
    ],
    codes,
  );
const all = (...data: QueryAnswer[]): QueriesAnswer => ({ data });
const rollups = (from: number, ...days: string[]) =>
  ({
    data: [
      { name: 'visitor', sum: 99, entries: days.map((value, index) => ({ value, count: from + index })) },
      { name: 'country', sum: 7, entries: [] },
    ],
  }) as unknown as SummaryAnswer;

it('is queried by itself unless it lies right before', () => {
  const ranges = (view: { span: typeof SPAN; back: number | undefined }) =>
    withEarlierQuery({ range: [SPAN.from, SPAN.to] }, view).map(({ range }) => range);
  expect(ranges(VIEW)).toEqual([Object.values(SPAN), Object.values(EARLIER)]);
  expect(ranges({ ...VIEW, back: 2 })).toHaveLength(1);
  expect(ranges({ ...VIEW, back: undefined })).toHaveLength(1);
});

it('is paired by position with the series, and not with lists', () => {
  const { own, earlier } = splitAnswers(all(series, pages, earlierSeries()));
  expect(own.data.map(({ data }) => data.map(({ previous }) => previous?.visits))).toEqual([
    [1, 2],
    [undefined],
  ]);
  expect(earlier?.whole).toBeUndefined();
  expect(splitAnswers(all(series, pages)).own.data).toEqual([series, pages]);
});

it('pairs the whole range where days do not add up to it', () => {
  const whole = (range: object, visits: number) => answer(range, [], [{ visits }]);
  const { own } = splitAnswers(all(series, whole(SPAN, 9), earlierSeries(), whole(EARLIER, 4)));
  expect(own.data[1]!.data[0]).toMatchObject({ visits: 9, previous: { visits: 4 } });
});

it('gives rollups their earlier counts by day', () => {
  const { earlier } = splitAnswers(all(series, earlierSeries()));
  const [visitor, country] = comparedSummary(
    rollups(5, '2026-11-20', '2026-11-21'),
    364,
    earlier!,
    undefined,
  ).data;
  expect(visitor).toMatchObject({
    previous_sum: 30,
    entries: [{ previous_count: 10 }, { previous_count: 20 }],
  });
  expect(country).not.toHaveProperty('previous_sum');
});

it('is that of rollups where hits are not kept', () => {
  const { earlier } = splitAnswers(all(series, earlierSeries('kept_since')));
  expect(earlierSummaryFor(PLACES, VIEW, earlier)?.url).toContain('from=2025-11-21&to=2025-11-22');
  const compared = comparedSummary(rollups(5, '2026-11-21'), 364, earlier!, rollups(70, '2025-11-22'));
  expect(compared.data[0]).toMatchObject({ previous_sum: 99, entries: [{ previous_count: 70 }] });
  expect(earlierSummaryFor(PLACES, VIEW, splitAnswers(all(series, earlierSeries())).earlier)).toBeUndefined();
  expect(earlierSummaryFor(PLACES, { ...VIEW, filters: ['country'] }, earlier)).toBeUndefined();
});

it('queries the hours before by themselves, however many days their days are', () => {
  const span = { ...SPAN, moments: ['2026-11-20T12:00:00Z', '2026-11-21T11:59:59Z'] as const };
  const queries = withEarlierQuery({ metrics: ['visitors'] }, { span, back: 2 });
  expect(queries[1]).toMatchObject({ range: ['2026-11-18T12:00:00Z', '2026-11-19T11:59:59Z'] });
});

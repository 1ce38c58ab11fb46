import type { QueriesAnswer, QueryAnswer, QueryRow, SummaryAnswer } from '../shared/api';
import { daysIn } from '../shared/ranges';
import { comparedQueries, comparedSeries, comparedSummary, earlierSummaryFor, splitAnswers } from './earlier';

const PLACES = { summary: 'summary' };
const SPAN = { from: '2026-11-20', to: '2026-11-21' };
const EARLIER = { from: '2025-11-21', to: '2025-11-22' };
const VIEW = { span: SPAN, unit: 'day', back: 364, filters: [] } as const;

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
  const query = { range: [SPAN.from, SPAN.to] };
  const own = { range: Object.values(SPAN) };
  expect(comparedQueries(query, VIEW)).toEqual([own, { range: Object.values(EARLIER) }]);
  expect(comparedQueries(query, { ...VIEW, back: 2 })).toEqual([{ ...own, compare: 'previous' }]);
  expect(comparedQueries(query, { ...VIEW, back: undefined })).toEqual([own]);
});

it('is queried by itself for series of hours and months, unless it lies before all websites', () => {
  const ranges = (view: Omit<Parameters<typeof comparedSeries>[1], 'back'>) =>
    comparedSeries({ range: [] as readonly string[] }, { ...view, back: daysIn(view.span) }).map(
      ({ range }) => range,
    );
  expect(ranges({ span: SPAN, unit: 'hour' })).toEqual([[], ['2026-11-18', '2026-11-19']]);
  expect(ranges({ span: SPAN, unit: 'day' })).toEqual([[]]);
  const years = { from: '2020-01-01', to: '2026-11-21' };
  expect(ranges({ span: years, unit: 'month' })).toHaveLength(2);
  expect(ranges({ span: { ...years, from: '1990-01-01' }, unit: 'month' })).toEqual([[]]);
});

describe('by hours', () => {
  const hours = (range: object, ...texts: string[]) =>
    answer(
      range,
      ['hour'],
      texts.map((hour, index) => ({ hour, visits: index + 1 })),
    );
  const pairs = (series: QueryAnswer, before: QueryAnswer) =>
    splitAnswers(all(series, before)).own.data[0]!.data.map(({ hour, previous, counterpart }) => [
      hour!.slice(11),
      previous?.visits,
      counterpart?.slice(11),
    ]);
  const sunday = { from: '2026-10-25', to: '2026-10-25' };
  const saturday = { from: '2026-10-24', to: '2026-10-24' };
  const day = ['01:00+02:00', '02:00+02:00', '03:00+02:00'];
  /** Clocks are set back from 3:00 to 2:00. */
  const long = ['01:00+02:00', '02:00+02:00', '02:00+01:00', '03:00+01:00'];
  const on = (date: string, times: string[]) => times.map((time) => `${date}T${time}`);

  it('is paired by the clock', () => {
    expect(
      pairs(hours(sunday, ...on('2026-10-25', long)), hours(saturday, ...on('2026-10-24', day))),
    ).toEqual([
      ['01:00+02:00', 1, '01:00+02:00'],
      ['02:00+02:00', 2, '02:00+02:00'],
      ['02:00+01:00', undefined, undefined],
      ['03:00+01:00', 3, '03:00+02:00'],
    ]);
    const monday = { from: '2026-10-26', to: '2026-10-26' };
    const after = ['01:00+01:00', '02:00+01:00', '03:00+01:00'];
    expect(
      pairs(hours(monday, ...on('2026-10-26', after)), hours(sunday, ...on('2026-10-25', long))),
    ).toEqual([
      ['01:00+01:00', 1, '01:00+02:00'],
      ['02:00+01:00', 2, '02:00+02:00'],
      ['03:00+01:00', 4, '03:00+01:00'],
    ]);
  });

  it('of moments is paired by the time that passed', () => {
    const range = { from: '2026-10-25T00:00:00Z', to: '2026-10-25T01:59:59Z' };
    const before = { from: '2026-10-24T00:00:00Z', to: '2026-10-24T01:59:59Z' };
    expect(
      pairs(
        hours(range, ...on('2026-10-25', ['02:00+02:00', '02:00+01:00'])),
        hours(before, ...on('2026-10-24', day)),
      ),
    ).toEqual([
      ['02:00+02:00', 2, '02:00+02:00'],
      ['02:00+01:00', 3, '03:00+02:00'],
    ]);
  });
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
  const queries = comparedQueries({ metrics: ['visitors'] }, { span, unit: 'hour', back: 2 });
  expect(queries[1]).toMatchObject({ range: ['2026-11-18T12:00:00Z', '2026-11-19T11:59:59Z'] });
});

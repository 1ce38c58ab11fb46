import { DIMENSIONS, STAT_NAMES } from './stat-names';

it('gives each name a code of its own that never changes', () => {
  const codes = Object.fromEntries(STAT_NAMES.map((name) => [name, DIMENSIONS[name].code]));
  expect(codes).toEqual({
    pageview: 1,
    visitor: 2,
    page: 3,
    event: 4,
    referrer: 5,
    campaign: 6,
    browser: 7,
    operating_system: 8,
    device: 9,
    language: 10,
    screen_resolution: 11,
    continent: 12,
    country: 13,
    city: 14,
    dropped: 15,
  });
});

it('counts page views, events, and otherwise visitors', () => {
  const counted = (what: string) => STAT_NAMES.filter((name) => DIMENSIONS[name].counts === what);
  expect(counted('pageviews')).toEqual(['page', 'pageview']);
  expect(counted('events')).toEqual(['dropped', 'event']);
  expect(counted('visitors')).toHaveLength(11);
});

it('counts what describes a visitor by the first hit alone', () => {
  const perVisitor = STAT_NAMES.filter((name) => DIMENSIONS[name].per === 'visitor');
  expect(perVisitor).toEqual([
    'browser',
    'city',
    'continent',
    'country',
    'device',
    'language',
    'operating_system',
    'screen_resolution',
    'visitor',
  ]);
});

import { VISITOR_BYTES } from '../common/visitor-bytes';
import type { Hit } from '../storage/hit';
import { fold, type UniqueKey, uniqueKeysOf, withUniqueKeys } from './fold';

const DAY = 20_717;
const TEXT = '2026-09-21';

const visitorOf = (name: string) => Buffer.alloc(VISITOR_BYTES, name).toString('base64url');

const hitOf = (fields: Partial<Hit> = {}): Hit => ({
  at: DAY * 86_400,
  day: DAY,
  visitor: visitorOf('one'),
  event: null,
  page: '/',
  referrer: null,
  campaign: null,
  browser: 'Chrome',
  operatingSystem: 'Windows',
  device: 'desktop',
  language: 'de-DE',
  screen: '1x1',
  continent: 'EU',
  country: 'DE',
  city: 'Essen, DE',
  source: null,
  medium: null,
  term: null,
  content: null,
  browserVersion: null,
  operatingSystemVersion: null,
  hostname: 'example.com',
  referrerPage: null,
  clickId: null,
  properties: null,
  value: null,
  currency: null,
  ...fields,
});

const seenHits = (hits: Partial<Hit>[]) => hits.map((fields) => withUniqueKeys(hitOf(fields)));

/** As the folder asks: whatever it is told to be new is known from then on. */
function memory(): (sighting: UniqueKey) => boolean {
  const seen = new Set<string>();
  return ({ day, hash }) => seen.size < seen.add(`${day} ${hash}`).size;
}

const counted = (hits: Partial<Hit>[], name: string, isNew = memory()) =>
  [...fold(seenHits(hits), isNew).entries()]
    .filter((entry) => entry.name === name)
    .map(({ value, hits }) => [value, hits]);

it('counts all that the first page view of a visitor tells', () => {
  const entries = [...fold(seenHits([{ referrer: 'a.example', campaign: 'Sale' }]), memory()).entries()];
  expect(entries.map(({ name, day, value, hits }) => [name, day, value, hits]).sort()).toEqual([
    ['browser', DAY, 'Chrome', 1],
    ['campaign', DAY, 'Sale', 1],
    ['city', DAY, 'Essen, DE', 1],
    ['continent', DAY, 'EU', 1],
    ['country', DAY, 'DE', 1],
    ['device', DAY, 'desktop', 1],
    ['language', DAY, 'de-DE', 1],
    ['operating_system', DAY, 'Windows', 1],
    ['page', DAY, '/', 1],
    ['pageview', DAY, TEXT, 1],
    ['referrer', DAY, 'a.example', 1],
    ['screen_resolution', DAY, '1x1', 1],
    ['visitor', DAY, TEXT, 1],
  ]);
});

it('counts an event as one, and who sent it as a visitor', () => {
  const hits = [{ event: 'buy' }, { event: 'buy' }, { event: 'Buy' }];
  expect(counted(hits, 'event')).toEqual([
    ['buy', 2],
    ['Buy', 1],
  ]);
  expect([counted(hits, 'page'), counted(hits, 'pageview')]).toEqual([[], []]);
  expect(counted(hits, 'visitor')).toEqual([[TEXT, 1]]);
});

it('describes a visitor by the first hit', () => {
  expect(
    counted([{ screen: '1x1' }, { screen: '2x2' }, { visitor: visitorOf('two') }], 'screen_resolution'),
  ).toEqual([['1x1', 2]]);
});

it.each<[string, (string | null)[], [string, number][]]>([
  ['none', [null, null], [['(direct)', 1]]],
  [
    'one after none',
    [null, 'a', null],
    [
      ['(direct)', 1],
      ['a', 1],
    ],
  ],
  ['none after one', ['a', null], [['a', 1]]],
  ['the same twice', ['a', 'a'], [['a', 1]]],
  [
    'several',
    ['a', 'b', 'a', 'b'],
    [
      ['a', 1],
      ['b', 1],
    ],
  ],
])('counts a visitor once for each referrer: %s', (_, referrers, expected) => {
  expect(
    counted(
      referrers.map((referrer) => ({ referrer })),
      'referrer',
    ),
  ).toEqual(expected);
});

it('counts a visitor once for each campaign', () => {
  const campaigns = [null, 'a', 'b', 'a', null];
  expect(
    counted(
      campaigns.map((campaign) => ({ campaign })),
      'campaign',
    ),
  ).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

it('tells a referrer from a campaign of the same name', () => {
  const hits = [{ referrer: 'a', campaign: 'a' }];
  expect([counted(hits, 'referrer'), counted(hits, 'campaign')]).toEqual([[['a', 1]], [['a', 1]]]);
});

it('begins anew with each day', () => {
  const hits = [{ referrer: 'a' }, { referrer: 'a', day: DAY + 1 }];
  expect(counted(hits, 'visitor')).toEqual([
    [TEXT, 1],
    ['2026-09-22', 1],
  ]);
  expect(counted(hits, 'referrer')).toEqual([
    ['a', 1],
    ['a', 1],
  ]);
});

it('tells visitors of the same referrer apart', () => {
  const hits = [{ referrer: 'a' }, { referrer: 'a', visitor: visitorOf('two') }, { referrer: 'a' }];
  expect(counted(hits, 'referrer')).toEqual([['a', 2]]);
});

it('asks for nothing that it did not announce', () => {
  const hits = seenHits([{}, { referrer: 'a' }, { campaign: 'b', visitor: visitorOf('two') }]);
  const announced = new Set([...uniqueKeysOf(hits)].map(({ day, hash }) => `${day} ${hash}`));
  fold(hits, ({ day, hash }) => announced.has(`${day} ${hash}`) || fail(hash));
});

function fail(hash: string): never {
  throw new Error(`${hash} was not announced`);
}

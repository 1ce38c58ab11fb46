import { decodeHits, encodeHits, type Hit, UnreadableHits } from './hit';

const hit: Hit = {
  at: 1_790_000_000,
  day: 20_717,
  visitor: 'AAAAAAAAAAAAAAAAAAAAAA',
  event: null,
  page: '/caf%C3%A9?b=1',
  referrer: 'google.com',
  campaign: 'Spring 🌷',
  browser: 'Chrome',
  operatingSystem: 'Windows',
  device: 'desktop',
  language: 'de-DE',
  screen: '1920x1080',
  continent: 'NA',
  country: 'US',
  city: 'Mountain View, California, US',
  source: 'news',
  medium: 'e-mail',
  term: null,
  content: '\u0000',
  browserVersion: '124',
  operatingSystemVersion: null,
  hostname: 'shop.example.com',
  referrerPage: 'google.com/search',
  clickId: 'gclid',
  properties: [
    ['plan', 'team'],
    ['seats', 5],
    ['__proto__', true],
  ],
  value: '499000',
  currency: 'EUR',
  isPassive: true,
};

it.each(['[["/secret', '/secret', '[null]', '"/secret"'])(
  'is not quoted where it cannot be read: %s',
  (text) => {
    const error = (() => {
      try {
        return decodeHits(Buffer.from(text));
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(UnreadableHits);
    expect(String(error)).toBe('UnreadableHits');
  },
);

it('comes back as it was', () => {
  const hits = [hit, { ...hit, event: 'signup ', referrer: null }];
  expect(decodeHits(encodeHits(hits))).toEqual(hits);
  expect(decodeHits(encodeHits([]))).toEqual([]);
});

it('takes no room for what it has not', () => {
  const pageView = { ...hit, clickId: null, properties: null, value: null, currency: null, isPassive: false };
  expect(JSON.parse(encodeHits([pageView]).toString())).toEqual([Object.values(pageView).slice(0, -5)]);
  expect(decodeHits(encodeHits([pageView]))).toEqual([pageView]);
});

it('is read where it was written before its last fields were kept', () => {
  const { hostname, referrerPage, clickId, properties, value, currency, isPassive, ...former } = hit;
  const added = { hostname, referrerPage, clickId, properties, value, currency, isPassive };
  const none = Object.fromEntries(Object.keys(added).map((field) => [field, null]));
  expect(decodeHits(Buffer.from(JSON.stringify([Object.values(former)])))).toEqual([
    { ...former, ...none, isPassive: false },
  ]);
});

it('keeps the order of its fields, in which it stands in tables', () => {
  expect(JSON.parse(encodeHits([hit]).toString())).toEqual([Object.values(hit)]);
});

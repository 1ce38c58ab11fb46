import { decodeHits, encodeHits, type Hit, NO_HIT, UnreadableHits } from './hit';

const hit: Hit = {
  ...NO_HIT,
  at: 1_790_000_000,
  day: 20_717,
  visitor: 'AAAAAAAAAAAAAAAAAAAAAA',
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
  content: '\u0000',
  browserVersion: '124',
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
  expect(JSON.parse(encodeHits([pageView]).toString())).toEqual([valuesUpTo('referrerPage', pageView)]);
  expect(decodeHits(encodeHits([pageView]))).toEqual([pageView]);
});

it('is read where it was written before its last fields were kept', () => {
  const row = valuesUpTo('operatingSystemVersion', hit);
  const { hostname, referrerPage, clickId, properties, value, currency, isPassive } = NO_HIT;
  expect(decodeHits(Buffer.from(JSON.stringify([row])))).toEqual([
    { ...hit, hostname, referrerPage, clickId, properties, value, currency, isPassive },
  ]);
});

it('keeps the order of its fields, in which it stands in tables', () => {
  const order = 'at day visitor event page referrer campaign browser operatingSystem device language screen';
  const further = 'continent country city source medium term content browserVersion operatingSystemVersion';
  const last = 'hostname referrerPage clickId properties value currency isPassive';
  const keys = [order, further, last].join(' ').split(' ');
  expect(Object.keys(NO_HIT).slice(0, keys.length)).toEqual(keys);
  expect(JSON.parse(encodeHits([hit]).toString())).toEqual([valuesUpTo('isPassive', hit)]);
});

function valuesUpTo(last: keyof Hit, own: Hit): unknown[] {
  return Object.values(own).slice(0, Object.keys(own).indexOf(last) + 1);
}

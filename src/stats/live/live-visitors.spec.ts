import type { Hit } from '../../storage/hit';
import { LiveVisitors } from './live-visitors';

const NOW = 1_800_000_030;
const MAX_BYTES = 6 * 1024 * 1024;
const hashOf = (number: number) => {
  const hash = Buffer.alloc(16);
  hash.writeUInt32BE((number * 2_654_435_761) % 2 ** 32);
  hash.writeUInt32BE(number, 8);
  return hash.toString('base64url');
};
const hit = (visitor: number, ago = 0, more: Partial<Hit> = {}) =>
  ({
    visitor: hashOf(visitor),
    at: NOW - ago,
    event: null,
    page: '/',
    referrer: null,
    country: 'DE',
    ...more,
  }) as Hit;
const of = (hits: Hit[], now = NOW) => {
  const visitors = new LiveVisitors(MAX_BYTES);
  visitors.add(hits, now);
  return visitors;
};

it('counts each visitor once in a window and once in a minute, however often hits are read', () => {
  const hits = [
    hit(1, 10),
    hit(1, 400, { page: '/a' }),
    hit(2, 1799),
    hit(2, 1801),
    hit(3, -50),
    hit(4, 1900),
  ];
  const visitors = of([...hits, ...hits]);
  expect(visitors.window(NOW - 300)).toEqual({
    visitors: 2,
    pages: [{ value: '/', count: 2 }],
    referrers: [],
    countries: [{ value: 'DE', count: 2 }],
  });
  expect(visitors.window(NOW - 1800)).toMatchObject({
    visitors: 3,
    pages: [
      { value: '/', count: 3 },
      { value: '/a', count: 1 },
    ],
  });
  const minutes = visitors.perMinute(NOW, 30);
  expect(minutes).toHaveLength(30);
  expect(minutes.at(-1)).toEqual({ minute: Math.floor(NOW / 60), visitors: 2 });
  expect(minutes.reduce((sum, minute) => sum + minute.visitors, 0)).toBe(3);
});

it('tells pages from events, brought referrers, and hits without a visitor', () => {
  const visitors = of([
    hit(1, 0, { event: 'buy', page: '/cart', referrer: 'a.example' }),
    hit(2, 0, { country: '(unknown)', referrer: 'b.example' }),
    hit(2, 0, { country: '(unknown)', referrer: 'a.example' }),
    { ...hit(3), visitor: '' },
  ]);
  expect(visitors.window(NOW - 300)).toEqual({
    visitors: 2,
    pages: [{ value: '/', count: 1 }],
    referrers: [
      { value: 'a.example', count: 2 },
      { value: 'b.example', count: 1 },
    ],
    countries: [
      { value: '(unknown)', count: 1 },
      { value: 'DE', count: 1 },
    ],
  });
});

it('forgets who is gone', () => {
  const visitors = of([hit(1, 1700), hit(2, 10)]);
  visitors.forget(NOW - 100);
  expect(visitors.window(0)).toMatchObject({ visitors: 1, countries: [{ count: 1 }] });
  visitors.forget(NOW + 3600);
  expect([visitors.window(0).visitors, visitors.bytes]).toEqual([0, 0]);
});

it('counts from a part of the visitors where they are too many, in bounded memory', () => {
  const visitors = new LiveVisitors(20_000 * 64);
  for (let from = 0; from < 200_000; from += 1000)
    visitors.add(
      Array.from({ length: 1000 }, (_, index) => hit(from + index, (from + index) % 1000)),
      NOW,
    );
  expect(visitors.isSampled).toBe(true);
  expect(visitors.bytes).toBeLessThanOrEqual(20_000 * 64);
  const { visitors: counted, countries } = visitors.window(NOW - 1800);
  expect(Math.abs(counted / 200_000 - 1)).toBeLessThan(0.1);
  expect(countries).toEqual([{ value: 'DE', count: counted }]);
  visitors.add([hit(1)], NOW);
  expect(visitors.window(NOW - 1800).visitors).toBe(counted);
});

it('lets one visitor fill no memory', () => {
  const visitors = of(Array.from({ length: 5000 }, (_, index) => hit(1, 0, { page: `/${index}` })));
  expect(visitors.isSampled).toBe(false);
  expect(visitors.bytes).toBeLessThan(300 * 350);
  expect(visitors.window(NOW - 300).visitors).toBe(1);
});

it('counts the bytes of long values, all of which visitors make up', () => {
  const long = (index: number) => hit(index, 0, { page: `/${index}${'é'.repeat(1000)}` });
  const visitors = of(Array.from({ length: 10_000 }, (_, index) => long(index)));
  expect(visitors.isSampled).toBe(true);
  expect(visitors.bytes).toBeLessThanOrEqual(MAX_BYTES);
  visitors.forget(NOW + 3600);
  expect(visitors.bytes).toBe(0);
  expect(of([long(1)]).bytes).toBeGreaterThan(2000);
});

it('says when a part of the visitors is not needed any more', () => {
  const visitors = new LiveVisitors(20_000 * 64);
  visitors.add(
    Array.from({ length: 50_000 }, (_, index) => hit(index, 1000)),
    NOW,
  );
  expect([visitors.isSampled, visitors.isSparse]).toEqual([true, false]);
  visitors.forget(NOW - 100);
  expect([visitors.isSampled, visitors.isSparse, visitors.bytes]).toEqual([true, true, 0]);
});

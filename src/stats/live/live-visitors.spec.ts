import fc from 'fast-check';
import type { Hit } from '../../storage/hit';
import { LiveVisitors } from './live-visitors';
import { SeenQueue } from './seen';

const NOW = 1_800_000_030;
const MAX_BYTES = 6 * 1024 * 1024;
const hashOf = (number: number) => {
  const hash = Buffer.alloc(8);
  hash.writeUInt32BE((number * 2_654_435_761) % 2 ** 32);
  hash.writeUInt32BE(number, 4);
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
const at = (maxBytes: number) => {
  const visitors = new LiveVisitors(maxBytes);
  visitors.moveTo(NOW);
  return visitors;
};
const of = (hits: Hit[]) => {
  const visitors = at(MAX_BYTES);
  visitors.add(hits);
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
  expect(visitors.window('short')).toEqual({
    visitors: 2,
    pages: [{ value: '/', count: 2 }],
    referrers: [],
    countries: [{ value: 'DE', count: 2 }],
  });
  expect(visitors.window('long')).toMatchObject({
    visitors: 3,
    pages: [
      { value: '/', count: 3 },
      { value: '/a', count: 1 },
    ],
  });
  const minutes = visitors.perMinute(30);
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
  expect(visitors.window('short')).toEqual({
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
  visitors.moveTo(NOW + 1700);
  expect(visitors.window('long')).toMatchObject({ visitors: 1, countries: [{ count: 1 }] });
  visitors.moveTo(NOW + 5400);
  expect([visitors.window('long').visitors, visitors.bytes]).toEqual([0, 0]);
});

it('counts from a part of the visitors where they are too many, in bounded memory', () => {
  const visitors = at(20_000 * 64);
  for (let from = 0; from < 200_000; from += 1000)
    visitors.add(Array.from({ length: 1000 }, (_, index) => hit(from + index, (from + index) % 1000)));
  expect(visitors.isSampled).toBe(true);
  expect(visitors.bytes).toBeLessThanOrEqual(20_000 * 64);
  const { visitors: counted, countries } = visitors.window('long');
  expect(Math.abs(counted / 200_000 - 1)).toBeLessThan(0.1);
  expect(countries).toEqual([{ value: 'DE', count: counted }]);
  visitors.add([hit(1)]);
  expect(visitors.window('long').visitors).toBe(counted);
});

it('lets one visitor fill no memory', () => {
  const visitors = of(Array.from({ length: 5000 }, (_, index) => hit(1, 0, { page: `/${index}` })));
  expect(visitors.isSampled).toBe(false);
  expect(visitors.bytes).toBeLessThan(300 * 350);
  expect(visitors.window('short').visitors).toBe(1);
});

it('counts the bytes of long values, all of which visitors make up', () => {
  const long = (index: number) => hit(index, 0, { page: `/${index}${'é'.repeat(1000)}` });
  const visitors = of(Array.from({ length: 10_000 }, (_, index) => long(index)));
  expect(visitors.isSampled).toBe(true);
  expect(visitors.bytes).toBeLessThanOrEqual(MAX_BYTES);
  visitors.moveTo(NOW + 5400);
  expect(visitors.bytes).toBe(0);
  expect(of([long(1)]).bytes).toBeGreaterThan(2000);
});

it('says when a part of the visitors is not needed any more', () => {
  const visitors = at(20_000 * 64);
  visitors.add(Array.from({ length: 50_000 }, (_, index) => hit(index, 1000)));
  expect([visitors.isSampled, visitors.isSparse]).toEqual([true, false]);
  visitors.moveTo(NOW + 1700);
  expect([visitors.isSampled, visitors.isSparse, visitors.bytes]).toEqual([true, true, 0]);
});

const someHits = fc.array(
  fc.record({
    visitor: fc.nat(20).map(hashOf),
    ago: fc.oneof(fc.nat(30), fc.nat(2000)),
    event: fc.constantFrom(null, null, 'buy'),
    page: fc.nat(20).map((page) => `/${page}`),
    referrer: fc.constantFrom(null, 'a.example', 'b.example'),
    country: fc.constantFrom('DE', 'FR'),
  }),
  { maxLength: 20 },
);
const WINDOWS = [
  ['short', 300],
  ['long', 1800],
] as const;

it('counts what a count of all hits counts, whatever comes and goes', () => {
  const steps = fc.array(fc.record({ seconds: fc.nat(400), hits: someHits }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (all) => {
      const visitors = new LiveVisitors(MAX_BYTES);
      const seen: Hit[] = [];
      let now = NOW;
      for (const { seconds, hits } of all) {
        visitors.moveTo((now += seconds));
        const come = hits.map(({ ago, ...some }) => ({ ...hit(0), ...some, at: now - ago }));
        visitors.add(come);
        seen.push(...come);
        for (const [name, window] of WINDOWS)
          expect(visitors.window(name)).toEqual(countedOf(seen.filter(({ at }) => at >= now - window)));
        const minutes = visitors.perMinute(29);
        const inMinute = (minute: number) => seen.filter(({ at }) => Math.floor(at / 60) === minute);
        expect(minutes.map((minute) => minute.visitors)).toEqual(
          minutes.map(({ minute }) => countedOf(inMinute(minute)).visitors),
        );
      }
    }),
  );
});

function countedOf(hits: Hit[]) {
  const listed = (valueOf: (hit: Hit) => string | null) => {
    const visitors = new Map<string, Set<string>>();
    for (const one of hits) {
      const value = valueOf(one);
      if (value !== null) visitors.set(value, (visitors.get(value) ?? new Set()).add(one.visitor));
    }
    return [...visitors]
      .map(([value, { size: count }]) => ({ value, count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
      .slice(0, 10);
  };
  return {
    visitors: new Set(hits.map(({ visitor }) => visitor)).size,
    pages: listed(({ page, event }) => (event === null ? page : null)),
    referrers: listed(({ referrer }) => referrer),
    countries: listed(({ country }) => country),
  };
}

it('takes as many steps to look at 60,000 visitors as at 600, while others come and go', () => {
  const [few, many] = [600, 60_000].map(stepsBeside);
  expect(few).toBeGreaterThan(0);
  expect(many).toBe(few);
});

/** Of looks beside so many visitors who stay: what walks through maps pass, and who enters a queue. */
function stepsBeside(visitors: number): number {
  const live = at(Infinity);
  live.add(Array.from({ length: visitors }, (_, index) => hit(index, index % 60)));
  let last = visitors;
  const come = (now: number) => Array.from({ length: 100 }, () => hit(++last, NOW - now));
  const entered = jest.spyOn(SeenQueue.prototype, 'add');
  const passed = stepsOfMaps(() => {
    for (let now = NOW; now < NOW + 20; now++) {
      live.moveTo(now);
      live.add(come(now));
      expect(live.window('short').visitors).toBe(live.window('long').visitors);
    }
  });
  const steps = passed + entered.mock.calls.length;
  entered.mockRestore();
  expect(live.window('long').visitors).toBe(visitors + 20 * 100);
  return steps;
}

function stepsOfMaps(work: () => void): number {
  let steps = 0;
  function* counted<T>(walk: Iterable<T>) {
    for (const one of walk) {
      steps++;
      yield one;
    }
  }
  const original = Object.getOwnPropertyDescriptors(Map.prototype);
  for (const name of ['keys', 'values', Symbol.iterator] as const) {
    const walk = original[name].value as () => Iterable<unknown>;
    Object.defineProperty(Map.prototype, name, {
      ...original[name],
      value(this: Map<unknown, unknown>) {
        return counted(walk.call(this));
      },
    });
  }
  try {
    work();
  } finally {
    Object.defineProperties(Map.prototype, original);
  }
  return steps;
}

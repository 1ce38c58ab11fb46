import { CHOOSABLE_NAMES } from '../../../engine/questions/listed-names';
import { PROPERTY_NAME } from '../../../engine/questions/parse/names';
import { CHROME, FIREFOX, IPHONE } from '../../support/agents';
import { closeDays, timezoneAtNoon, untilCounted } from '../../support/counted';
import { record, send, type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { at } from '../../support/visited-website';

const TIMEZONE = timezoneAtNoon();
const FEW_VISITORS = 10;
const FEW_IN_ROW = 3;
const COUNTED = [
  ...['browser', 'campaign', 'city', 'continent', 'country', 'device', 'event', 'language'],
  ...['operating_system', 'page', 'referrer', 'screen_resolution'],
];
const OWNERS = ['dropped', 'currency', 'event_properties', 'event_property:plan'];
const OF_HITS = CHOOSABLE_NAMES.filter((name) => ![...COUNTED, ...OWNERS, PROPERTY_NAME].includes(name));
const FILES = ['application/json', 'text/csv', 'application/x-ndjson'];

const dayAt = (hours: number) =>
  new Date(at('today', hours)).toLocaleDateString('en-CA', { timeZone: TIMEZONE });
const [QUIET, BUSY, TODAY] = [dayAt(-42), dayAt(-24), dayAt(0)] as [string, string, string];
const DAYS = `from=${QUIET}&to=${TODAY}`;
const SECRET = '/secret/apply-for-ceo';

/** The visitor whose visits an attacker wants to find: in a crowd, and on a day with few visitors. */
const TARGET = {
  ...{ ip: '193.0.6.139', user_agent: IPHONE, language: 'rm', screen: '1234x777' },
  referrer: 'https://kanzlei-muster.li/intern/brief',
};
const SEEN = ['/', SECRET, '/pricing'].map((path, index) => ({ path, hours: -25 + index / 10, ...TARGET }));
const crowd = (visitors: number, hours: number, paths: (index: number) => string[]) =>
  Array.from({ length: visitors }, (_, index) =>
    paths(index).map((path, seen) => ({
      ...{ path, hours: hours + seen / 100, ip: `203.0.113.${index}` },
      user_agent: index % 5 === 0 ? FIREFOX : CHROME,
      ...(index % 4 === 0 && { referrer: `https://site${index % 8}.example/${index % 3}` }),
      ...(index % 6 === 0 && { event: { name: `event ${index % 12}`, props: { plan: 'a' } } }),
    })),
  ).flat();

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE, TRUST_PROXY: '1' });
  site = await website(service.api, { privacy: 0 });
  await sendAll([
    ...crowd(5, -42, () => ['/', '/pricing?utm_campaign=few&utm_source=few']),
    ...crowd(40, -25, (index) => [
      `/?utm_campaign=c${index % 7}&utm_source=s`,
      `/page/${index % 17}`,
      '/!first',
    ]),
    ...SEEN,
    ...crowd(15, -2, () => ['/', '/pricing']),
    ...SEEN.map((seen) => ({ ...seen, hours: -1 })),
  ]);
  await closeDays(service.counting, site.id);
});
afterAll(() => service.stop());

async function sendAll(seen: { path: string; hours: number; ip: string }[]): Promise<void> {
  const events = seen.map(({ path, hours, ...event }) => ({
    ...{ url: `https://${site.domain}${path}`, occurred_at: at('today', hours) },
    ...event,
  }));
  await record(service.api, site, events);
  await untilCounted(service.api, site.id);
}

const nobody = () => service.api.as(undefined);
const shared = (rest: string, headers = {}) => nobody().get(`/share/${site.domain}/api/${rest}`, { headers });
const query = (json: object, headers = {}) =>
  nobody().post(`/share/${site.domain}/api/query`, { json, headers });
const own = async (rest: string) => (await service.api.get(`/api/v1/stats/${site.id}${rest}`)).body;
const setFilters = (share_filters: unknown) =>
  service.api.patch(`${WEBSITES}/${site.id}`, { json: { share_filters } });
const fieldsOf = ({ status, body }: { status: number; body: any }) => [
  status,
  Object.keys(body.errors ?? {}),
];
const hitQuery = { metrics: ['visitors', 'visits', 'seconds'], range: [BUSY, BUSY] };
const DID = ['has_done', ['is', 'page', [SECRET]]];

describe('who looks for one visitor', () => {
  it('finds none by a page that nobody else saw, with further dimensions', async () => {
    for (const filters of [[DID], [['is', 'page', [SECRET]]], [['is', 'city', ['x']]]])
      expect(fieldsOf(await query({ ...hitQuery, filters }))).toEqual([422, ['filters']]);
    for (const dimensions of [
      ['country', 'language'],
      ['entry_page', 'exit_page', 'page'],
      ['city'],
      ['day', 'week'],
    ])
      expect(fieldsOf(await query({ ...hitQuery, dimensions }))).toEqual([422, ['dimensions']]);
    const filter = encodeURIComponent(`page==${SECRET};referrer_page==kanzlei-muster.li/intern/brief`);
    for (const Accept of FILES)
      for (const name of ['city', 'entry_page', 'visitor']) {
        const requested = await shared(`stats?name=${name}&${DAYS}&filter=${filter}`, { Accept });
        expect(requested.status).toBe(422);
        expect(requested.text).toContain('shared without filters');
      }
    expect(fieldsOf(await shared(`summary?names=city,visitor&${DAYS}&filter=${filter}`))).toEqual([
      422,
      ['filter'],
    ]);
    expect(fieldsOf(await shared('values?name=page&search=secret'))).toEqual([422, ['name']]);
  });

  it('finds none by several conditions on one name', async () => {
    const filters = SEEN.map(({ path }) => ['has_done', ['is', 'page', [path]]]);
    expect(fieldsOf(await query({ queries: [hitQuery, { ...hitQuery, filters }] }))).toEqual([
      422,
      ['queries.1.filters'],
    ]);
  });

  it.each([
    ['page', SECRET, '/secret/apply-for-cfo'],
    ['language', 'rm', 'zz'],
    ['screen_resolution', '1234x777', '1234x778'],
    ['referrer', 'kanzlei-muster.li', 'kanzlei-meister.li'],
    ['referrer_page', 'kanzlei-muster.li/intern/brief', 'kanzlei-muster.li/intern/post'],
    ['operating_system', 'iOS', 'XOS'],
  ])(
    'cannot take a query with the condition on its %s from the same one without it',
    async (name, own, none) => {
      const [ofVisitor, ofNobody] = [await conditioned(name, own), await conditioned(name, none)];
      expect(ofVisitor).toEqual(ofNobody);
      for (const { status, data } of ofVisitor) if (status === 200) expect(data).toEqual([]);
      expect(new Set(ofVisitor.map(({ status }) => status))).toEqual(new Set([200, 422]));
    },
  );

  /** The answers to queries with a condition, reduced to the parts that the condition could change. */
  async function conditioned(name: string, value: string) {
    const conditions = ['is', 'is_not', 'contains', 'contains_not'].flatMap((operator) => {
      const condition = [operator, name, [value]];
      return [condition, ['not', condition], ['has_done', condition], ['has_not_done', condition]];
    });
    const filters = ['==', '!=', '=@', '!@'].map(
      (sign) => `filter=${encodeURIComponent(name + sign + value)}`,
    );
    const search = `name=${name}&search=${encodeURIComponent(value)}`;
    const requested = [
      ...conditions.map((one) => () => query({ ...hitQuery, filters: [one] })),
      ...filters.map((filter) => () => shared(`stats?name=browser&${DAYS}&${filter}`)),
      ...filters.map((filter) => () => shared(`summary?names=browser&${DAYS}&${filter}`)),
      () => shared(`values?${search}`),
      () => shared(`stats?${search}&${DAYS}`),
    ];
    const answers = [];
    // A viewer has one query at a time.
    for (const ask of requested) answers.push(await ask());
    return answers.map(({ status, body: { code, errors, data, meta } }) => {
      const { sum, total } = (meta ?? {}) as Record<string, unknown>;
      return { status, code, errors, data, sum, total };
    });
  }

  it('has no row of its own in the difference of any two ranges', async () => {
    const ranges = [QUIET, BUSY, TODAY].flatMap((from, index, days) =>
      days.slice(index).map((to) => `from=${from}&to=${to}`),
    );
    const [alone, differing] = [[] as string[], [] as string[]];
    for (const name of [...COUNTED, ...OF_HITS]) {
      const rows = async (filter: string) =>
        valuesOf((await own(`?name=${name}&${DAYS}&per_page=100&filter=${filter}`)).data);
      const others = await rows('language!=rm');
      const itsOwn = [...(await rows('language==rm')).keys()].filter((value) => !others.has(value));
      alone.push(...itsOwn);
      const seen: Map<string, number>[] = [];
      for (const range of ranges) {
        const { data } = (await shared(`stats?name=${name}&${range}&per_page=100&compare=previous`)).body;
        seen.push(valuesOf(data), valuesOf(data, 'previous_count'));
      }
      const differences = seen.flatMap((one) => seen.map((other) => difference(one, other)));
      if (differences.some(({ size }) => size > 0)) differing.push(name);
      for (const value of itsOwn)
        expect([name, value, differences.some((rows) => rows.has(value))]).toEqual([name, value, false]);
    }
    expect(differing).toEqual(expect.arrayContaining(['browser', 'page', 'channel']));
    expect(alone).toEqual(expect.arrayContaining([SECRET, 'rm', '1234x777', 'kanzlei-muster.li', 'iOS']));
  });

  const valuesOf = (entries: Entry[], count: 'count' | 'previous_count' = 'count') =>
    new Map(entries.map((entry) => [entry.value, entry[count] ?? 0]));
  function difference(one: Map<string, number>, other: Map<string, number>): Map<string, number> {
    const values = new Set([...one.keys(), ...other.keys()]);
    const left = [...values].map(
      (value) => [value, (one.get(value) ?? 0) - (other.get(value) ?? 0)] as const,
    );
    return new Map(left.filter(([, count]) => count !== 0));
  }

  it('finds no hours, whoever else is made up beside that visitor', async () => {
    for (let index = 0; index < 10; index++)
      await send(
        service.api,
        { url: `https://${site.domain}${SECRET}` },
        { 'User-Agent': `${CHROME} ${index}` },
      );
    await untilCounted(service.api, site.id);
    for (const dimension of ['hour', 'hour_of_day'])
      expect(fieldsOf(await query({ ...hitQuery, dimensions: [dimension] }))).toEqual([422, ['dimensions']]);
    for (const range of ['today', [TODAY, TODAY], [at('today', -2), at('today', 0)]])
      expect(fieldsOf(await query({ ...hitQuery, range }))).toEqual([422, ['range']]);
    for (const name of [...COUNTED, ...OF_HITS]) {
      const { body } = await shared(`stats?name=${name}&from=${TODAY}&to=${TODAY}`);
      expect([name, body.data, body.meta.sum]).toEqual([name, [], 0]);
      expect(body.meta.warnings).toContainEqual(expect.objectContaining({ code: 'today_left_out' }));
    }
  });

  it('finds none by what is left of all without the others', async () => {
    for (const filters of [[['has_not_done', DID[1]]], [['is_not', 'page', [SECRET]]], [['not', DID]]])
      expect(fieldsOf(await query({ ...hitQuery, filters }))).toEqual([422, ['filters']]);
    const filter = `filter=${encodeURIComponent(`page!=${SECRET}`)}`;
    expect(fieldsOf(await shared(`stats?name=language&${DAYS}&${filter}`))).toEqual([422, ['filter']]);
  });

  it('sees nothing change with a hit, however often all of it is asked', async () => {
    const routes = [
      ...[...COUNTED, ...OF_HITS].map((name) => `stats?name=${name}&${DAYS}&compare=previous`),
      `stats?name=visitor&${DAYS}`,
      `stats?name=pageview&from=${QUIET}&to=9999-12-31&sort_by=value`,
      `summary?names=visitor,page,language,channel&${DAYS}&fill=1&compare=previous`,
    ];
    const look = async () => {
      const seen: string[] = [];
      for (const route of routes) {
        const { headers, text } = await shared(route);
        seen.push(route, headers.get('ETag')!, text);
      }
      const series = await query({ ...hitQuery, dimensions: ['day'], range: '7d', compare: 'previous' });
      const live = await shared('live');
      return [...seen, series.text, live.text];
    };
    const before = await look();
    await sendAll([{ ...SEEN[1]!, ...TARGET, hours: 0, ip: '193.0.6.140' }]);
    expect(await look()).toEqual(before);
    for (const route of routes) {
      const tag = before[before.indexOf(route) + 1]!;
      expect([route, (await shared(route, { 'If-None-Match': tag })).status]).toEqual([route, 304]);
    }
    expect(before.at(-1)).not.toContain('minutes":[');
  });

  it('sees no moment', async () => {
    const startOfToday = Date.parse(`${TODAY}T00:00:00Z`) - (Date.parse(`${TODAY}T12:00:00Z`) - noon());
    const answers = [
      await shared(`stats?name=page&${DAYS}`),
      await shared(`stats?name=visitor&${DAYS}`),
      await shared(`summary?names=entry_page&${DAYS}`),
      await shared('live'),
      await query(hitQuery),
    ];
    for (const { body } of answers) expect(Date.parse(body.meta.as_of)).toBeLessThanOrEqual(startOfToday);
  });

  /** Noon of today in the service's time zone. */
  const noon = () => {
    const ahead = 12 - new Date().getUTCHours();
    return Date.parse(`${TODAY}T12:00:00Z`) - ahead * 3_600_000;
  };

  it('is not told what is the owner’s, in any route', async () => {
    for (const name of OWNERS) {
      expect(fieldsOf(await shared(`stats?name=${name}&${DAYS}`))).toEqual([422, ['name']]);
      expect(fieldsOf(await shared(`summary?names=page,${name}&${DAYS}`))).toEqual([422, ['names']]);
    }
    expect(fieldsOf(await query({ ...hitQuery, metrics: ['value'] }))).toEqual([422, ['metrics']]);
    expect((await shared(`hits?${DAYS}`)).status).toBe(404);
  });
});

type Entry = { value: string; count: number; previous_count?: number };

/** The numbers that the rule leaves of the owner's numbers of each day. */
async function ruled(name: string, days: string[]): Promise<{ rows: Map<string, number>; sum: number }> {
  const rows = new Map<string, number>();
  let sum = 0;
  for (const day of days) {
    const range = `from=${day}&to=${day}`;
    const { meta } = await own(`?name=visitor&${range}`);
    const { data } = await own(`?name=${name}&${range}&per_page=100`);
    for (const { value, count } of data as Entry[]) {
      sum += count;
      if (meta.sum >= FEW_VISITORS) rows.set(value, (rows.get(value) ?? 0) + count);
    }
  }
  let other = sum;
  for (const [value, count] of rows)
    if (count < FEW_IN_ROW) rows.delete(value);
    else other -= count;
  if (other > 0) rows.set('(other)', other);
  return { rows, sum };
}

function ordered(rows: Map<string, number>, by: string, direction: string): [string, number][] {
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return [...rows].sort(([one, count], [other, otherCount]) =>
    by === 'value' ? sign * compare(one, other) : sign * (count - otherCount) || compare(one, other),
  );
}

describe.each([...COUNTED, ...OF_HITS])('%s', (name) => {
  it('has rows of three and more in whole blocks, and (other), in every order', async () => {
    const { rows, sum } = await ruled(name, [QUIET, BUSY]);
    for (const by of ['count', 'value'])
      for (const direction of ['asc', 'desc']) {
        const path = `stats?name=${name}&${DAYS}&sort_by=${by}&sort=${direction}`;
        const { body } = await shared(`${path}&per_page=100`);
        const shown = body.data.map(({ value, count }: Entry) => [value, count]);
        expect([by, direction, shown]).toEqual([by, direction, ordered(rows, by, direction)]);
        expect([body.meta.total, body.meta.sum]).toEqual([rows.size, sum]);
        const second = await shared(`${path}&per_page=10&page=2`);
        expect(second.body.data).toEqual(body.data.slice(10, 20));
        const file = await shared(`${path}&per_page=100`, { Accept: 'application/x-ndjson' });
        expect(
          file.text
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        ).toEqual(body.data);
      }
  });

  it('shows no value in a search that the list does not have', async () => {
    const { rows } = await ruled(name, [QUIET, BUSY]);
    const { data } = await own(`?name=${name}&${DAYS}&per_page=100`);
    for (const { value } of data as Entry[]) {
      const search = encodeURIComponent(value);
      const { body } = await shared(`stats?name=${name}&${DAYS}&search=${search}`);
      const isListed = rows.has(value);
      expect([value, body.data.some((one: Entry) => one.value === value)]).toEqual([value, isListed]);
      const sum = body.data.reduce((total: number, { count }: Entry) => total + count, 0);
      if (body.meta.total <= 10) expect(body.meta.sum).toBe(sum);
    }
  });

  it('has the range before by the same rule', async () => {
    const before = await ruled(name, [QUIET]);
    const { body } = await shared(`stats?name=${name}&from=${BUSY}&to=${BUSY}&compare=previous&per_page=100`);
    expect(body.meta.previous_sum).toBe(before.sum);
    for (const { value, previous_count } of body.data as Entry[])
      expect([value, previous_count]).toEqual([value, before.rows.get(value) ?? 0]);
    const reversed = await ruled(name, [BUSY]);
    const [from, to] = [dayAt(0), dayAt(24)];
    const later = await shared(`stats?name=${name}&from=${from}&to=${to}&compare=previous`);
    expect([later.body.data, later.body.meta.previous_sum]).toEqual([[], before.sum + reversed.sum]);
  });
});

it('has days that are over exactly, and today rounded down to tens', async () => {
  const [visitors, views] = [await own(`?name=visitor&${DAYS}`), await own(`?name=pageview&${DAYS}`)];
  for (const [name, owned] of [
    ['visitor', visitors],
    ['pageview', views],
  ] as const) {
    const { body } = await shared(`stats?name=${name}&${DAYS}&sort_by=value&sort=asc&compare=previous`);
    const exact = new Map<string, number>(owned.data.map(({ value, count }: Entry) => [value, count]));
    const today = exact.get(TODAY)!;
    expect(today % 10).not.toBe(0);
    const expected = [exact.get(QUIET), exact.get(BUSY), today - (today % 10)];
    expect(body.data.map(({ value }: Entry) => value)).toEqual([QUIET, BUSY, TODAY]);
    expect(body.data.map(({ count }: Entry) => count)).toEqual(expected);
    expect(body.meta.sum).toBe(expected.reduce((sum, count) => sum! + count!, 0));
    const summary = await shared(`summary?names=${name}&${DAYS}`);
    expect(summary.body.data[0].entries.map(({ count }: Entry) => count)).toEqual(expected);
    const searched = await shared(`stats?name=${name}&${DAYS}&search=${TODAY}`);
    expect(searched.body.data).toMatchObject([{ value: TODAY, count: today - (today % 10) }]);
  }
});

it('has figures by day, those of visits in whole blocks', async () => {
  const metrics = ['visitors', 'pageviews', 'events', 'visits', 'bounce_rate', 'visit_duration'];
  const requested = { metrics, dimensions: ['day'], range: [QUIET, TODAY] };
  const owned = await service.api.post(`/api/v1/stats/${site.id}/query`, { json: requested });
  const [quiet, busy] = owned.body.data;
  const hidden = {
    events: null,
    visits: null,
    bounce_rate: null,
    visit_duration: null,
    bounces: null,
    seconds: null,
  };
  const { body } = await query(requested);
  expect(body.data).toEqual([{ ...quiet, ...hidden }, busy]);
  expect(body.meta.range).toEqual({ from: QUIET, to: BUSY });
  expect(body.meta.warnings.map(({ code }: { code: string }) => code)).toEqual(['quiet_days_left_out']);
  const whole = await query({ ...requested, dimensions: [] });
  expect(whole.body.data[0]).toMatchObject({ ...hidden, visitors: quiet.visitors + busy.visitors });
  expect(whole.body.meta.detailed_range).toEqual({ from: BUSY, to: BUSY });
  const compared = await query({ ...requested, range: [BUSY, BUSY], compare: 'previous' });
  expect(compared.body.data[0]).toEqual({ ...busy, previous: { ...quiet, ...hidden, day: undefined } });
  const latest = { ...requested, fill: false, order_by: [['day', 'desc']], range: 'all' };
  expect((await query({ ...latest, per_page: 1, page: 2 })).body.data).toEqual([{ ...quiet, ...hidden }]);
  expect(fieldsOf(await query({ ...requested, order_by: [['visits', 'desc']] }))).toEqual([
    422,
    ['order_by'],
  ]);
  expect(fieldsOf(await query({ ...requested, search: '2' }))).toEqual([422, ['search']]);
  const decades = { ...requested, range: ['1970-01-01', BUSY] };
  expect(fieldsOf(await query(decades))).toEqual([422, ['range']]);
  expect((await query({ ...decades, dimensions: ['month'] })).status).toBe(200);
});

describe('share_filters', () => {
  afterAll(() => setFilters(0));

  it('is 0 or 1, and holds at the next request', async () => {
    for (const wrong of [2, -1, '01', 'yes', null, '', 1.5])
      expect(fieldsOf(await setFilters(wrong))).toEqual([422, ['share_filters']]);
    const filter = encodeURIComponent(`page==${SECRET}`);
    const path = `stats?name=language&${DAYS}&filter=${filter}`;
    const list = `stats?name=page&${DAYS}`;
    const tag = (await shared(list)).headers.get('ETag')!;
    expect((await setFilters(true)).body.data.share_filters).toBe(1);
    expect((await shared(path)).body.data).toEqual(
      (await own(`?name=language&${DAYS}&filter=${filter}`)).data,
    );
    const open = await shared(list, { 'If-None-Match': tag });
    expect([open.status, open.body.data]).toEqual([200, (await own(`?name=page&${DAYS}`)).data]);
    expect((await setFilters(false)).body.data.share_filters).toBe(0);
    expect((await shared(path)).status).toBe(422);
    const closed = await shared(list, { 'If-None-Match': open.headers.get('ETag')! });
    expect([closed.status, closed.text.includes(SECRET)]).toEqual([200, false]);
  });

  it('leaves hours, moments and what is the owner’s to the owner', async () => {
    await setFilters(1);
    const requested = { ...hitQuery, filters: [DID], dimensions: ['country', 'language'] };
    const { body } = await service.api.post(`/api/v1/stats/${site.id}/query`, { json: requested });
    expect((await query(requested)).body.data).toEqual(body.data);
    expect((await shared('values?name=page&search=secret')).body.data).toMatchObject([{ value: SECRET }]);
    expect((await shared('live')).body.data.minutes).toHaveLength(30);
    for (const dimension of ['hour', 'hour_of_day', 'currency', 'event_property:plan'])
      expect(fieldsOf(await query({ ...requested, dimensions: [dimension] }))).toEqual([422, ['dimensions']]);
    for (const filters of [[['is', 'hour_of_day', ['9']]], [['has_done', ['is', 'currency', ['EUR']]]]])
      expect(fieldsOf(await query({ ...requested, filters }))).toEqual([422, ['filters']]);
    expect(fieldsOf(await query({ ...requested, range: [at('today', -2), at('today', 0)] }))).toEqual([
      422,
      ['range'],
    ]);
    expect(fieldsOf(await query({ ...requested, metrics: ['value'] }))).toEqual([422, ['metrics']]);
    const many = Array.from({ length: 21 }, () => DID);
    expect(fieldsOf(await query({ ...requested, filters: [['or', many]] }))).toEqual([422, ['filters']]);
    for (const name of OWNERS) {
      expect(fieldsOf(await shared(`stats?name=${name}&${DAYS}`))).toEqual([422, ['name']]);
      expect(fieldsOf(await shared(`values?name=${name}`))).toEqual([422, ['name']]);
    }
  });
});

import { dayIn } from '../support/counting-model';
import { timezoneAtNoon } from '../support/counted';
import { type Site, website } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { at, sendVisits, visitedWebsite } from '../support/visited-website';
import { goal, listOf, savedFilter, stored } from '../support/website-resources';

const TIMEZONE = timezoneAtNoon();
const YESTERDAY = dayIn(TIMEZONE, Date.now() - 24 * 3_600_000);
const TODAY = dayIn(TIMEZONE, Date.now());
const RANGE = { from: YESTERDAY, to: TODAY };

const SIGNUP = [['is', 'event', ['signup']]];
const READING = [['starts', 'page', ['/docs']]];
const AMERICANS = [['is', 'country', ['US']]];

let service: TestApp;
let site: Site;
const api = () => service.api;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await visitedWebsite(api());
  await goal(api(), site.id, 'Signup', SIGNUP);
  await goal(api(), site.id, 'Reading; 100%', READING);
  await savedFilter(api(), site.id, 'Americans', AMERICANS);
  await savedFilter(api(), site.id, 'Active', [
    ['saved', 'Americans'],
    ['has_done', ['is', 'goal', ['Signup']]],
  ]);
});
afterAll(() => service.stop());

const statsPath = (parameters: object, part = '', { id } = site) =>
  `/api/v1/stats/${id}${part}?${new URLSearchParams({ ...RANGE, ...parameters }).toString()}`;
const show = (parameters: object, of = site) => api().get(statsPath(parameters, '', of));
const ask = (filters: unknown[], more = {}, { id } = site) =>
  api().post(`/api/v1/stats/${id}/query`, {
    json: {
      metrics: ['pageviews', 'events'],
      dimensions: ['page'],
      filters,
      range: [YESTERDAY, TODAY],
      ...more,
    },
  });
const rowsOf = async (filters: unknown[], of = site) => {
  const { status, body } = await ask(filters, {}, of);
  expect([status, filters]).toEqual([200, filters]);
  return body.data;
};
const dataOf = async (parameters: object, of = site) => (await show(parameters, of)).body.data;

it.each([
  ['goals', 'goals', 'filters'],
  ['saved-filters', 'saved filters', 'filters'],
  ['funnels', 'funnels', 'steps'],
])('has %s of 256 KiB at most, all together', async (path, kind, field) => {
  const { id } = await website(api());
  const list = listOf(id, path);
  const long = (bytes: number) => {
    const filters = [['is', 'page', ['x'.repeat(bytes)]]];
    return {
      [field]: field === 'filters' ? filters : [filters, SIGNUP].map((own) => ({ name: null, filters: own })),
    };
  };
  const names = Array.from({ length: 16 }, (_, index) => `long ${index}`);
  for (const name of names) await stored(api(), id, path, { name, ...long(16_000) });
  const tooLong = { [field]: [`make all ${kind} of the website longer than 262,144 bytes as JSON`] };
  const { status, body } = await api().post(list, { json: { name: 'one more', ...long(16_000) } });
  expect([status, body.errors]).toEqual([422, tooLong]);
  const { data, meta } = (await api().get(list)).body;
  expect(meta.total).toBe(16);
  const sizeOf = (fields: Record<string, unknown>) => JSON.stringify(fields[field]).length;
  const room = 262_144 - 16 * sizeOf(long(16_000)) - sizeOf(long(0));
  await stored(api(), id, path, { name: 'small', ...long(room) });
  const change = async (json: object) => (await api().patch(`${list}/${data[0].id}`, { json })).body.errors;
  expect(await change(long(16_001))).toEqual(tooLong);
  expect(await change({ name: 'shorter', ...long(15_999) })).toBe(undefined);
});

describe('a filter by name selects what the filters behind it select', () => {
  it.each<[unknown[], unknown[]]>([
    [[['is', 'goal', ['Signup']]], SIGNUP],
    [[['is_not', 'goal', ['Signup']]], [['not', ['and', SIGNUP]]]],
    [[['contains', 'goal', ['READ', 'nothing']]], READING],
    [[['starts', 'goal', ['nothing']]], [['or', []]]],
    [[['is', 'goal', [null]]], [['not', ['or', [...SIGNUP, ...READING]]]]],
    [[['is_not', 'goal', [null]]], [['or', [...SIGNUP, ...READING]]]],
    [[['has_done', ['is', 'goal', ['Signup']]]], [['has_done', SIGNUP[0]]]],
    [[['saved', 'Americans']], AMERICANS],
    [[['not', ['saved', 'Americans']]], [['not', AMERICANS[0]]]],
    [[['saved', 'Active']], [...AMERICANS, ['has_done', SIGNUP[0]]]],
  ])('%j', async (named, written) => {
    expect(await rowsOf(named)).toEqual(await rowsOf(written));
    expect((await ask(named)).body.meta.filters).toEqual(named);
  });

  it.each([
    ['goal==Signup', 'event==signup'],
    ['goal!=Signup', 'event!=signup'],
    ['goal=@signUP', 'event==signup'],
    ['goal==Reading%3B 100%25', 'page=^/docs'],
    ['saved==Americans', 'country==US'],
    ['saved!=Americans;page==/', 'country!=US;page==/'],
    ['saved==Americans,goal==Signup', 'country==US,event==signup'],
  ])('%s', async (named, written) => {
    for (const name of ['page', 'country', 'visitor', 'channel', 'entry_page'])
      expect(await dataOf({ name, filter: named })).toEqual(await dataOf({ name, filter: written }));
    const { body } = await api().get(statsPath({ names: 'page,pageview', filter: named }, '/summary'));
    const other = await api().get(statsPath({ names: 'page,pageview', filter: written }, '/summary'));
    expect(body.data).toEqual(other.body.data);
    const hits = (filter: string) =>
      api().get(statsPath({ filter }, '/hits'), { headers: { Accept: '*/*' } });
    expect((await hits(named)).text).toBe((await hits(written)).text);
    const csv = (filter: string) =>
      api().get(statsPath({ name: 'page', filter }), { headers: { Accept: 'text/csv' } });
    expect((await csv(named)).text).toBe((await csv(written)).text);
  });

  it('shows a filter as it was sent', async () => {
    const { meta } = (await show({ name: 'page', filter: 'saved!=Americans;goal==Signup' })).body;
    expect(meta.filters).toEqual([
      ['not', ['saved', 'Americans']],
      ['is', 'goal', ['Signup']],
    ]);
  });

  it('counts a goal that is changed anew, and none that is deleted', async () => {
    const own = await visitedWebsite(api());
    const { id } = await goal(api(), own.id, 'Seen', [['is', 'page', ['/pricing']]]);
    const seen = () => dataOf({ name: 'page', filter: 'goal==Seen' }, own);
    expect(await seen()).toEqual([{ value: '/pricing', label: '/pricing', count: 1 }]);
    await api().patch(`${listOf(own.id, 'goals')}/${id}`, { json: { filters: [['is', 'page', ['/Docs']]] } });
    expect(await seen()).toEqual([{ value: '/Docs', label: '/Docs', count: 1 }]);
    await api().delete(`${listOf(own.id, 'goals')}/${id}`);
    expect((await show({ name: 'page', filter: 'goal==Seen' }, own)).body.errors).toEqual({
      filter: ['has no goal "Seen"'],
    });
  });
});

describe('a filter that cannot be', () => {
  it.each<[unknown[], object]>([
    [[['is', 'goal', ['Signup', 'signup']]], { 'filters.0.2.1': ['has no goal "signup"'] }],
    [[['and', [['not', ['saved', 'x']]]]], { 'filters.0.1.0.1.1': ['has no saved filter "x"'] }],
    [[['saved', '']], { 'filters.0.1': ['must be the name of a saved filter'] }],
    [[['saved', ['Americans']]], { 'filters.0.1': ['must be the name of a saved filter'] }],
    [[['saved', 'Americans', 'Active']], { 'filters.0': ['must be ["saved", …] with one operand'] }],
    [[['contains', 'goal', [null]]], { 'filters.0.2.0': ['must be a text that is not empty'] }],
  ])('%j is refused at its place', async (filters, errors) => {
    expect((await ask(filters)).body.errors).toEqual(errors);
    const of = ([place, problem]: [string, unknown]) => [`queries.1.${place}`, problem];
    const queries = [[], filters].map((own) => ({ metrics: ['events'], range: '7d', filters: own }));
    const { body } = await api().post(`/api/v1/stats/${site.id}/query`, { json: { queries } });
    expect(body.errors).toEqual(Object.fromEntries(Object.entries(errors).map(of)));
  });

  it.each([
    ['goal==signup', 'has no goal "signup"'],
    ['saved==x', 'has no saved filter "x"'],
    ['saved=@x', 'has "saved=@"; saved can only be followed by == or !='],
    ['saved==', 'needs the name of a saved filter behind "saved=="'],
  ])('%s is refused everywhere', async (filter, problem) => {
    const errors = { filter: [problem] };
    expect((await show({ name: 'page', filter })).body.errors).toEqual(errors);
    expect((await api().get(statsPath({ names: 'page', filter }, '/summary'))).body.errors).toEqual(errors);
    const hits = await api().get(statsPath({ filter }, '/hits'), { headers: { Accept: '*/*' } });
    expect(JSON.parse(hits.text).errors).toEqual(errors);
  });

  it('tells nobody else which names there are', async () => {
    const other = await service.anotherUser();
    const filters = [['is', 'goal', ['Signup']]];
    const query = await other.post(`/api/v1/stats/${site.id}/query`, {
      json: { metrics: ['events'], filters, range: '7d' },
    });
    const shown = ['Signup', 'unknown'].map((name) =>
      other.get(statsPath({ name: 'page', filter: `goal==${name}` })),
    );
    for (const { status, body } of [query, ...(await Promise.all(shown))])
      expect([status, body.detail]).toEqual([404, 'Website not found.']);
  });
});

describe('tags', () => {
  it('are other ones once a goal or a saved filter in a filter is another', async () => {
    const own = await visitedWebsite(api());
    const list = (path: string) => listOf(own.id, path);
    const { id } = await goal(api(), own.id, 'Seen', [['is', 'page', ['/']]]);
    const saved = await savedFilter(api(), own.id, 'Those', [['is', 'goal', ['Seen']]]);
    const read = (filter: string, headers = {}, part = '') => {
      const path = statsPath({ [part ? 'names' : 'name']: 'page', filter }, part, own);
      return api().get(path, { headers });
    };
    const files = [
      (headers = {}) => read('saved==Those', { Accept: 'text/csv', ...headers }),
      (headers = {}) =>
        api().get(statsPath({ filter: 'saved==Those' }, '/hits', own), {
          headers: { Accept: '*/*', ...headers },
        }),
    ];
    const reads = [
      (headers = {}) => read('saved==Those', headers),
      (headers = {}) => read('goal==Seen', headers),
      (headers = {}) => read('saved==Those', headers, '/summary'),
      ...files,
    ];
    for (const one of reads) {
      const before = await one();
      const known = { 'If-None-Match': before.headers.get('ETag')! };
      expect((await one(known)).status).toBe(304);
      await api().patch(`${list('goals')}/${id}`, { json: { filters: [['is', 'page', ['/Docs']]] } });
      const after = await one(known);
      expect(after.status).toBe(200);
      expect(after.text).not.toBe(before.text);
      await api().patch(`${list('goals')}/${id}`, { json: { filters: [['is', 'page', ['/']]] } });
      expect((await one(known)).status).toBe(304);
    }
    const known = { 'If-None-Match': (await reads[0]!()).headers.get('ETag')! };
    await api().patch(`${list('saved-filters')}/${saved.id}`, { json: { filters: AMERICANS } });
    expect((await reads[0]!(known)).status).toBe(200);
  });
});

describe('a goal', () => {
  let id: number;
  beforeAll(async () => void ({ id } = await website(api())));
  const store = (json: object) =>
    api().post(listOf(id, 'goals'), { json: { name: `goal ${Math.random()}`, filters: SIGNUP, ...json } });

  it.each<[unknown, string]>([
    [49.9, '49.9'],
    ['49.90', '49.9'],
    ['-0.0001', '-0.0001'],
    ['0', '0'],
    ['99999999999.9999', '99999999999.9999'],
  ])('is worth %j', async (value, shown) => {
    const { body } = await store({ value, currency: 'EUR' });
    expect(body.data).toMatchObject({ value: shown, currency: 'EUR' });
    expect((await api().get(`${listOf(id, 'goals')}/${body.data.id}`)).body.data).toEqual(body.data);
  });

  it('has a number of any notation that JSON has', async () => {
    const body = `{"name": "49.90", "filters": [["is", "event", ["signup"]]], "value": 49.90, "currency": "EUR"}`;
    const sent = await api().post(listOf(id, 'goals'), { body, type: 'application/json' });
    expect(sent.body.data).toMatchObject({ value: '49.9', currency: 'EUR' });
  });

  it.each<[object, string]>([
    [{ value: '1e5', currency: 'EUR' }, 'value'],
    [{ value: '1.23456', currency: 'EUR' }, 'value'],
    [{ value: '1234567890123456', currency: 'EUR' }, 'value'],
    [{ value: true, currency: 'EUR' }, 'value'],
    [{ value: [1], currency: 'EUR' }, 'value'],
    [{ value: 1, currency: 'eur' }, 'currency'],
    [{ value: 1, currency: 'XYZ' }, 'currency'],
    [{ value: 1 }, 'value'],
    [{ currency: 'EUR' }, 'currency'],
  ])('is not worth %j', async (json, field) => {
    const { status, body } = await store(json);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('keeps its value, loses it with its currency, and has none at first', async () => {
    const { data } = (await store({})).body;
    expect(data).toMatchObject({ value: null, currency: null });
    const one = `${listOf(id, 'goals')}/${data.id}`;
    const patch = async (json: object) => (await api().patch(one, { json })).body;
    expect((await patch({ value: '5', currency: 'USD' })).data).toMatchObject({
      value: '5',
      currency: 'USD',
    });
    expect((await patch({ value: '6' })).data).toMatchObject({ value: '6', currency: 'USD' });
    expect((await patch({ value: null })).errors).toEqual({ currency: ['needs a value with it'] });
    expect((await patch({ currency: '' })).errors).toHaveProperty('value');
    expect((await patch({ value: '', currency: null })).data).toMatchObject({ value: null, currency: null });
  });

  it('depends on hits alone', async () => {
    const sent = [
      ['or', [['saved', 'a']]],
      ['is', 'goal', ['b']],
    ];
    const { errors } = (await store({ filters: sent })).body;
    expect(Object.keys(errors)).toEqual(['filters.0.1.0.0', 'filters.1.1']);
    expect(errors['filters.0.1.0.0'][0]).not.toContain('saved');
    expect(errors['filters.1.1'][0]).not.toContain('goal');
  });
});

describe('names that others use', () => {
  let id: number;
  const change = (path: string, one: { id: number }, json: object) =>
    api().patch(`${listOf(id, path)}/${one.id}`, { json });
  const remove = (path: string, one: { id: number }) => api().delete(`${listOf(id, path)}/${one.id}`);
  const usedBy = (user: string) => ({
    name: [`is used by ${user}, so it can be neither changed nor deleted`],
  });
  const inUse = (user: string) =>
    expect.objectContaining({
      ...{ status: 409, code: 'in_use', detail: `It is used by ${user}; change or delete that first.` },
    });
  beforeEach(async () => void ({ id } = await website(api())));

  it('stay while a saved filter refers to them', async () => {
    const used = await goal(api(), id, 'Used', SIGNUP);
    const inner = await savedFilter(api(), id, 'Inner', [['not', ['is_not', 'goal', ['Used']]]]);
    const outer = await savedFilter(api(), id, 'Outer', [['or', [['saved', 'Inner']]]]);
    expect((await change('goals', used, { name: 'x' })).body.errors).toEqual(
      usedBy('the saved filter "Inner"'),
    );
    expect((await remove('goals', used)).body).toEqual(inUse('the saved filter "Inner"'));
    expect((await change('saved-filters', inner, { name: 'x' })).body.errors).toEqual(
      usedBy('the saved filter "Outer"'),
    );
    expect((await remove('saved-filters', inner)).body).toEqual(inUse('the saved filter "Outer"'));
    expect((await change('goals', used, { filters: READING })).status).toBe(200);
    for (const one of [outer, inner]) expect((await remove('saved-filters', one)).status).toBe(200);
    expect((await change('goals', used, { name: 'x' })).status).toBe(200);
  });

  it('stay while a funnel refers to them', async () => {
    const used = await goal(api(), id, 'Used', SIGNUP);
    const steps = JSON.stringify([{ name: null, filters: [['is', 'goal', ['Used']]] }]);
    await service.database.write((manager) =>
      manager.query(
        `INSERT INTO funnels (website_id, name, steps, step_order, within, created_at, updated_at)
        VALUES (?, 'Sale', ?, 'open', 'visit', 0, 0)`,
        [id, steps],
      ),
    );
    expect((await remove('goals', used)).body).toEqual(inUse('the funnel "Sale"'));
  });

  it('are free where only a pattern finds them', async () => {
    const found = await goal(api(), id, 'Found', SIGNUP);
    await savedFilter(api(), id, 'All', [['contains', 'goal', ['f']]]);
    expect((await change('goals', found, { name: 'other' })).status).toBe(200);
    expect((await remove('goals', found)).status).toBe(200);
  });

  it('are used or deleted, whoever comes first', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await goal(api(), id, `raced ${round}`, SIGNUP);
      const [removed, used] = await Promise.all([
        remove('goals', one),
        api().post(listOf(id, 'saved-filters'), {
          json: { name: `user ${round}`, filters: [['is', 'goal', [`raced ${round}`]]] },
        }),
      ]);
      expect([removed.status, used.status].sort()).toEqual(removed.status === 200 ? [200, 422] : [201, 409]);
    }
  });
});

describe('a saved filter', () => {
  let id: number;
  beforeEach(async () => void ({ id } = await website(api())));
  const store = (name: string, filters: unknown[]) =>
    api().post(listOf(id, 'saved-filters'), { json: { name, filters } });
  const change = (one: { id: number }, json: object) =>
    api().patch(`${listOf(id, 'saved-filters')}/${one.id}`, { json });

  it('contains no other that contains it, by a change either', async () => {
    expect((await store('a', [['saved', 'a']])).body.errors).toEqual({
      'filters.0.1': ['contains itself: "a" → "a"'],
    });
    const a = await savedFilter(api(), id, 'a', AMERICANS);
    await savedFilter(api(), id, 'b', [['not', ['saved', 'a']]]);
    const circle = [AMERICANS[0], ['or', [['saved', 'b']]]];
    expect((await change(a, { filters: circle })).body.errors).toEqual({
      'filters.1.1.0.1': ['contains itself: "a" → "b" → "a"'],
    });
    expect((await api().get(`${listOf(id, 'saved-filters')}/${a.id}`)).body.data).toEqual(a);
  });

  it('is never one of two that came to contain each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const names = [`left ${round}`, `right ${round}`];
      const [left, right] = [
        await savedFilter(api(), id, names[0]!, AMERICANS),
        await savedFilter(api(), id, names[1]!, AMERICANS),
      ];
      const both = await Promise.all([
        change(left, { filters: [['saved', names[1]]] }),
        change(right, { filters: [['saved', names[0]]] }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });

  it('contains one that contains one, and nothing deeper', async () => {
    const c = await savedFilter(api(), id, 'c', AMERICANS);
    await savedFilter(api(), id, 'b', [['saved', 'c']]);
    await savedFilter(api(), id, 'a', [['saved', 'b']]);
    expect((await store('d', [['saved', 'a']])).body.errors).toEqual({
      'filters.0.1': ['is more than 3 saved filters deep: "d" → "a" → "b" → "c"'],
    });
    await savedFilter(api(), id, 'e', AMERICANS);
    expect((await change(c, { filters: [['saved', 'e']] })).body.errors.filters).toEqual([
      'would break the saved filter "a": it is more than 3 saved filters deep: "a" → "b" → "c" → "e"',
    ]);
  });

  it('names goals and saved filters that there are', async () => {
    expect((await store('a', [['is', 'goal', ['x']]])).body.errors).toEqual({
      'filters.0.2.0': ['has no goal "x"'],
    });
    expect((await store('a', [['saved', 'x']])).body.errors).toEqual({
      'filters.0.1': ['has no saved filter "x"'],
    });
  });

  it('stands for 100 conditions at most, whichever goal grows', async () => {
    const many = (of: number) => Array.from({ length: of }, (_, index) => ['is', 'page', [`/${index}`]]);
    const growing = await goal(api(), id, 'growing', many(50));
    await savedFilter(api(), id, 'all', [['is', 'goal', ['growing']], ...many(50)]);
    const path = `${listOf(id, 'goals')}/${growing.id}`;
    const { status, body } = await api().patch(path, { json: { filters: many(51) } });
    expect([status, body.errors.filters[0]]).toEqual([
      422,
      'would break the saved filter "all": it must have at most 100 conditions, with what its goals and saved filters stand for',
    ]);
    expect((await api().patch(path, { json: { filters: many(49) } })).status).toBe(200);
  });
});

it('is known to viewers of a shared page who may filter, and to no others', async () => {
  const own = await visitedWebsite(api());
  await goal(api(), own.id, 'Signup', SIGNUP);
  await stored(api(), own.id, 'saved-filters', { name: 'Americans', filters: AMERICANS });
  const viewer = api().as(undefined);
  const shared = (filter: string) =>
    viewer.get(
      `/share/${own.domain}/api/stats?${new URLSearchParams({ ...RANGE, name: 'page', filter }).toString()}`,
    );
  const query = (filters: unknown[]) =>
    viewer.post(`/share/${own.domain}/api/query`, {
      json: { metrics: ['visitors'], filters, range: [YESTERDAY, TODAY] },
    });
  await api().patch(`/api/v1/websites/${own.id}`, { json: { privacy: 0 } });
  for (const answer of [await shared('goal==Signup'), await query([['saved', 'Americans']])])
    expect(answer.status).toBe(422);
  await api().patch(`/api/v1/websites/${own.id}`, { json: { share_filters: 1 } });
  expect((await shared('goal!=Signup;saved==Americans')).body.data).toEqual(
    await dataOf({ name: 'page', filter: 'event!=signup;country==US' }, own),
  );
  expect((await query([['saved', 'Americans']])).body.data).toEqual([{ visitors: 2 }]);
  const many = Array(21).fill(['saved', 'Americans']);
  expect((await query(many)).body.errors.filters[0]).toContain('at most 20 conditions');
});

it('sees hits that come later as well', async () => {
  const own = await website(api());
  await goal(api(), own.id, 'Home', [['is', 'page', ['/']]]);
  await sendVisits(api(), own, [{ by: 'dutch', path: '/', occurred_at: at('today', -2) }]);
  expect(await rowsOf([['is', 'goal', ['Home']]], own)).toEqual([{ page: '/', pageviews: 1, events: 0 }]);
});

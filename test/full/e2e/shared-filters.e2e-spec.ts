import { WebsiteCounter } from '../../../engine/columns/fold/website-counter';
import { CHROME, FIREFOX } from '../../support/agents';
import type { Answer } from '../../support/api-client';
import { closeDays, timezoneAtNoon, untilCounted } from '../../support/counted';
import { record, type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';
import { at } from '../../support/visited-website';
import { listOf, savedFilter, stored } from '../../support/website-resources';

const TIMEZONE = timezoneAtNoon();
const dayAt = (hours: number) =>
  new Date(at('today', hours)).toLocaleDateString('en-CA', { timeZone: TIMEZONE });
const [EARLIER, YESTERDAY, TODAY] = [dayAt(-42), dayAt(-24), dayAt(0)] as [string, string, string];
const SECRET = '/secret';

let service: TestApp;
let site: Site;
beforeAll(async () => {
  service = await startApp({ TIMEZONE });
  site = await website(service.api, { privacy: 0 });
  const crowd = (visitors: number, user_agent: string, hours: number, paths: string[], block = 0) =>
    Array.from({ length: visitors }, (_, number) =>
      paths.map((path, index) => ({
        url: `https://${site.domain}${path}`,
        ip: `203.0.${113 + block}.${number}`,
        user_agent,
        occurred_at: at('today', hours + index / 10),
      })),
    ).flat();
  await record(service.api, site, [
    // Of the earlier day the filter selects nine visitors, though more came.
    ...crowd(9, CHROME, -42, ['/', '/few']),
    ...crowd(30, FIREFOX, -42, [SECRET], 1),
    ...crowd(12, CHROME, -24, ['/', '/pricing']),
    ...crowd(2, CHROME, -23, ['/rare']),
    ...crowd(20, FIREFOX, -24, [SECRET, '/'], 1),
    ...crowd(15, CHROME, -2, ['/']),
    ...crowd(15, FIREFOX, -2, [SECRET], 1),
  ]);
  await untilCounted(service.api, site.id);
});
afterAll(() => service.stop());

const CHROMES = [['is', 'browser', ['Chrome']]];
const RANGE = { from: YESTERDAY, to: YESTERDAY };
const nobody = () => service.api.as(undefined);
const query = (parameters: object) => new URLSearchParams({ ...RANGE, ...parameters }).toString();
const shared = (part: string, parameters: object = {}) =>
  nobody().get(`/share/${site.domain}/api/${part}?${query(parameters)}`);
const sharedQuery = (json: object) =>
  nobody().post(`/share/${site.domain}/api/query`, { json: { range: [YESTERDAY, YESTERDAY], ...json } });
const own = (part: string, parameters: object) =>
  service.api.get(`/api/v1/stats/${site.id}${part}?${query({ filter: 'browser==Chrome', ...parameters })}`);
const setShared = (id: number, value: unknown) =>
  service.api.patch(`${listOf(site.id, 'saved-filters')}/${id}`, { json: { shared: value } });
const setFilters = (share_filters: number) =>
  service.api.patch(`${WEBSITES}/${site.id}`, { json: { share_filters } });
const countsOf = (data: any[]) => Object.fromEntries(data.map(({ value, count }) => [value, count]));

describe('the switch', () => {
  const shownOf = async () => {
    const { data } = (await service.api.get(listOf(site.id, 'saved-filters'))).body;
    return Object.fromEntries(data.map(({ name, shared: own }: any) => [name, own]));
  };

  it('is on for one saved filter of a website, and 0 at first', async () => {
    const first = await savedFilter(service.api, site.id, 'first', CHROMES);
    const second = { name: 'second', filters: CHROMES, shared: 1 };
    expect(first.shared).toBe(0);
    expect((await setShared(first.id, 1)).body.data.shared).toBe(1);
    const before = (await service.api.get(`${listOf(site.id, 'saved-filters')}/${first.id}`)).body.data;
    const { id } = await stored(service.api, site.id, 'saved-filters', second);
    expect(await shownOf()).toEqual({ first: 0, second: 1 });
    const after = (await service.api.get(`${listOf(site.id, 'saved-filters')}/${first.id}`)).body.data;
    expect(after.updated_at > before.updated_at).toBe(true);
    await Promise.all([setShared(first.id, true), setShared(id, 1)]);
    expect(Object.values(await shownOf()).sort()).toEqual([0, 1]);
    for (const value of [2, '', null, 'on']) expect((await setShared(id, value)).status).toBe(422);
    for (const one of [first.id, id]) {
      await setShared(one, 0);
      await service.api.delete(`${listOf(site.id, 'saved-filters')}/${one}`);
    }
    expect((await shared('stats', { name: 'visitor' })).body.meta.sum).toBe(32);
  });
});

describe('nothing opens a page that a saved filter limits', () => {
  let limited: Site;
  let list: string;
  const limit = () =>
    stored(service.api, limited.id, 'saved-filters', { name: 'limit', filters: CHROMES, shared: 1 });
  const remove = ({ id }: { id: number }) => service.api.delete(`${list}/${id}`);
  beforeEach(async () => {
    limited = await website(service.api, { privacy: 0 });
    list = listOf(limited.id, 'saved-filters');
  });

  it.each([{ privacy: 0 }, { privacy: 2, password: 'open sesame' }])(
    'by a deletion with %j',
    async (json) => {
      await service.api.patch(`${WEBSITES}/${limited.id}`, { json });
      const saved = await limit();
      const { status, body } = await remove(saved);
      expect([status, body.code]).toEqual([409, 'limits_shared_page']);
      expect(body.detail).toContain('Change its "shared" to 0 first');
      expect((await service.api.get(`${list}/${saved.id}`)).body.data).toEqual(saved);
    },
  );

  it('but a change that says so', async () => {
    const saved = await limit();
    await service.api.patch(`${list}/${saved.id}`, { json: { shared: 0 } });
    expect((await remove(saved)).status).toBe(200);
    const replaced = await limit();
    await stored(service.api, limited.id, 'saved-filters', { name: 'other', filters: CHROMES, shared: 1 });
    expect((await remove(replaced)).status).toBe(200);
  });

  it('by a PUT or PATCH without the switch', async () => {
    const { id } = await limit();
    for (const method of ['PUT', 'PATCH'])
      for (const json of [{}, { name: method }, { filters: [['is', 'browser', ['Firefox']]] }]) {
        const { body } = await service.api.send(method, `${list}/${id}`, { json });
        expect(body.data.shared).toBe(1);
      }
  });

  it('where nobody sees the page, so that the filter goes', async () => {
    const saved = await limit();
    await service.api.patch(`${WEBSITES}/${limited.id}`, { json: { privacy: 1 } });
    expect((await remove(saved)).status).toBe(200);
  });

  it('by a deletion at the moment at which the page opens', async () => {
    for (let round = 0; round < 5; round++) {
      await service.api.patch(`${WEBSITES}/${limited.id}`, { json: { privacy: 1 } });
      const saved = await limit();
      const [removed] = await Promise.all([
        remove(saved),
        service.api.patch(`${WEBSITES}/${limited.id}`, { json: { privacy: 0 } }),
      ]);
      const { data } = (await service.api.get(list)).body;
      expect([removed.status, data.length]).toEqual(removed.status === 200 ? [200, 0] : [409, 1]);
      await service.api.patch(`${list}/${saved.id}`, { json: { shared: 0 } });
      await remove(saved);
    }
  });
});

describe('a page that is limited to a saved filter', () => {
  beforeAll(async () => {
    const { id } = await savedFilter(service.api, site.id, 'Chromes', CHROMES);
    await setShared(id, 1);
    await closeDays(service.counting, site.id);
  });
  afterEach(() => setFilters(0));

  it('has days of what the filter selects', async () => {
    const range = { from: EARLIER, to: TODAY };
    for (const name of ['visitor', 'pageview']) {
      const { data } = (await own('', { name, ...range })).body;
      const rounded = data.map((entry: any) =>
        entry.value === TODAY ? { ...entry, count: entry.count - (entry.count % 10) } : entry,
      );
      const { body } = await shared('stats', { name, ...range });
      expect(countsOf(body.data)).toEqual(countsOf(rounded));
    }
    const { data } = (await shared('summary', { names: 'visitor', ...range, compare: 'previous', fill: 1 }))
      .body;
    expect(data[0].entries.map(({ count }: any) => count)).toEqual([9, 12, 10]);
    expect(data[0].previous_sum).toBe(0);
  });

  it('has values of what the filter selects on days with ten such visitors', async () => {
    const range = { from: EARLIER, to: YESTERDAY };
    const pages = (await shared('stats', { name: 'page', ...range })).body;
    expect(countsOf(pages.data)).toEqual({ '/': 12, '/pricing': 12, '(other)': 20 });
    expect(pages.meta.sum).toBe(44);
    const names = 'browser,page,entry_page,channel,visitor,pageview';
    const { data, meta } = (await shared('summary', { names, ...range })).body;
    expect(data.map(({ name, sum }: any) => [name, sum])).toEqual([
      ['browser', 21],
      ['page', 44],
      ['entry_page', 23],
      ['channel', 21],
      ['visitor', 21],
      ['pageview', 44],
    ]);
    expect(JSON.stringify([data, meta, pages])).not.toMatch(/secret|Firefox|Chromes/);
  });

  it('has series of what the filter selects', async () => {
    const json = {
      metrics: ['visitors', 'pageviews', 'visits'],
      dimensions: ['day'],
      range: [EARLIER, YESTERDAY],
    };
    expect((await sharedQuery(json)).body.data).toEqual([
      { day: EARLIER, visitors: 9, pageviews: 18, visits: null },
      { day: YESTERDAY, visitors: 12, pageviews: 26, visits: 14 },
    ]);
    expect((await sharedQuery({ metrics: ['visitors'] })).body.data).toEqual([{ visitors: 12 }]);
  });

  it.each([0, 1])('has no live visitors where share_filters is %i', async (share_filters) => {
    await setFilters(share_filters);
    const { status, body } = await nobody().get(`/share/${site.domain}/api/live`);
    expect([status, body.data]).toEqual([200, {}]);
    expect((await service.api.get(`/api/v1/stats/${site.id}/live`)).body.data).toHaveProperty('minutes');
  });

  it('is filtered further by viewers who may, and by nobody less', async () => {
    expect((await shared('stats', { name: 'page', filter: 'page==/' })).status).toBe(422);
    await setFilters(1);
    const pages = (filter: string) => shared('stats', { name: 'page', filter });
    expect(countsOf((await pages('page==/')).body.data)).toEqual({ '/': 12 });
    for (const filter of [
      'browser!=Chrome',
      'browser==Chrome,browser==Firefox;page==/secret',
      'saved!=Chromes',
    ])
      expect((await pages(filter)).body.data).toEqual([]);
    const own = (await shared('stats', { name: 'page' })).body;
    expect(countsOf(own.data)).toEqual({ '/': 12, '/pricing': 12, '/rare': 2 });
    expect(own.meta).not.toHaveProperty('filters');
    expect((await pages('page==/')).body.meta.filters).toEqual([['is', 'page', ['/']]]);
    const or = [
      [
        'or',
        [
          ['is', 'browser', ['Firefox']],
          ['not', ['saved', 'Chromes']],
        ],
      ],
    ];
    const rows = (filters: unknown[]) =>
      sharedQuery({ metrics: ['pageviews'], dimensions: ['page'], filters });
    expect((await rows(or)).body.data).toEqual([]);
    expect((await rows([])).body.data).toContainEqual({ page: '/rare', pageviews: 2 });
    expect((await rows([])).body.meta.filters).toEqual([]);
    const file = await nobody().get(`/share/${site.domain}/api/stats?${query({ name: 'page' })}`, {
      headers: { Accept: 'text/csv' },
    });
    expect(file.text).toContain('/rare,/rare,2');
    expect(file.text).not.toContain(SECRET);
    const values = (await nobody().get(`/share/${site.domain}/api/values?name=page`)).body.data;
    expect(values.map(({ value }: any) => value)).not.toContain(SECRET);
    expect(values).not.toEqual([]);
  });

  it('has other tags once the filter is another, and all numbers for the owner', async () => {
    await setFilters(1);
    const read = (headers = {}) =>
      nobody().get(`/share/${site.domain}/api/stats?${query({ name: 'page' })}`, { headers });
    const known = { 'If-None-Match': (await read()).headers.get('ETag')! };
    expect((await read(known)).status).toBe(304);
    const { data } = (await service.api.get(listOf(site.id, 'saved-filters'))).body;
    const { id } = data.find(({ name }: any) => name === 'Chromes');
    const change = (filters: unknown[]) =>
      service.api.patch(`${listOf(site.id, 'saved-filters')}/${id}`, { json: { filters } });
    await change([['is', 'page', ['/rare']]]);
    expect(countsOf((await read(known)).body.data)).toEqual({ '/rare': 2 });
    await change(CHROMES);
    const all = await service.api.get(`/api/v1/stats/${site.id}?${query({ name: 'page' })}`);
    expect(countsOf(all.body.data)).toMatchObject({ [SECRET]: 20 });
  });
});

describe('a hit that the filter of a page leaves out', () => {
  const TODAY_ALONE = `from=${TODAY}&to=${TODAY}`;
  const READS = [
    `stats?name=page&${TODAY_ALONE}`,
    `stats?name=visitor&${TODAY_ALONE}&compare=previous`,
    `stats?name=channel&from=${YESTERDAY}&to=${TODAY}`,
    `summary?names=pageview,page,browser&${TODAY_ALONE}&fill=1`,
  ];
  const VISITORS = { metrics: ['visitors'], range: 'today' };
  const WALKS = {
    funnel: {
      range: 'today',
      steps: [{ filters: [['is', 'page', ['/shown']]] }, { filters: [['is', 'event', [null]]] }],
    },
    journey: { range: 'today', from: 'entry' },
  };
  let page: Site;
  let hits = 0;
  const send = (path: string) =>
    record(service.api, page, [
      { url: `https://${page.domain}${path}`, ip: `203.0.114.${++hits}`, occurred_at: at('today', 0) },
    ]);
  const read = (rest: string, headers = {}) => nobody().get(`/share/${page.domain}/api/${rest}`, { headers });
  const post = (part: string, json: object) => nobody().post(`/share/${page.domain}/api/${part}`, { json });
  const content = ({ body: { data, meta } }: Answer) => [data, { ...meta, as_of: undefined }];
  beforeEach(async () => {
    page = await website(service.api, { privacy: 0, share_filters: 1 });
    const filters = [['is', 'page', ['/shown']]];
    await stored(service.api, page.id, 'saved-filters', { name: 'Limit', filters, shared: 1 });
    await send('/shown');
    await send('/hidden');
    await untilCounted(service.api, page.id);
  });

  it.each([0, 1])('changes no tag where share_filters is %i', async (share_filters) => {
    await service.api.patch(`${WEBSITES}/${page.id}`, { json: { share_filters } });
    const reads = share_filters
      ? [...READS, `${READS[0]}&filter=browser==Chrome`, 'values?name=page']
      : READS;
    const before = await Promise.all(reads.map((rest) => read(rest)));
    await send('/hidden');
    await untilCounted(service.api, page.id);
    for (const [index, rest] of reads.entries()) {
      const tag = before[index]!.headers.get('ETag')!;
      expect([rest, (await read(rest, { 'If-None-Match': tag })).status]).toEqual([rest, 304]);
      const again = await read(rest);
      expect([rest, again.headers.get('ETag'), ...content(again)]).toEqual([
        rest,
        tag,
        ...content(before[index]!),
      ]);
    }
  });

  it('changes no other answer, and these have no tags', async () => {
    const look = () =>
      Promise.all(
        Object.entries({ query: VISITORS, ...WALKS }).map(async ([part, json]) => {
          const answer = await post(part, json);
          return [part, answer.status, answer.headers.get('ETag'), ...content(answer)];
        }),
      );
    const before = await look();
    expect(before.map(([, ...known]) => known.slice(0, 2))).toEqual(Array(3).fill([200, null]));
    await send('/hidden');
    await untilCounted(service.api, page.id);
    expect(await look()).toEqual(before);
  });

  it('shows in no moment that it waits to be counted', async () => {
    const fold = jest.spyOn(WebsiteCounter.prototype, 'foldSome').mockResolvedValue(0);
    await send('/hidden');
    const asOf = async () => [
      (await service.api.get(`/api/v1/stats/${page.id}?name=page&${TODAY_ALONE}`)).body.meta.as_of,
      (await read(READS[0]!)).body.meta.as_of,
      (await read('values?name=page')).body.meta.as_of,
      (await post('query', VISITORS)).body.meta.as_of,
      (await post('funnel', WALKS.funnel)).body.meta.as_of,
    ];
    const [own, ...before] = await asOf();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [ownLater, ...later] = await asOf();
    fold.mockRestore();
    expect(ownLater).toBe(own);
    for (const [index, one] of later.entries()) expect(one > before[index]).toBe(true);
  });

  it('is unlike one that is shown, which changes the tags', async () => {
    const reads = READS.filter((rest) => !rest.includes('channel'));
    const before = await Promise.all(reads.map((rest) => read(rest)));
    await send('/shown');
    await untilCounted(service.api, page.id);
    for (const [index, rest] of reads.entries()) {
      const tag = before[index]!.headers.get('ETag')!;
      const { status, headers } = await read(rest, { 'If-None-Match': tag });
      expect([rest, status]).toEqual([rest, 200]);
      expect(headers.get('ETag')).not.toBe(tag);
    }
  });
});

it('has days and values of one moment, while events of past days come', async () => {
  const busy = await website(service.api, { privacy: 0 });
  const limit = { name: 'Chromes', filters: CHROMES, shared: 1 };
  await stored(service.api, busy.id, 'saved-filters', limit);
  const send = (round: number) =>
    record(
      service.api,
      busy,
      Array.from({ length: 20 }, (_, number) => ({
        url: `https://${busy.domain}/${number % 3}`,
        ip: `203.0.113.${number}`,
        user_agent: CHROME,
        occurred_at: at('today', -24 + (round % 60) / 100),
      })),
    );
  await send(0);
  await untilCounted(service.api, busy.id);
  let isOver = false;
  const sending = (async () => {
    for (let round = 1; !isOver; round++) await send(round);
  })();
  const sums: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const names = 'pageview,page,browser';
    const { body } = await nobody().get(`/share/${busy.domain}/api/summary?${query({ names })}`);
    const [days, pages] = body.data.map(({ sum }: any) => sum);
    expect(pages).toBe(days);
    sums.push(days);
  }
  isOver = true;
  await sending;
  expect(new Set(sums).size).toBeGreaterThan(1);
});

describe('a file has the tag of what is in it, while the filter changes', () => {
  it.each(['all of it', 'a page of it', 'a shared page'])('%s', async (what) => {
    const changing = await website(service.api, { privacy: 0, share_filters: 1 });
    await record(
      service.api,
      changing,
      ['/a', '/b'].map((path) => ({
        url: `https://${changing.domain}${path}`,
        occurred_at: at('today', -24),
      })),
    );
    await untilCounted(service.api, changing.id);
    const onPage = (path: string) => [['is', 'page', [path]]];
    const limit = { name: 'limit', filters: onPage('/a'), shared: 1 };
    const { id } = await stored(service.api, changing.id, 'saved-filters', limit);
    const change = (path: string) =>
      service.api.patch(`${listOf(changing.id, 'saved-filters')}/${id}`, { json: { filters: onPage(path) } });
    const filter = what === 'a shared page' ? {} : { filter: 'saved==limit' };
    const more = what === 'a page of it' ? { per_page: 10 } : {};
    const address = `${query({ name: 'page', ...filter, ...more })}`;
    const path =
      what === 'a shared page' ? `/share/${changing.domain}/api/stats` : `/api/v1/stats/${changing.id}`;
    const api = what === 'a shared page' ? nobody() : service.api;
    const bodies = new Map<string, Set<string>>();
    const headers = { Accept: 'text/csv' };
    let isOver = false;
    const changes = (async () => {
      for (let turn = 0; !isOver; turn++) await change(turn % 2 === 0 ? '/b' : '/a');
    })();
    for (let turn = 0; turn < 60; turn++) {
      const answer = await api.get(`${path}?${address}`, { headers });
      expect(answer.status).toBe(200);
      const tag = answer.headers.get('ETag')!;
      bodies.set(tag, (bodies.get(tag) ?? new Set()).add(answer.text));
    }
    isOver = true;
    await changes;
    expect(bodies.size).toBeGreaterThan(1);
    for (const { size } of bodies.values()) expect(size).toBe(1);
  });
});

import { closeDays } from '../support/counted';
import { Gate } from '../../engine/ground/gate';
import type { StatSummaryView } from '../../src/stats/dto/stats.view';
import { QueryThread } from '../../engine/columns/threads/query-thread';
import { ApiClient } from '../support/api-client';
import { CountingProcess, pageView, TODAY } from '../support/counting';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { type Service, startService } from '../support/programs';
import { areSealed, waitingOf } from '../support/store-hooks';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const DAY_MS = 86_400_000;
const dayAt = (ago: number) => new Date((TODAY - ago) * DAY_MS).toISOString().slice(0, 10);
const CLOSED = `from=${dayAt(9)}&to=${dayAt(1)}`;
const OPEN = `from=${dayAt(9)}&to=${dayAt(0)}`;

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
/** Other processes on the same database: one that counts, and one that answers. */
let counter: CountingProcess;
let other: Service;
let otherApi: ApiClient;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  api = service.api;
  counter = await CountingProcess.start(database.url);
  other = await startService({ DATABASE_URL: database.url });
  otherApi = new ApiClient(other.address, FIRST_KEY);
});
afterAll(async () => {
  await other.program.stop();
  await counter.stop();
  await service.stop();
  await database.drop();
});

let sites = 0;
async function website(): Promise<number> {
  const form = { domain: `answers${++sites}.example` };
  return (await api.post('/api/v1/websites', { form })).body.data.id;
}

/** A website with page views on the days before today, all closed. */
async function closed(): Promise<number> {
  const id = await website();
  await seen(id, '/old', 5);
  await counted(id);
  await sealed(id);
  return id;
}

/** All of its hits are in columns. The previous counting process holds its lease for some seconds. */
async function sealed(id: number): Promise<void> {
  for (;;) {
    await counter.endLeases();
    await closeDays(service.counting, id, TODAY);
    if (await areSealed(service.database, id, TODAY)) return;
  }
}

let visitors = 0;
const seen = (id: number, page: string, ago: number) =>
  counter.accept(id, { ...pageView(page, String.fromCodePoint(0x100 + ++visitors)), day: TODAY - ago });

async function counted(id: number): Promise<void> {
  await until(async () => {
    const [row] = await service.database.read((manager) => manager.query(waitingOf(id)));
    return Number(row.waiting) === 0;
  });
}

const pages = (id: number, range: string, more = '') => `/api/v1/stats/${id}?name=page&${range}${more}`;
const tagOf = ({ headers }: { headers: Headers }) => headers.get('ETag')!;
const knowing = (tag: string) => ({ headers: { 'If-None-Match': tag } });
const accepting = (type: string) => ({ headers: { Accept: type } });

describe('the tag of statistics', () => {
  it('makes reading again a 304, for one page and in every process', async () => {
    const id = await closed();
    for (const range of [CLOSED, OPEN]) {
      const first = await api.get(pages(id, range));
      expect([first.status, first.headers.get('Cache-Control')]).toEqual([200, 'private, no-cache']);
      for (const client of [api, otherApi]) {
        const again = await client.get(pages(id, range), knowing(tagOf(first)));
        expect([again.status, again.text, tagOf(again)]).toEqual([304, '', tagOf(first)]);
      }
      for (const more of ['&page=2', '&sort=asc', '&search=a', '&compare=previous'])
        expect((await api.get(pages(id, range, more), knowing(tagOf(first)))).status).toBe(200);
    }
  });

  it('is that of one website alone', async () => {
    const [one, another] = [await website(), await website()];
    expect(tagOf(await api.get(pages(one, CLOSED)))).not.toBe(tagOf(await api.get(pages(another, CLOSED))));
  });

  it('of closed days stays when something comes today, that of today does not', async () => {
    const id = await closed();
    const [closedTag, openTag] = [
      tagOf(await api.get(pages(id, CLOSED))),
      tagOf(await api.get(pages(id, OPEN))),
    ];
    await seen(id, '/new', 0);
    await counted(id);
    expect((await api.get(pages(id, CLOSED), knowing(closedTag))).status).toBe(304);
    const after = await api.get(pages(id, OPEN), knowing(openTag));
    expect([after.status, after.body.meta.sum]).toEqual([200, 2]);
  });

  it('changes when something comes late to a closed day, in every process, sealed or not', async () => {
    const id = await closed();
    const clients = [api, otherApi];
    for (const late of ['/late', '/later']) {
      const known = await Promise.all(clients.map((client) => client.get(pages(id, CLOSED))));
      await seen(id, late, 3);
      await counted(id);
      for (const [index, client] of clients.entries()) {
        const after = await client.get(pages(id, CLOSED), knowing(tagOf(known[index]!)));
        expect([after.status, after.body.meta.sum]).toEqual([200, known[index]!.body.meta.sum + 1]);
        expect(after.body.data.map(({ value }: { value: string }) => value)).toContain(late);
      }
      await sealed(id);
    }
  });

  it('is not there for a stranger', async () => {
    const id = await closed();
    const stranger = await service.anotherUser();
    expect((await stranger.get(pages(id, CLOSED), knowing('*'))).status).toBe(404);
    expect((await api.get(pages(id, CLOSED), knowing('*'))).status).toBe(304);
  });
});

describe('compared with the range before', () => {
  const range = 'from=2026-01-11&to=2026-01-20';
  let id: number;
  beforeAll(async () => {
    id = await website();
    await addHits(service, id, [
      ...hitsOn('2025-12-31', 500, { page: '/a' }),
      ...hitsOn('2026-01-01', 3, { page: '/a' }),
      ...hitsOn('2026-01-10', 4, { page: '/a' }),
      ...hitsOn('2026-01-10', 9, { page: '/gone' }),
      ...hitsOn('2026-01-11', 10, { page: '/a' }),
      ...hitsOn('2026-01-20', 20, { page: '/new' }),
      ...hitsOn('2026-01-21', 500, { page: '/a' }),
    ]);
  });

  it('tells what each entry had', async () => {
    const { body } = await api.get(`/api/v1/stats/${id}?name=page&${range}&compare=previous`);
    expect(body.data).toEqual([
      { value: '/new', label: '/new', count: 20, previous_count: 0 },
      { value: '/a', label: '/a', count: 10, previous_count: 7 },
    ]);
    expect(body.meta).toMatchObject({
      sum: 30,
      previous_sum: 16,
      previous_range: { from: '2026-01-01', to: '2026-01-10' },
    });
    const plain = (await api.get(`/api/v1/stats/${id}?name=page&${range}`)).body;
    expect(plain.data[0]).toEqual({ value: '/new', label: '/new', count: 20 });
    expect(plain.meta).not.toHaveProperty('previous_sum');
  });

  it('puts days beside their counterparts', async () => {
    const { body } = await api.get(
      `/api/v1/stats/${id}?name=pageview&${range}&compare=previous&sort_by=value&sort=asc`,
    );
    expect(body.data).toEqual([
      { value: '2026-01-11', label: '2026-01-11', count: 10, previous_count: 3 },
      { value: '2026-01-20', label: '2026-01-20', count: 20, previous_count: 13 },
    ]);
  });

  it('puts the days that a search shows beside their counterparts, which it does not show', async () => {
    const id = await website();
    const days = ['2026-02-09', '2026-02-10', '2026-03-09', '2026-03-10'];
    await addHits(
      service,
      id,
      days.flatMap((on, index) => visitorsOn(on, index + 1)),
    );
    const { body } = await api.get(
      `/api/v1/stats/${id}?name=visitor&from=2026-03-01&to=2026-03-28&compare=previous&search=03-09`,
    );
    expect(body.data).toEqual([{ value: '2026-03-09', label: '2026-03-09', count: 3, previous_count: 1 }]);
    expect([body.meta.sum, body.meta.previous_sum]).toEqual([3, 1]);
  });

  it('reaches back before the first day there is', async () => {
    const id = await website();
    const { status, body } = await api.get(
      `/api/v1/stats/${id}?name=page&from=1970-01-01&to=1970-01-31&compare=previous`,
    );
    expect([status, body.meta.previous_range.to]).toEqual([200, '1969-12-31']);
    const all = await api.get(`/api/v1/stats/${id}?name=page&from=1970-01-01&to=9999-12-31&compare=previous`);
    expect(all.body.meta.previous_range).toEqual({ from: '0000-01-01', to: '1969-12-31' });
  });

  it.each(['next', '', 'Previous'])('refuses compare=%s', async (compare) => {
    const { status, body } = await api.get(
      `/api/v1/stats/${await website()}?name=page&${range}&compare=${compare}`,
    );
    expect([status, Object.keys(body.errors)]).toEqual([422, ['compare']]);
  });
});

it('a search finds values throughout many', async () => {
  const id = await website();
  const many = Array.from({ length: 25_000 }, (_, index) => `/p${index}`);
  for (const [index, page] of ['/one', '/two', '/three'].entries())
    many.splice(12_000 * index, 0, ...Array<string>(index + 1).fill(page));
  await addHits(
    service,
    id,
    many.flatMap((page) => hitsOn('2026-01-05', 1, { page })),
  );
  const { body } = await api.get(pages(id, 'from=2026-01-01&to=2026-01-31', '&search=O'));
  expect([body.meta.total, body.meta.sum]).toEqual([2, 3]);
});

it('statistics that have to wait for longer reads are answered after them', async () => {
  const id = await website();
  const ask = jest.spyOn(QueryThread.prototype, 'ask');
  const answer = ask.getMockImplementation()!;
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  ask.mockImplementationOnce(async function (this: QueryThread, ...parameters) {
    await held;
    return answer.apply(this, parameters);
  });
  const turns = jest.spyOn(Gate.prototype, 'run');
  const longer = api.get(pages(id, CLOSED));
  await until(() => ask.mock.calls.length === 1);
  let isAnswered = false;
  const requested = api.get(pages(id, CLOSED)).finally(() => (isAnswered = true));
  await until(() => turns.mock.calls.length === 2);
  expect((await otherApi.get(pages(id, CLOSED))).status).toBe(200);
  expect([isAnswered, ask.mock.calls.length]).toEqual([false, 1]);
  release();
  expect((await Promise.all([longer, requested])).map(({ status }) => status)).toEqual([200, 200]);
  ask.mockRestore();
  turns.mockRestore();
});

describe('a summary', () => {
  const range = 'from=2026-01-01&to=2026-01-31';

  it('has the largest entries of each name, in the order asked for', async () => {
    const id = await website();
    const many = Array.from({ length: 29 }, (_, index) =>
      hitsOn('2026-01-05', index + 3, { page: `/p${index}` }),
    );
    await addHits(service, id, [
      ...many.flat(),
      ...visitorsOn('2026-01-06', 2, { page: '/', country: 'DE' }),
    ]);
    const { status, body, headers } = await api.get(
      `/api/v1/stats/${id}/summary?names=country,page,event&${range}&compare=previous`,
    );
    expect(status).toBe(200);
    expect(
      body.data.map(({ name, total, sum, previous_sum }: StatSummaryView) => [
        name,
        total,
        sum,
        previous_sum,
      ]),
    ).toEqual([
      ['country', 1, 2, 0],
      ['page', 30, 495, 0],
      ['event', 0, 0, 0],
    ]);
    expect(body.data[0].entries).toEqual([{ value: 'DE', label: 'Germany', count: 2, previous_count: 0 }]);
    expect(body.data[1].entries).toHaveLength(10);
    expect(body.data[1].entries[0]).toMatchObject({ value: '/p28', count: 31 });
    expect(body.meta).toMatchObject({
      website_id: id,
      range: { from: '2026-01-01', to: '2026-01-31' },
      timezone: 'UTC',
    });
    const again = await api.get(
      `/api/v1/stats/${id}/summary?names=country,page,event&${range}&compare=previous`,
      knowing(headers.get('ETag')!),
    );
    expect(again.status).toBe(304);
  });

  it('agrees with each list', async () => {
    const id = await closed();
    const { body } = await api.get(
      `/api/v1/stats/${id}/summary?names=page,visitor,browser&${OPEN}&per_page=25`,
    );
    for (const { name, entries, total, sum } of body.data) {
      const order = name === 'visitor' ? '&sort_by=value&sort=asc' : '';
      const list = (await api.get(`/api/v1/stats/${id}?name=${name}&${OPEN}&per_page=25${order}`)).body;
      expect([entries, total, sum]).toEqual([list.data, list.meta.total, list.meta.sum]);
    }
  });

  it('has visitors and page views by day, and with fill=1 the days without any', async () => {
    const id = await website();
    const days = Array.from({ length: 12 }, (_, index) =>
      hitsOn(`2026-01-${String(30 - index * 2).padStart(2, '0')}`, index + 1),
    );
    await addHits(service, id, days.flat());
    const path = `/api/v1/stats/${id}/summary?names=pageview&${range}`;
    const [plain] = (await api.get(path)).body.data;
    expect([plain.total, plain.sum, plain.entries.length]).toEqual([12, 78, 12]);
    expect(plain.entries.slice(0, 2)).toEqual([
      { value: '2026-01-08', label: '2026-01-08', count: 12 },
      { value: '2026-01-10', label: '2026-01-10', count: 11 },
    ]);
    const [filled] = (await api.get(`${path}&fill=1&compare=previous`)).body.data;
    expect([filled.total, filled.sum, filled.entries.length]).toEqual([31, 78, 31]);
    expect(filled.entries.slice(6, 8)).toEqual([
      { value: '2026-01-07', label: '2026-01-07', count: 0, previous_count: 0 },
      { value: '2026-01-08', label: '2026-01-08', count: 12, previous_count: 0 },
    ]);
    const [next] = (
      await api.get(
        `/api/v1/stats/${id}/summary?names=pageview&from=2026-02-01&to=2026-02-28&fill=1&compare=previous`,
      )
    ).body.data;
    expect(next.entries[0]).toMatchObject({ value: '2026-02-01', count: 0, previous_count: 0 });
    expect(next.entries[4]).toMatchObject({ value: '2026-02-05', count: 0, previous_count: 12 });
  });

  it.each([
    [`names=pageview&fill=2&${range}`, 'fill'],
    ['names=pageview&fill=1&from=1970-01-01&to=2026-01-01', 'fill'],
    [range, 'names'],
    [`names=&${range}`, 'names'],
    [`names=page,pages&${range}`, 'names'],
    [`names=page,page&${range}`, 'names'],
    [`names=page,&${range}`, 'names'],
    [`names=page&${range}&search=a`, 'search'],
    [`names=page&${range}&page=2`, 'page'],
    ['names=page&from=2026-01-31&to=2026-01-01', 'to'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await api.get(`/api/v1/stats/${await website()}/summary?${query}`);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('is for the owner alone', async () => {
    const id = await website();
    const stranger = await service.anotherUser();
    expect((await stranger.get(`/api/v1/stats/${id}/summary?names=page&${range}`)).status).toBe(404);
    expect((await api.as(undefined).get(`/api/v1/stats/${id}/summary?names=page&${range}`)).status).toBe(401);
  });
});

describe('as a file', () => {
  const range = 'from=2026-01-01&to=2026-01-31';
  const values = Array.from({ length: 2300 }, (_, index) => `=v${(index * 7919) % 10_007}`);
  let id: number;
  beforeAll(async () => {
    id = await website();
    await addHits(
      service,
      id,
      values.flatMap((event, index) => hitsOn('2026-01-05', 1 + (index % 3), { event })),
    );
  });

  async function allPages(order: string) {
    const entries: { value: string; label: string; count: number }[] = [];
    for (let next: string | null = `/api/v1/stats/${id}?name=event&${range}&per_page=100&${order}`; next;) {
      const { body } = await api.get(next);
      entries.push(...body.data);
      next = body.links.next;
    }
    return entries;
  }

  it.each(['sort=desc', 'sort=asc', 'sort_by=value&sort=asc', 'sort_by=value', 'search=99'])(
    'has all that the pages of %s have, in their order',
    async (order) => {
      const entries = await allPages(order);
      const path = `/api/v1/stats/${id}?name=event&${range}&${order}`;
      const lines = (await api.get(path, accepting('application/x-ndjson'))).text.split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(entries);
      const csv = await api.get(path, accepting('text/csv'));
      expect(csv.text.split('\r\n')).toEqual([
        'value,label,count',
        ...entries.map(({ value, label, count }) => `'${value},'${label},${count}`),
        '',
      ]);
      expect(csv.headers.get('Content-Disposition')).toBe(
        'attachment; filename="event-2026-01-01-2026-01-31.csv"',
      );
    },
  );

  it('has what was counted before as well', async () => {
    const { text } = await api.get(
      `/api/v1/stats/${id}?name=event&${range}&compare=previous&per_page=10`,
      accepting('text/csv'),
    );
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'value,label,count,previous_count',
      expect.stringMatching(/,3,0$/),
    ]);
  });

  it('has one page where one is asked for', async () => {
    const path = `/api/v1/stats/${id}?name=event&${range}&page=2&per_page=10`;
    const { status, text } = await api.get(path, accepting('text/csv'));
    expect(status).toBe(200);
    expect(text.split('\r\n')).toHaveLength(12);
  });

  it('is not sent again to a caller who has it', async () => {
    const path = `/api/v1/stats/${id}?name=event&${range}`;
    for (const type of ['text/csv', 'application/x-ndjson']) {
      const { headers } = await api.get(path, accepting(type));
      const again = await api.get(path, {
        headers: { Accept: type, 'If-None-Match': headers.get('ETag')! },
      });
      expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', headers.get('ETag')]);
    }
    const { headers } = await api.get(path, accepting('text/csv'));
    await addHits(service, id, hitsOn('2026-01-06', 1, { event: 'late' }));
    const changed = { Accept: 'text/csv', 'If-None-Match': headers.get('ETag')! };
    expect((await api.get(path, { headers: changed })).status).toBe(200);
  });

  it('is a problem like any other for a stranger', async () => {
    const stranger = await service.anotherUser();
    const answer = await stranger.get(`/api/v1/stats/${id}?name=event&${range}`, accepting('text/csv'));
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });
});

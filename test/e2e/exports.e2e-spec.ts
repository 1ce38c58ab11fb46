import { once } from 'node:events';
import { type IncomingMessage, request, ServerResponse } from 'node:http';
import { Gate } from '../../engine/ground/gate';
import type { EntityDatabase } from '../../src/database/entity-database';
import type { ShowStats } from '../../src/stats/dto/show-stats.dto';
import { StatsService } from '../../src/stats/stats.service';
import { Privacy } from '../../src/websites/privacy/privacy';
import { Website } from '../../src/websites/website.entity';
import type { ApiClient } from '../support/api-client';
import { change } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { loseTexts } from '../support/store-hooks';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const WEBSITES = '/api/v1/websites';
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

let database: FreshDatabase;
let service: TestApp;
let owner: ApiClient;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  owner = await service.anotherUser();
  for (const fields of [
    { domain: 'one.example', exclude_params: '@a\n-b', exclude_ips: '::1' },
    { domain: 'two.example', privacy: '2', password: 'x', favorited_at: '2026-01-01T00:00:00' },
    { domain: 'three.example', exclude_params: 'a,b"c' },
  ])
    await owner.post(WEBSITES, { form: fields });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const as = (type: string) => ({ headers: { Accept: type } });
const csv = async (query = '') => (await owner.get(WEBSITES + query, as(CSV))).text.split('\r\n');
const json = async (query: string) => (await owner.get(WEBSITES + query)).body.data;

async function fill(
  into: EntityDatabase,
  userId: number,
  websites: number,
  excludeParams: string,
): Promise<void> {
  const rows = Array.from({ length: websites }, (_, i) => ({
    ...{ userId, domain: `n${i}.user${userId}.example`, privacy: Privacy.Private, passwordHash: null },
    ...{
      email: 0 as const,
      excludeBots: 1 as const,
      excludeParams,
      excludeIps: null,
      allowedOrigins: null,
      shareFilters: 0 as const,
      favoritedAt: null,
    },
    ...{ createdAt: new Date(), updatedAt: new Date() },
  }));
  for (let at = 0; at < websites; at += 100)
    await into.write((manager) => manager.insert(Website, rows.slice(at, at + 100)));
}

describe('as CSV', () => {
  it('is a file with a line of names and a line for each website', async () => {
    const answer = await owner.get(`${WEBSITES}?sort=asc`, as(CSV));
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="websites.csv"');
    const [one, two, three] = await json('?sort=asc');
    expect(answer.text).toBe(
      [
        Object.keys(one).join(','),
        `${one.id},one.example,1,false,0,1,"'@a\n'-b",::1,,0,0,,${one.created_at},${one.updated_at}`,
        `${two.id},two.example,2,true,0,1,,,,0,0,2026-01-01T00:00:00,${two.created_at},${two.updated_at}`,
        `${three.id},three.example,1,false,0,1,"a,b""c",,,0,0,,${three.created_at},${three.updated_at}`,
        '',
      ].join('\r\n'),
    );
  });

  it('is only the line of names where there is nothing', async () => {
    expect(await csv('?search=nothing')).toEqual([expect.stringMatching(/^id,domain,/), '']);
  });
});

describe('as NDJSON', () => {
  it('is a file with each website as JSON on a line of its own', async () => {
    const answer = await owner.get(`${WEBSITES}?sort=asc`, as(NDJSON));
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="websites.ndjson"');
    const websites = await json('?sort=asc');
    expect(answer.text).toBe(websites.map((website: object) => `${JSON.stringify(website)}\n`).join(''));
  });

  it('is empty where there is nothing', async () => {
    const answer = await owner.get(`${WEBSITES}?search=nothing`, as(NDJSON));
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('the header Accept', () => {
  const JSON_TYPE = 'application/json';

  it.each([
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['application/json; charset=iso-8859-1', JSON_TYPE],
    ['text/csv;q=0.5, application/json;version=1;q=0.9', JSON_TYPE],
    ['text/csv;q=0.5, application/json;version=1;q=0.1', CSV],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['text/csv;q=0.5, application/json', JSON_TYPE],
    ['text/csv;q=0, */*', JSON_TYPE],
    ['text/csv', CSV],
    ['TEXT/CSV', CSV],
    ['text/csv;charset=UTF-8', CSV],
    ['text/*', CSV],
    ['text/csv, */*', CSV],
    ['application/json;q=0.5, text/csv', CSV],
    ['application/x-ndjson, */*;q=0.1', NDJSON],
    ['application/json;q=0, application/*', NDJSON],
  ])('%j gets %s', async (accept, type) => {
    const answer = await owner.get(WEBSITES, as(accept));
    expect(answer.headers.get('Content-Type')).toMatch(type);
    expect(answer.headers.get('Vary')).toContain('Accept');
  });

  it.each([
    'text/html',
    'application/xml',
    'application/json-patch+json',
    'text/csv;q=0',
    'csv',
    'text/csv; header=absent',
    ';;;',
    '"',
    ',',
  ])('%j gets 406', async (accept) => {
    const answer = await owner.get(WEBSITES, as(accept));
    expect(answer.body).toMatchObject({ status: 406, code: 'not_acceptable' });
    expect(answer.headers.get('Vary')).toContain('Accept');
  });
});

describe('the parameter format', () => {
  it.each([
    ['csv', '*/*', CSV],
    ['ndjson', CSV, NDJSON],
    ['json', CSV, 'application/json'],
    ['json', 'text/html', 'application/json'],
  ])('%s comes before Accept: %s', async (format, accept, type) => {
    const answer = await owner.get(`${WEBSITES}?format=${format}`, as(accept));
    expect(answer.headers.get('Content-Type')).toMatch(type);
    if (format === 'json') expect(answer.body.links.next ?? answer.body.links.first).toContain('format=json');
  });

  it('is one of three, sent once', async () => {
    for (const query of ['?format=xml', '?format=', '?format=csv&format=csv'])
      expect((await owner.get(WEBSITES + query)).body.errors).toHaveProperty('format');
  });
});

describe('statistics as a file', () => {
  let stats: string;
  beforeAll(async () => {
    const { id } = (await service.api.post(WEBSITES, { form: { domain: 'files.example' } })).body.data;
    const pages = ['/a', '/a', '/b', '/=1+1'].map((page, i) =>
      visitorsOn('2026-01-15', 1, { page, country: ['US', 'DE'][i % 2]! }),
    );
    await addHits(service, id, pages.flat());
    stats = `/api/v1/stats/${id}`;
  });
  const days = 'from=2026-01-15&to=2026-01-15';
  const linesOf = async (path: string) =>
    (await service.api.get(`${stats}${path}`, as('*/*'))).text.split('\r\n').slice(0, -1);

  it('has the entries of all names of a summary, each with its name', async () => {
    expect(await linesOf(`/summary?names=visitor,page&${days}&format=csv&compare=previous`)).toEqual([
      'name,value,label,count,previous_count',
      'visitor,2026-01-15,2026-01-15,4,0',
      'page,/a,/a,2,0',
      'page,/=1+1,/=1+1,1,0',
      'page,/b,/b,1,0',
    ]);
    const answer = await service.api.get(`${stats}/summary?names=page&${days}`, as(NDJSON));
    expect(answer.text.split('\n')[0]).toBe('{"name":"page","value":"/a","label":"/a","count":2}');
  });

  it('has a tag of its own in each format', async () => {
    const path = `${stats}/summary?names=page&${days}`;
    const types = ['application/json', CSV, NDJSON];
    for (const known of types) {
      const tag = (await service.api.get(path, as(known))).headers.get('ETag')!;
      for (const Accept of types) {
        const answer = await service.api.get(path, { headers: { 'If-None-Match': tag, Accept } });
        expect(answer.status).toBe(Accept === known ? 304 : 200);
      }
    }
  });

  it('has the values of a name', async () => {
    expect(await linesOf('/values?name=country&format=csv')).toEqual([
      'value,label,count',
      'DE,Germany,2',
      'US,United States,2',
    ]);
  });

  it('has the rows of a query, with the numbers of the previous range in columns of their own', async () => {
    const body = { metrics: ['bounce_rate'], dimensions: ['page'], range: ['2026-01-15', '2026-01-15'] };
    const asked = (json: object, sent: { format?: string; accept?: string }) =>
      service.api.post(`${stats}/query${sent.format ? `?format=${sent.format}` : ''}`, {
        json,
        ...as(sent.accept ?? '*/*'),
      });
    const csv = await asked({ ...body, compare: 'previous', per_page: 1, page: 2 }, { accept: CSV });
    expect(csv.headers.get('Content-Disposition')).toBe('attachment; filename="query.csv"');
    expect(csv.text.split('\r\n').slice(0, -1)).toEqual([
      'page,bounce_rate,bounces,visits,previous_bounce_rate,previous_bounces,previous_visits',
      '/a,1,2,2,,0,0',
    ]);
    expect((await asked({ ...body, per_page: 1 }, { format: 'ndjson' })).text).toBe(
      '{"page":"/=1+1","bounce_rate":1,"bounces":1,"visits":1}\n',
    );
    expect((await asked(body, { format: 'json', accept: CSV })).body.meta.total).toBe(3);
    expect((await asked({ queries: [body] }, { format: 'csv' })).body).toMatchObject({ status: 406 });
    expect((await asked({ queries: [body] }, {})).status).toBe(200);
  });

  it('is 406 where there is only JSON', async () => {
    const range = ['2026-01-15', '2026-01-15'];
    for (const path of [`${stats}/live`, '/api/v1/names']) {
      expect((await service.api.get(path, as(CSV))).body).toMatchObject({ code: 'not_acceptable' });
      expect((await service.api.get(path, as('application/*'))).status).toBe(200);
      expect((await service.api.get(`${path}?format=csv`)).body.errors).toHaveProperty('format');
    }
    for (const [path, json] of [
      [
        'funnel',
        {
          steps: [
            ['is', 'page', ['/a']],
            ['is', 'page', ['/b']],
          ],
          range,
        },
      ],
      ['journey', { range }],
    ] as const)
      expect((await service.api.post(`${stats}/${path}`, { json, ...as(CSV) })).status).toBe(406);
  });

  it('is 406 before anything is stored where there is only JSON', async () => {
    const json = { domain: 'unacceptable.example' };
    expect((await service.api.post(WEBSITES, { json, ...as(CSV) })).status).toBe(406);
    for (const path of [
      '/api/v1/me',
      '/api/v1/keys',
      '/api/v1/websites/1',
      `/share/files.example/api/annotations?${days}`,
    ])
      expect((await service.api.get(path, as(CSV))).status).toBe(406);
    expect((await service.api.post(WEBSITES, { json })).status).toBe(201);
  });

  it('may be single hits as CSV', async () => {
    expect((await linesOf(`/hits?${days}&format=csv`))[0]).toContain('occurred_at');
    expect(
      (await service.api.get(`${stats}/hits?${days}&format=json`, as('*/*'))).body.errors.format,
    ).toEqual(['must be one of csv, ndjson']);
  });
});

describe('a file', () => {
  it('takes the same filters and orders', async () => {
    expect(await csv('?favorite=1')).toHaveLength(3);
    expect((await csv('?search=ONE'))[1]).toContain('one.example');
    const domains = (await csv('?sort_by=domain&sort=asc')).slice(1, -1).map((line) => line.split(',')[1]);
    expect(domains).toEqual(['one.example', 'three.example', 'two.example']);
  });

  it('holds one page where a page is asked for', async () => {
    expect(await csv('?page=1&per_page=10')).toHaveLength(5);
    expect(await csv('?page=2')).toHaveLength(2);
  });

  it('holds every website once, in each order, however many there are', async () => {
    const many = await service.anotherUser();
    await fill(service.database, await newestUser(), 601, '');
    for (const [query, first, last] of [
      ['sort_by=id&sort=asc', 'n0.', 'n600.'],
      ['sort_by=id&sort=desc', 'n600.', 'n0.'],
      ['sort_by=domain&sort=asc', 'n0.', 'n99.'],
      ['sort_by=domain&sort=desc', 'n99.', 'n0.'],
    ]) {
      const answer = await many.get(`${WEBSITES}?${query}`, as(NDJSON));
      const domains = answer.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).domain as string);
      expect(new Set(domains).size).toBe(601);
      expect(domains).toHaveLength(601);
      expect([domains[0], domains.at(-1)]).toEqual([
        expect.stringContaining(first!),
        expect.stringContaining(last!),
      ]);
    }
  });

  it('needs a key and right parameters', async () => {
    expect((await owner.as(undefined).get(WEBSITES, as(CSV))).status).toBe(401);
    expect((await owner.get(`${WEBSITES}?sort=up`, as(CSV))).status).toBe(422);
    expect((await owner.get(`${WEBSITES}?page=0`, as(CSV))).status).toBe(422);
  });

  it('is announced by HEAD without its lines', async () => {
    const answer = await owner.send('HEAD', WEBSITES, as(CSV));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('Content-Disposition')).toContain('websites.csv');
    expect((await owner.send('HEAD', `${WEBSITES}?search=nothing`, as(NDJSON))).status).toBe(200);
  });
});

describe('a large file', () => {
  const ROWS = 2400;
  const READS = ROWS / 5;
  beforeAll(() => fill(service.database, 1, ROWS, 'x'.repeat(10_000)));

  const opened = async (): Promise<IncomingMessage> => {
    const headers = { Authorization: `Bearer ${FIRST_KEY}`, Accept: CSV };
    const sent = request(service.address + WEBSITES, { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  };
  const logged = (status: string) =>
    service.logs.filter((line) => line.includes(`"status":${status}`)).length;

  it('is read from the database only as fast as the client takes it, and no further than that', async () => {
    const reads = jest.spyOn(Gate.prototype, 'continue');
    const readBesideOthers = async () => {
      const before = reads.mock.calls.length;
      for (let others = 0; others < 20; others++) await service.api.get('/health/live');
      return reads.mock.calls.length - before;
    };
    const writes = jest.spyOn(ServerResponse.prototype, 'write');
    const answer = await opened();
    await until(() => writes.mock.results.some(({ value }) => value === false));
    writes.mockRestore();
    await until(async () => (await readBesideOthers()) === 0);
    expect(reads.mock.calls.length).toBeLessThan(READS / 2);
    answer.destroy();
    await until(() => logged('"aborted"') > 0);
    expect(await readBesideOthers()).toBe(0);
    reads.mockRestore();
  });

  it('ends for a client that takes no byte for 30 seconds', async () => {
    const waits = jest.spyOn(ServerResponse.prototype, 'setTimeout');
    const answer = await opened();
    const [milliseconds, end] = waits.mock.calls[0]!;
    waits.mockRestore();
    expect(milliseconds).toBe(30_000);
    const broken = new Promise((resolve) => answer.on('error', resolve));
    (end as () => void)();
    answer.resume();
    await broken;
    expect(answer.complete).toBe(false);
  });

  it('breaks off where the rest cannot be read', async () => {
    const answer = await opened();
    const ended = new Promise((resolve) => answer.on('end', () => resolve('complete')).on('error', resolve));
    await change(database.url, 'ALTER TABLE websites RENAME TO elsewhere');
    answer.resume();
    expect(await ended).toMatchObject({ code: 'ECONNRESET' });
    expect(service.logs.join()).toMatch(/internal_error.*(ER_NO_SUCH_TABLE|SQLITE_ERROR)/);
    const early = await service.api.get(WEBSITES, as(CSV));
    await change(database.url, 'ALTER TABLE elsewhere RENAME TO websites');
    expect(early.body).toMatchObject({ status: 500, code: 'internal_error' });
    expect(early.headers.get('Content-Disposition')).toBeNull();
  });
});

async function newestUser(): Promise<number> {
  return service.database.read(async (manager) => {
    const [row] = await manager.query<{ id: number }[]>('SELECT MAX(id) AS id FROM users');
    return Number(row!.id);
  });
}

const pagesOf = (websiteId: number, sort_by: 'count' | 'value', owner = 1) => {
  const query: ShowStats = {
    name: 'page',
    from: 0,
    to: 30_000,
    sort_by,
    sort: 'desc',
    page: 1,
    per_page: 10,
  };
  return service.app.get(StatsService).file({ as: 'owner', userId: 1 }, websiteId, query, { owner }).pieces();
};

it('keeps places for others while one owner leaves many files unread', async () => {
  const { id } = (await service.api.post(WEBSITES, { form: { domain: 'unread.example' } })).body.data;
  await addHits(service, id, hitsOn('2026-01-15', 1));
  const begun = Array.from({ length: 12 }, () => pagesOf(id, 'count'));
  for (const pieces of begun) expect((await pieces.next()).value).toHaveLength(1);
  await expect(pagesOf(id, 'count').next()).rejects.toMatchObject({ code: 'too_many_requests' });
  for (let others = 2; others <= 4; others++)
    for (let place = 0; place < 12; place++) begun.push(pagesOf(id, 'count', others));
  for (const pieces of begun.slice(12)) expect((await pieces.next()).value).toHaveLength(1);
  await expect(pagesOf(id, 'count', 5).next()).rejects.toMatchObject({ code: 'overloaded' });
  await begun[0]!.return(undefined);
  begun.push(pagesOf(id, 'count', 5));
  expect((await begun.at(-1)!.next()).value).toHaveLength(1);
  for (const pieces of begun) await pieces.return(undefined);
});

it.each(['count', 'value'] as const)(
  'breaks off with statistics by %s of a website that is deleted meanwhile',
  async (sort_by) => {
    const { id } = (await service.api.post(WEBSITES, { form: { domain: 'gone.example' } })).body.data;
    const pages = Array.from({ length: 2300 }, (_, i) =>
      hitsOn('2026-01-15', (i % 5) + 1, { page: `/${i}` }),
    );
    await addHits(service, id, pages.flat());
    const sent: object[] = [];
    const sending = (async () => {
      for await (const piece of pagesOf(id, sort_by)) {
        if (sent.length === 0) await service.api.delete(`${WEBSITES}/${id}`);
        await change(database.url, loseTexts(id));
        sent.push(...piece);
      }
    })();
    await expect(sending).rejects.toThrow('Website not found.');
    expect(sent).toHaveLength(1000);
  },
);

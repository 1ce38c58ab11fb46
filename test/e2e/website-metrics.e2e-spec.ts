import { ApiKeysService } from '../../src/auth/api-keys.service';
import { StatsService } from '../../src/stats/stats.service';
import { inChunks, insertRows } from '../../engine/database/rows';
import { HitStore } from '../../engine/port';
import { CHROME } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const PATH = '/api/v1/metrics';
const TEXT = { headers: { Accept: 'text/plain' } };

let service: TestApp;
let other: ApiClient;
const ids = new Map<string, number>();
beforeAll(async () => {
  service = await startApp();
  other = await service.anotherUser();
  for (const domain of ['busy.example', 'quiet.example']) await add(service.api, domain);
  await add(other, 'other.example');
  await addGoal(service.api, 'busy.example');
  for (const path of ['/', '/thanks', '/thanks']) await view('busy.example', path);
  await view('other.example', '/');
});
afterAll(() => service.stop());

async function add(api: ApiClient, domain: string): Promise<void> {
  const { body } = await api.post('/api/v1/websites', { form: { domain } });
  ids.set(domain, body.data.id);
}

async function addGoal(api: ApiClient, domain: string): Promise<void> {
  const goal = { name: 'Order', filters: [['is', 'page', ['/thanks']]] };
  expect((await api.post(`/api/v1/websites/${ids.get(domain)}/goals`, { json: goal })).status).toBe(201);
}

async function view(domain: string, path: string): Promise<void> {
  await service.api.as(undefined).post('/api/v1/events', {
    json: { url: `https://${domain}${path}` },
    headers: { 'User-Agent': CHROME },
  });
  await until(async () => !(await service.app.get(HitStore).hasWaiting(ids.get(domain)!)));
}

async function linesFor(api: ApiClient): Promise<string[]> {
  const { status, text } = await api.get(PATH, TEXT);
  expect(status).toBe(200);
  return text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE)/.test(line));
}

it('has the numbers of each website that the key may see', async () => {
  expect(await linesFor(service.api)).toEqual([
    'milepost_website_visitors_now{domain="busy.example"} 1',
    'milepost_website_visitors_now{domain="quiet.example"} 0',
    'milepost_website_visitors_today{domain="busy.example"} 1',
    'milepost_website_visitors_today{domain="quiet.example"} 0',
    'milepost_website_pageviews_today{domain="busy.example"} 3',
    'milepost_website_pageviews_today{domain="quiet.example"} 0',
    'milepost_website_conversions_today{domain="busy.example"} 2',
  ]);
  const of = (domain: string) => [ids.get(domain)!];
  const limited = await service.app
    .get(ApiKeysService)
    .create(1, { name: 'quiet', scope: 'read', expiresAt: null, websites: of('quiet.example') });
  const own = await linesFor(service.api.as(limited));
  expect(own.every((line) => line.includes('quiet.example'))).toBe(true);
  expect(own).toHaveLength(3);
  expect((await linesFor(other)).every((line) => line.includes('other.example'))).toBe(true);
});

it('needs a key that may read, and takes no parameters', async () => {
  expect((await service.api.as(undefined).get(PATH, TEXT)).status).toBe(401);
  for (const scope of ['events', 'annotations'] as const) {
    const key = await service.app.get(ApiKeysService).create(1, { name: scope, scope, expiresAt: null });
    expect((await service.api.as(key).get(PATH, TEXT)).status).toBe(403);
  }
  expect((await service.api.get(`${PATH}?domain=busy.example`, TEXT)).body.errors).toHaveProperty('domain');
  expect((await service.api.get(PATH)).status).toBe(406);
  expect((await service.api.get(PATH, TEXT)).headers.get('Content-Type')).toMatch('version=0.0.4');
});

it('is made once for a while, until the websites of the key are others', async () => {
  const user = await service.anotherUser();
  await add(user, 'first.example');
  const summaries = jest.spyOn(service.app.get(StatsService), 'summarise');
  const texts = await Promise.all(Array.from({ length: 50 }, () => user.get(PATH, TEXT)));
  expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  await view('first.example', '/');
  expect(await linesFor(user)).toContain('milepost_website_pageviews_today{domain="first.example"} 0');
  expect(summaries).toHaveBeenCalledTimes(1);
  await add(user, 'second.example');
  expect(await linesFor(user)).toContain('milepost_website_pageviews_today{domain="first.example"} 1');
  await user.delete(`/api/v1/websites/${ids.get('first.example')}`);
  expect((await linesFor(user)).every((line) => line.includes('second.example'))).toBe(true);
  summaries.mockRestore();
});

it('makes one text at a time for a user', async () => {
  const user = await service.anotherUser();
  await add(user, 'turn-1.example');
  await add(user, 'turn-2.example');
  const { body } = await user.get('/api/v1/me');
  const keys = service.app.get(ApiKeysService);
  const key = (name: string) =>
    keys.create(body.data.id, { name, scope: 'read', expiresAt: null, websites: [ids.get(name)!] });
  let [running, most] = [0, 0];
  const stats = service.app.get(StatsService);
  const summarise = stats.summarise.bind(stats);
  const slow = jest.spyOn(stats, 'summarise').mockImplementation(async (...parameters) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return summarise(...parameters).finally(() => running--);
  });
  const callers = [user, user.as(await key('turn-1.example')), user.as(await key('turn-2.example'))];
  const answers = await Promise.all(callers.map(linesFor));
  slow.mockRestore();
  expect(answers.map((lines) => lines.length)).toEqual([6, 3, 3]);
  expect(most).toBe(1);
});

/** Copies a row of a table as often as there are changes. */
async function copy(table: string, id: number, changes: Record<string, unknown>[]): Promise<void> {
  await service.database.write(async (manager) => {
    const [row] = await manager.query<Record<string, unknown>[]>(`SELECT * FROM ${table} WHERE id = ?`, [id]);
    const rest = Object.fromEntries(Object.entries(row!).filter(([column]) => column !== 'id'));
    const rows = changes.map((change) => Object.values({ ...rest, ...change }));
    for (const some of inChunks(rows, 100)) await insertRows(manager, table, Object.keys(rest), some);
  });
}

it('lists the first 1,000 websites, and no conversions of very many goals', async () => {
  const user = await service.anotherUser();
  await add(user, 'many.example');
  await addGoal(user, 'many.example');
  const id = ids.get('many.example')!;
  const { body } = await user.get(`/api/v1/websites/${id}/goals`);
  const others = Array.from({ length: 1000 }, (_, index) => ({ domain: `many-${index}.example` }));
  await copy('websites', id, others);
  await copy(
    'goals',
    body.data[0].id,
    others.slice(0, 100).map((_, index) => ({ website_id: id + index + 1 })),
  );
  const lines = await linesFor(user);
  expect(lines.filter((line) => line.startsWith('milepost_website_visitors_now'))).toHaveLength(1000);
  expect(lines.filter((line) => line.includes('conversions_today'))).toEqual([]);
  expect(lines.slice(-2)).toEqual([
    '# Only the first 1000 websites are listed.',
    '# More than 100 websites have goals, so conversions are left out.',
  ]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { Overloaded, TooManyRequests } from '../../../engine/ground/errors';
import { HomeAway, RowsMissing } from '../../../engine/rows/row-home';
import { HasWebsites, LoadedTooOften } from '../../../src/demo/demo-run';
import { LimitsSharedPage, SessionRequired } from '../../../src/common/problems';
import { DatabaseUnavailable } from '../../../engine/database/errors';
import { NoAnswerInTime } from '../../../src/http/connections/answer-in-time';
import { RateLimited } from '../../../src/limits/rate-limit';
import { SentTooManyMails } from '../../../src/reports/report-now.service';
import { inGerman, PROBLEMS } from '../../../web/src/shared/language/problems';
import { de } from '../../../web/src/shared/language/webhooks/de';
import type { ApiClient, Answer } from '../../support/api-client';
import { untilCounted } from '../../support/counted';
import { type Site, visit, website } from '../../support/sending';
import { keepHitsFrom } from '../../support/store-hooks';
import { startApp, type TestApp } from '../../support/test-app';
import { goal, savedFilter, stored } from '../../support/website-resources';

let service: TestApp;
let site: Site;
let other: ApiClient;
beforeAll(async () => {
  service = await startApp({
    ALLOW_LOCAL_DOMAINS: 'off',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'stats@example.com',
    WEBHOOK_ALLOW: '127.0.0.1',
  });
  site = await website(service.api);
  other = await service.anotherUser();
});
afterAll(() => service.stop());

const ON_PAGE = [['is', 'page', ['/thanks']]];
const [FIRST, SECOND] = [{ filters: ON_PAGE }, { filters: [['is', 'event', ['signup']]] }];

const MANY = { filters: [['or', Array.from({ length: 60 }, (_, index) => ['is', 'page', [`/${index}`]])]] };

const ON_GOAL = ['is', 'goal', ['Signup']];
const VISITORS = { name: 'Many', metric: 'visitors', condition: 'above', threshold: 500 };

/** What a form of the console sends, and the part of the website that it is about. */
const WRONG_FIELDS: Record<string, object[]> = {
  '': [
    { password: 'x'.repeat(129) },
    { privacy: 2 },
    { exclude_ips: '203.0.113.7\n"nowhere" $1' },
    { exclude_ips: '\u0001' },
    { exclude_ips: Array.from({ length: 1001 }, () => '203.0.113.7').join('\n') },
    { exclude_params: 'a b' },
    { exclude_params: 'a'.repeat(256) },
    { allowed_origins: 'https://shop.example' },
    { allowed_origins: 'https://shop.example:8080' },
  ],
  '/goals': [
    { name: 'Signup', filters: ON_PAGE },
    { name: '', filters: ON_PAGE },
    { name: 'A', filters: [['is', 'page', ['']]] },
    { name: 'A', filters: [['contains', 'page', ['']]] },
    { name: 'A', filters: [['is', 'page', ['x'.repeat(20_000)]]] },
    { name: 'A', filters: ON_PAGE, value: 'many', currency: 'EUR' },
    { name: 'A', filters: ON_PAGE, value: '1', currency: 'Euro' },
    { name: 'A', filters: ON_PAGE, value: '1' },
    { name: 'A', filters: ON_PAGE, currency: 'EUR' },
  ],
  '/saved-filters': [
    { name: 'Buyers', filters: ON_PAGE },
    { name: 'A', filters: [['is', 'goal', ['Missing']]] },
    { name: 'A', filters: [['saved', 'Missing']] },
    { name: 'A', filters: [['saved', 'A']] },
    { name: 'A', filters: [['saved', 'Third']] },
  ],
  '/funnels': [
    { name: 'Steps', steps: [FIRST, SECOND] },
    { name: 'A', steps: [FIRST] },
    { name: 'A', steps: [MANY, MANY] },
    { name: 'A', steps: [FIRST, { filters: [...ON_PAGE, ['is', 'page', ['/other']]] }] },
    { name: 'A', steps: [FIRST, { filters: [ON_GOAL, ['is', 'page', ['/other']]] }] },
  ],
  '/alerts': [
    VISITORS,
    { ...VISITORS, name: 'A', threshold: -1 },
    { ...VISITORS, name: 'A', condition: 'falls', threshold: 101, within: 'hour' },
    { ...VISITORS, name: 'A', condition: 'rises', threshold: 1_000_000, within: 'hour' },
    { ...VISITORS, name: 'A', quiet_hours: 0 },
    { ...VISITORS, name: 'A', recipients: ['nobody'] },
    { ...VISITORS, name: 'A', recipients: ['a@example.com', 'a@example.com'] },
    { ...VISITORS, name: 'A', recipients: Array.from({ length: 11 }, (_, of) => `a${of}@example.com`) },
    { ...VISITORS, name: 'A', filters: [...MANY.filters, ...MANY.filters] },
  ],
  '/exclusions': [{ name: 'A', filters: [], all: true, from: '2026-01-02', to: '2026-01-01' }],
  '/annotations': [{ text: '' }],
};

const DOMAINS = [
  '',
  'http://a.example',
  '203.0.113.7',
  'single',
  '-a.example',
  'com.au',
  `${'a'.repeat(300)}.example`,
];

async function refusals(): Promise<Answer[]> {
  const { api } = service;
  const path = `/api/v1/websites/${site.id}`;
  const foreign = (await other.post('/api/v1/websites', { json: { domain: 'foreign.example' } })).body.data;
  const answers: Answer[] = [];
  const send = async (...sent: Parameters<ApiClient['send']>) => answers.push(await api.send(...sent));
  for (const domain of [...DOMAINS, site.domain, 'a.foreign.example'])
    await send('POST', '/api/v1/websites', { json: { domain } });
  await other.delete(`/api/v1/websites/${foreign.id}`);
  await send('POST', '/api/v1/websites', { json: { domain: 'foreign.example' } });
  for (const [part, sent] of Object.entries(WRONG_FIELDS))
    for (const json of sent) await send(part === '' ? 'PATCH' : 'POST', path + part, { json });
  const list = (await api.get(`${path}/goals`)).body.data;
  for (const { id } of list) await send('DELETE', `${path}/goals/${id}`);
  const watched = list.find((one: { name: string }) => one.name === 'Watched');
  await send('PATCH', `${path}/goals/${watched.id}`, { json: MANY });
  const saved = (await api.get(`${path}/saved-filters`)).body.data;
  await send('PATCH', `${path}/saved-filters/${saved[0].id}`, { json: { name: 'Customers' } });
  await send('DELETE', `${path}/goals/999999`);
  await send('POST', '/api/v1/keys', {
    json: { name: 'old', scope: 'full', expires_at: '2000-01-01T00:00:00' },
  });
  const { email: taken } = (await other.get('/api/v1/me')).body.data;
  for (const email of [taken, 'nobody']) await send('PATCH', '/api/v1/me', { json: { email } });
  return answers;
}

/** As many of each kind as there may be, and one more. */
async function fullLists(): Promise<Answer[]> {
  const fullSite = await website(service.api);
  const steps = [FIRST, SECOND];
  const kinds: [string, number, (name: string) => object][] = [
    ['goals', 100, (name) => ({ name, filters: ON_PAGE })],
    ['saved-filters', 100, (name) => ({ name, filters: ON_PAGE })],
    ['funnels', 100, (name) => ({ name, steps })],
    ['annotations', 1000, (text) => ({ text })],
    ['alerts', 20, (name) => ({ ...VISITORS, name })],
    ['exclusions', 100, (name) => ({ name, filters: [], all: true })],
  ];
  const answers: Answer[] = [];
  for (const [kind, most, json] of kinds) {
    const path = `/api/v1/websites/${fullSite.id}/${kind}`;
    for (let number = 0; number < most; number++)
      await service.api.post(path, { json: json(`number ${number}`) });
    answers.push(await service.api.post(path, { json: json('one more') }));
  }
  answers.push(await tooLongTogether());
  for (let number = 0; number < 101; number++)
    answers.push(
      await service.api.post('/api/v1/keys', { json: { name: `number ${number}`, scope: 'full' } }),
    );
  return answers.slice(0, kinds.length + 1).concat(answers.at(-1)!);
}

async function tooLongTogether(): Promise<Answer> {
  const { id } = await website(service.api);
  const filters = [['is', 'page', ['x'.repeat(16_000)]]];
  for (let number = 0; number < 16; number++) await goal(service.api, id, `number ${number}`, filters);
  return service.api.post(`/api/v1/websites/${id}/goals`, { json: { name: 'one more', filters } });
}

/** Exclusions that would be too much together, or change days whose hits are gone. */
async function refusedExclusions(): Promise<Answer[]> {
  const counted = await website(service.api);
  await visit(service.api, counted);
  await untilCounted(service.api, counted.id);
  await service.database.write((manager) => manager.query(keepHitsFrom(counted.id, 20_000)));
  const add = (name: string, filters: unknown[], from?: string) =>
    service.api.post(`/api/v1/websites/${counted.id}/exclusions`, { json: { name, filters, from } });
  const pages = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(length, '/'));
  expect((await add('A', MANY.filters)).status).toBe(201);
  return [
    await add('B', MANY.filters),
    await add('B', [['is', 'page', pages(990, 4)]]),
    await add('B', [['is', 'page', pages(20, 780)]]),
    await add('B', ON_PAGE, '2000-01-01'),
    ...(await refusedPurges(counted)),
  ];
}

/** Purges that are not confirmed, need a last day, or have begun. */
async function refusedPurges({ id, domain }: Site): Promise<Answer[]> {
  const json = { name: 'C', filters: ON_PAGE, to: '2026-12-31' };
  const made = await service.api.post(`/api/v1/websites/${id}/exclusions`, { json });
  const path = `/api/v1/websites/${id}/exclusions/${made.body.data.id}`;
  const change = (fields: object) => service.api.patch(path, { json: fields });
  const answers = [await change({ purge: true }), await change({ purge: true, domain, to: null })];
  await change({ purge: true, domain });
  answers.push(await change({ filters: MANY.filters }));
  await service.database.execute('UPDATE exclusions SET is_final = 1, is_purged = 0 WHERE id = ?', [
    made.body.data.id,
  ]);
  return [...answers, await change({ purge: true, domain })];
}

/** Alerts whose addresses were asked for confirmation too often. */
async function refusedAddresses(): Promise<Answer[]> {
  const api = await service.anotherUser();
  const alert = async (recipients: string[]) => {
    const { id } = await website(api);
    return api.post(`/api/v1/websites/${id}/alerts`, { json: { ...VISITORS, recipients } });
  };
  const answers: Answer[] = [];
  for (let time = 0; time < 4; time++) answers.push(await alert(['often@example.com']));
  const ten = (of: number) => Array.from({ length: 10 }, (_, index) => `${of}${index}@example.com`);
  for (let time = 0; time < 2; time++) answers.push(await alert(ten(time)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 422, 201, 422]);
  return answers.filter(({ status }) => status === 422);
}

/** Reports that nobody can get, and those that were sent too often. */
async function refusedReports(): Promise<Answer[]> {
  const { id } = await website(other);
  const sendNow = (api: ApiClient, websiteId: number) =>
    api.post(`/api/v1/websites/${websiteId}/report/send`);
  for (let time = 0; time < 3; time++) expect((await sendNow(other, id)).status).toBe(202);
  return [await sendNow(other, id), await sendNow(service.api, site.id)];
}

/** Sends a delivery of a webhook again, in each state in which that is refused. */
async function refusedDeliveries(): Promise<Answer[]> {
  const { api, database } = service;
  const webhook = { url: 'http://127.0.0.1:9/', events: ['alert'] };
  const { id } = (await api.post('/api/v1/webhooks', { json: webhook })).body.data;
  const path = `/api/v1/webhooks/${id}`;
  const test = () => api.post(`${path}/test`);
  const delivery = (await test()).body.data.id;
  const again = () => api.post(`${path}/deliveries/${delivery}/send`);
  const becomes = (changes: string) =>
    database.execute(`UPDATE webhook_deliveries SET ${changes} WHERE id = ?`, [delivery]);
  const answers = [await again()];
  await api.patch(path, { json: { enabled: 0 } });
  answers.push(await test());
  await api.patch(path, { json: { enabled: 1 } });
  await becomes("state = 'failed', body = '{}'");
  answers.push(await again());
  await becomes(`body = '{"a":1}', website_id = 999999`);
  answers.push(await again());
  await becomes('website_id = NULL');
  const later = Date.now() + 86_400_000;
  const waiting = Array.from(
    { length: 1000 },
    (_, index) => `(${id}, '${index}', 'alert', 'waiting', ${later}, ${later}, 0, 0, '[]', '{}')`,
  );
  await database.execute(
    `INSERT INTO webhook_deliveries (webhook_id, occasion, event, state, due_at, expires_at, attempts, created_at, answers, body)
    VALUES ${waiting.join(', ')}`,
    [],
  );
  answers.push(await again());
  await database.execute("DELETE FROM webhook_deliveries WHERE state = 'waiting' AND occasion <> '0'", []);
  await database.execute("UPDATE webhook_deliveries SET size_bytes = 16777216 WHERE occasion = '0'", []);
  answers.push(await again());
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(409));
  for (let number = 1; number < 20; number++) await api.post('/api/v1/webhooks', { json: webhook });
  const wrong = ['ftp://example.com', 'http://10.0.0.1/'].map((url) => ({ ...webhook, url }));
  for (const json of [webhook, ...wrong]) answers.push(await api.post('/api/v1/webhooks', { json }));
  return answers;
}

const DETAILS = [
  new SessionRequired(),
  new Overloaded(),
  new TooManyRequests(),
  new DatabaseUnavailable(),
  new HomeAway('ClickHouse', undefined),
  new RowsMissing(20_000),
  new NoAnswerInTime(),
  new LimitsSharedPage(),
  new SentTooManyMails(0),
  new RateLimited('new-keys', 1, {}),
  new RateLimited('management', 1, {}),
  new RateLimited('repeated-deliveries', 1, {}),
  new RateLimited('new-webhooks', 1, {}),
  new RateLimited('webhook-changes', 1, {}),
  new HasWebsites(),
  new LoadedTooOften(0),
].map(({ detail }) => detail);

it('has German words for all that the forms of the console can cause, and no others', async () => {
  await goal(service.api, site.id, 'Signup', ON_PAGE);
  await goal(service.api, site.id, 'Watched', ON_PAGE);
  await savedFilter(service.api, site.id, 'Buyers', [['is', 'goal', ['Signup']]]);
  await savedFilter(service.api, site.id, 'First', ON_PAGE);
  await savedFilter(service.api, site.id, 'Second', [['saved', 'First']]);
  await savedFilter(service.api, site.id, 'Third', [['saved', 'Second']]);
  const filters = [['is', 'goal', ['Watched']], ...MANY.filters];
  await stored(service.api, site.id, 'alerts', { ...VISITORS, filters });
  await stored(service.api, site.id, 'funnels', {
    name: 'Steps',
    steps: [{ filters: [['saved', 'Buyers']] }, SECOND],
  });
  const answers = [
    ...(await refusals()),
    ...(await fullLists()),
    ...(await refusedAddresses()),
    ...(await refusedExclusions()),
  ];
  expect(answers.map(({ status }) => status).filter((status) => status !== 422)).toEqual([409, 409, 404]);
  answers.push(...(await refusedReports()), ...(await refusedDeliveries()));
  const messages = answers.flatMap(({ body }) =>
    body.errors ? (Object.values(body.errors).flat() as string[]) : [body.detail as string],
  );
  const uses = PROBLEMS.map(([english]) => jest.spyOn(english, 'exec'));
  const said = [...messages, ...DETAILS].map((message) => [message, inGerman(message)] as const);
  expect(said.filter(([english, german]) => german === english)).toEqual([]);
  const unquoted = said.map(([, german]) => german.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''));
  expect(unquoted.filter((text) => /\b(must|is|not|the|with|has|least)\b|undefined|\$/.test(text))).toEqual(
    [],
  );
  const unused = PROBLEMS.filter((_, index) =>
    uses[index]!.mock.results.every(({ value }) => value === null),
  );
  expect(unused.map(([english]) => String(english))).toEqual([]);
});

it('leaves a message that it does not know as it is', () =>
  expect(inGerman('must be one of a, $1')).toBe('must be one of a, $1'));

it('has German words for each reason why a delivery fails', () => {
  const files = readdirSync('src/webhooks', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!spec)\.ts$/.test(name),
  );
  const sources = files.map((name) => readFileSync(`src/webhooks/${name}`, 'utf8'));
  const written = sources.flatMap((source) =>
    [...source.matchAll(/(?<!warn\()(['"`])((?:the|no|more than) .+?)\1/g)].map(([, , text]) =>
      text!.replaceAll(/\$\{[^}]*\}/g, '9'),
    ),
  );
  expect(written).toContain('the connection was refused');
  const { reason } = de.deliveries;
  const isWorded = (text: string) => reason(text) !== text || reason(`${text} (CODE)`) !== `${text} (CODE)`;
  expect(written.filter((text) => !isWorded(text))).toEqual([]);
});

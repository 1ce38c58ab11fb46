import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import { openApiDocument } from '../../src/docs';
import { expectDocumentedDelivery } from '../support/documented';
import { startApp, type TestApp } from '../support/test-app';

const FILE = `${__dirname}/../../openapi.json`;

interface Answers {
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

it('is kept in the repository as it is served', async () => {
  const text = `${JSON.stringify(openApiDocument(service.app), null, 2)}\n`;
  if (process.env.UPDATE_OPENAPI) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
  for (const path of ['/openapi.json', '/docs-json'])
    expect((await service.api.get(path)).body).toEqual(JSON.parse(text));
});

it('says that each route of the API that has only JSON may refuse other types', () => {
  const silent: string[] = [];
  for (const [path, operations] of Object.entries(openApiDocument(service.app).paths))
    for (const [method, { responses }] of Object.entries(operations as Record<string, Answers>)) {
      const types = Object.entries(responses)
        .filter(([status]) => Number(status) < 300)
        .flatMap(([, { content = {} }]) => Object.keys(content));
      const isOfApi = /^\/(api\/v1|share)\//.test(path);
      if (isOfApi && types.join() === 'application/json' && !responses[406]) silent.push(`${method} ${path}`);
    }
  expect(silent).toEqual([]);
});

it('takes forms, whose values are all texts, as the service takes them', async () => {
  const { components } = openApiDocument(service.app);
  const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: true });
  const takes = (name: string, form: object) => ajv.validate(components!.schemas![name]!, form);
  const options = { email: '1', exclude_bots: '0', privacy: '0', exclude_params: 'a\nb', favorited_at: '' };
  const stored = await service.api.post('/api/v1/websites', {
    form: { domain: 'forms.example', ...options },
  });
  expect(stored.status).toBe(201);
  expect(takes('StoreWebsiteForm', { domain: 'forms.example', ...options })).toBe(true);
  const { id } = stored.body.data;
  for (const form of [
    { email: 'true' },
    { email: '2' },
    { favorited_at: '2026-01-01' },
    { domain: 'a.example' },
  ]) {
    expect(takes('UpdateWebsiteForm', { ...form })).toBe(false);
    expect((await service.api.patch(`/api/v1/websites/${id}`, { form })).status).toBe(422);
  }
});

it('has at most 350 kB, with a valid example for each answer, and schemas that say what they are', () => {
  const document = openApiDocument(service.app);
  const longest = { ...document, servers: [{ url: `https://${'a'.repeat(250)}` }] };
  expect(Buffer.byteLength(JSON.stringify(longest))).toBeLessThanOrEqual(350_000);
  const schemas = document.components!.schemas as Record<string, { description?: string }>;
  expect(Object.keys(schemas).filter((name) => !schemas[name]!.description)).toEqual([]);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'openapi' });
  const wrong: string[] = [];
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(operations as Record<string, Answers>))
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const [type, { example }] of Object.entries(content)) {
          const place = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
          const pointer = place.map((part) => encodeURIComponent(part.replaceAll('/', '~1'))).join('/');
          if (!ajv.validate({ $ref: `openapi#/${pointer}` }, example))
            wrong.push(`${method} ${path} ${type}`);
        }
  expect(wrong).toEqual([]);
});

it('has a sample of each event of webhooks, as it is posted', () => {
  const { webhooks } = JSON.parse(JSON.stringify(openApiDocument(service.app)));
  const samples = Object.values<any>(webhooks).map(
    ({ post }) => post.requestBody.content['application/json'].example,
  );
  expect(samples.map(({ event }) => event)).toEqual(Object.keys(webhooks));
  for (const sample of samples) expectDocumentedDelivery(sample);
});

it('has examples that select page views, not the events on the pages', () => {
  const ofPages = listsIn(openApiDocument(service.app)).filter((list) =>
    list.some((one) => Array.isArray(one) && one[1] === 'page'),
  );
  expect(ofPages.length).toBeGreaterThan(0);
  for (const list of ofPages) expect(list).toContainEqual(['is', 'event', [null]]);
});

function listsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(listsIn);
  return Array.isArray(value) ? [value, ...inside] : inside;
}

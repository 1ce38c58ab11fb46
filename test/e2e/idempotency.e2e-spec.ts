import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const WEBSITES = '/api/v1/websites';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

const store = (form: Record<string, string>, key: string, api = service.api) =>
  api.post(WEBSITES, { form, headers: { 'Idempotency-Key': key } });

/** Hashing a password may be refused with 429 on a busy machine. */
function storePatiently(form: Record<string, string>, key: string) {
  return until(async () => {
    const answer = await store(form, key);
    return answer.status !== 429 && answer;
  });
}

it('makes one website, however often and at once a request is sent', async () => {
  const key = randomUUID();
  const form = { domain: 'once.example', privacy: '2', password: 'secret words' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => storePatiently(form, key)));
  answers.push(await storePatiently({ ...form, domain: 'WWW.Once.Example' }, key));
  for (const { status, body, headers } of answers) {
    expect(status).toBe(201);
    expect(body).toEqual(answers[0]!.body);
    expect(headers.get('Location')).toBe(`${WEBSITES}/${body.data.id}`);
  }
  expect((await service.api.get(`${WEBSITES}?search=once.example`)).body.meta.total).toBe(1);
  expect((await store(form, randomUUID())).body.errors).toHaveProperty('domain');
  const rows = await service.database.read((manager) => manager.query('SELECT * FROM store_requests'));
  expect(JSON.stringify(rows)).not.toContain('secret words');
});

it('refuses a key that was sent with another request, or whose website is gone', async () => {
  const key = randomUUID();
  const { body } = await store({ domain: 'first.example' }, key);
  const reused = { status: 422, code: 'idempotency_key_reused' };
  expect((await store({ domain: 'second.example' }, key)).body).toMatchObject(reused);
  expect((await store({ domain: 'first.example', privacy: '0' }, key)).body).toMatchObject(reused);
  await service.api.delete(`${WEBSITES}/${body.data.id}`);
  expect((await store({ domain: 'first.example' }, key)).body).toMatchObject(reused);
});

it('tells the keys of users apart, and keeps none of a request that failed', async () => {
  const key = randomUUID();
  expect((await store({ domain: 'no domain' }, key)).status).toBe(422);
  expect((await store({ domain: 'mine.example' }, key)).status).toBe(201);
  const other = await service.anotherUser();
  expect((await store({ domain: 'theirs.example' }, key, other)).status).toBe(201);
});

it.each(['', 'with blank', 'x'.repeat(256)])('takes %j for no key', async (key) => {
  expect((await store({ domain: 'none.example' }, key)).body).toMatchObject({
    status: 400,
    code: 'malformed',
  });
});

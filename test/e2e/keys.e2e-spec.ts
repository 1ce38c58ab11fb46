import type { ApiClient } from '../support/api-client';
import { startApp, type TestApp } from '../support/test-app';

const KEYS = '/api/v1/keys';
const ME = '/api/v1/me';

let service: TestApp;
let user: ApiClient;
beforeAll(async () => {
  service = await startApp();
  user = await service.anotherUser();
});
afterAll(() => service.stop());

it('shows who one is and what the key may do', async () => {
  const { body } = await service.api.get(ME);
  expect(body.data).toMatchObject({
    id: 1,
    email: 'admin@localhost',
    language: 'en',
    key: { name: 'first key', scope: 'full', websites: null, expires_at: null },
  });
  expect((await service.api.as(undefined).get(ME)).status).toBe(401);
});

it('tells callers apart who come at once', async () => {
  const callers = Array.from({ length: 60 }, (_, index) =>
    [service.api, user, service.api.as(undefined)].at(index % 3)!,
  );
  const own = (await user.get(ME)).body.data.id;
  const answers = await Promise.all(callers.map((caller) => caller.get(ME)));
  const seen = answers.map(({ status, body }) => (status === 200 ? body.data.id : status));
  expect(seen).toEqual(callers.map((_, index) => [1, own, 401].at(index % 3)));
});

it("changes one's address, to one that nobody has", async () => {
  const changed = await user.patch(ME, { form: { email: ' New@Example.com ' } });
  expect(changed.body.data.email).toBe('new@example.com');
  expect((await user.get(ME)).body.data.email).toBe('new@example.com');
  expect((await user.patch(ME, { json: {} })).body.data.email).toBe('new@example.com');
  for (const email of ['admin@localhost', 'no address', '', null, 1])
    expect((await user.patch(ME, { json: { email } })).body.errors).toHaveProperty('email');
  expect((await user.get(ME)).body.data.email).toBe('new@example.com');
});

it('changes the language of mails, alone or with the address', async () => {
  expect((await user.patch(ME, { form: { language: 'de' } })).body.data).toMatchObject({
    email: 'new@example.com',
    language: 'de',
  });
  for (const language of ['fr', 'DE', '', null, 1, ['en']])
    expect((await user.patch(ME, { json: { language, email: 'other@example.com' } })).body.errors).toEqual({
      language: ['must be one of en, de'],
    });
  expect((await user.patch(ME, { json: { language: 'en', email: 'admin@localhost' } })).status).toBe(422);
  expect((await user.get(ME)).body.data).toMatchObject({ email: 'new@example.com', language: 'de' });
});

it('makes a key, shows it once, and deletes it', async () => {
  const { body: website } = await user.post('/api/v1/websites', { form: { domain: 'keys.example' } });
  const id = website.data.id;
  const made = await user.post(KEYS, {
    json: { name: 'dashboard', scope: 'read', websites: [id], expires_at: '2999-01-31T12:00:00Z' },
  });
  expect(made.status).toBe(201);
  const { key, ...shown } = made.body.data;
  expect(shown).toMatchObject({
    name: 'dashboard',
    prefix: key.slice(0, 8),
    scope: 'read',
    websites: [id],
    expires_at: '2999-01-31T12:00:00.000Z',
    last_used_at: null,
  });
  const path = made.headers.get('Location')!;
  expect((await user.get(path)).body.data).toEqual(shown);
  const { body: list } = await user.get(`${KEYS}?per_page=10`);
  expect(list.data.map(({ name }: { name: string }) => name)).toEqual(['dashboard', 'first key']);
  expect(list.meta.total).toBe(2);
  expect(JSON.stringify(list)).not.toContain(key);

  expect((await user.as(key).get(`/api/v1/websites/${id}`)).status).toBe(200);
  expect((await service.api.delete(path)).status).toBe(404);
  expect((await user.delete(path)).body.data).toEqual({ id: shown.id, object: 'key', deleted: true });
  expect((await user.as(key).get(ME)).status).toBe(401);
  expect((await user.delete(path)).status).toBe(404);
  expect((await user.get(KEYS)).body.meta.total).toBe(1);
});

it('takes a form, and has a default for everything but the name and the scope', async () => {
  const { body } = await user.post(KEYS, { form: { name: 'form', scope: 'full', websites: '' } });
  expect(body.data).toMatchObject({ name: 'form', scope: 'full', websites: null, expires_at: null });
  for (const form of [{}, { name: 'one' }, { scope: 'read' }]) {
    const missing = ['name', 'scope'].filter((field) => !(field in form));
    const errors = Object.fromEntries(missing.map((field) => [field, ['is required']]));
    expect((await user.post(KEYS, { form })).body).toMatchObject({ status: 422, errors });
  }
});

it.each([
  ['name', ''],
  ['name', 'x'.repeat(101)],
  ['scope', 'write'],
  ['websites', [999_999]],
  ['websites', []],
  ['websites', ['x']],
  ['websites', [1.5]],
  ['websites', [1, 1]],
  ['websites', Array.from({ length: 101 }, (_, index) => index + 1)],
  ['expires_at', '2020-01-01T00:00:00'],
  ['expires_at', 'soon'],
  ['other', 1],
])('refuses %s %j', async (field, value) => {
  const { status, body } = await user.post(KEYS, { json: { name: 'one', scope: 'full', [field]: value } });
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
});

it("limits no key to another's website", async () => {
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'admins.example' } });
  const refused = await user.post(KEYS, {
    json: { name: 'one', scope: 'full', websites: [body.data.id] },
  });
  expect(refused.body.errors.websites).toEqual([`there is no website ${body.data.id}`]);
});

it('makes no more than 100 keys of a user', async () => {
  const other = await service.anotherUser();
  const make = () => other.post(KEYS, { form: { name: 'test', scope: 'events' } });
  for (let made = 1; made < 89; made += 11) await Promise.all(Array.from({ length: 11 }, make));
  const last = await Promise.all(Array.from({ length: 15 }, make));
  expect(last.filter(({ status }) => status === 201)).toHaveLength(11);
  expect((await other.get(KEYS)).body.meta.total).toBe(100);
  expect((await make()).body).toMatchObject({ status: 422, code: 'limit_reached' });
});

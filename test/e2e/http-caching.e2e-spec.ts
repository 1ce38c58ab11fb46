import { request } from 'node:http';
import { ApiClient } from '../support/api-client';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Service, startService } from '../support/programs';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

const WEBSITES = '/api/v1/websites';

let database: FreshDatabase;
let service: TestApp;
let api: ApiClient;
/** Another process on the same database. */
let other: Service;
let otherApi: ApiClient;
beforeAll(async () => {
  database = await freshDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  api = service.api;
  other = await startService({ DATABASE_URL: database.url });
  otherApi = new ApiClient(other.address, FIRST_KEY);
});
afterAll(async () => {
  await other.program.stop();
  await service.stop();
  await database.drop();
});

let count = 0;
async function stored(): Promise<{ path: string; tag: string }> {
  const answer = await api.post(WEBSITES, { form: { domain: `cached${++count}.example.com` } });
  return { path: answer.headers.get('Location')!, tag: tagOf(answer) };
}
const tagOf = ({ headers }: { headers: Headers }) => headers.get('ETag')!;
const ifNoneMatch = (tag: string) => ({ headers: { 'If-None-Match': tag } });
const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } });

describe('the tag of a website', () => {
  it('is strong, and the same from store, show and update', async () => {
    const { path, tag } = await stored();
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(tagOf(await api.get(path))).toBe(tag);
    const updated = await api.patch(path, { form: { privacy: 0 } });
    expect(tagOf(updated)).not.toBe(tag);
    expect(tagOf(await api.get(path))).toBe(tagOf(updated));
  });

  it('is the same from another process', async () => {
    const { path, tag } = await stored();
    expect(tagOf(await otherApi.get(path))).toBe(tag);
  });

  it('is another one after each change, even one that is taken back within the same millisecond', async () => {
    const { path, tag } = await stored();
    const tags = [tag];
    for (let change = 0; change < 20; change++)
      tags.push(tagOf(await api.patch(path, { form: { privacy: change % 2 } })));
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('stays where an update changes nothing', async () => {
    const { path } = await stored();
    const fields = { favorited_at: '2026-01-01T00:00:00', exclude_params: 'a', exclude_bots: '0' };
    const { body, headers } = await api.patch(path, { form: fields });
    for (const again of [await api.patch(path), await api.put(path, { form: fields })])
      expect([again.body, tagOf(again)]).toEqual([body, headers.get('ETag')]);
  });

  it('is another one after each change where the clock was set back', async () => {
    const { path } = await stored();
    const id = Number(path.split('/').at(-1));
    await service.database.write((manager) =>
      manager.query('UPDATE websites SET updated_at = updated_at + 3600000 WHERE id = ?', [id]),
    );
    const before = (await api.get(path)).body.data.updated_at;
    const changed = await api.patch(path, { form: { privacy: 0 } });
    expect(changed.body.data.updated_at > before).toBe(true);
  });
});

describe.each([
  ['a website', async () => (await stored()).path],
  ['the list', () => Promise.resolve(`${WEBSITES}?sort=asc&per_page=10`)],
])('reading %s again', (_, pathOf) => {
  it('is 304 without a body while nothing has changed', async () => {
    const path = await pathOf();
    const first = await api.get(path);
    expect(first.headers.get('Cache-Control')).toBe('private, no-cache');
    for (const known of [tagOf(first), `W/${tagOf(first)}`, `"x", ${tagOf(first)}`, '*']) {
      const again = await api.get(path, ifNoneMatch(known));
      expect([again.status, again.text]).toEqual([304, '']);
      // Which encoding a caller has who names no tag is not known.
      if (known !== '*') expect(tagOf(again)).toBe(tagOf(first));
      expect(again.headers.get('Cache-Control')).toBe('private, no-cache');
      expect(again.headers.get('Content-Type')).toBeNull();
    }
  });

  it('is 200 where another version is known, or none that can be read', async () => {
    const path = await pathOf();
    const first = await api.get(path);
    for (const known of ['"x"', '"*"', tagOf(first).slice(1, -1), ''])
      expect((await api.get(path, ifNoneMatch(known))).body).toEqual(first.body);
  });

  it('needs a key all the same', async () => {
    const path = await pathOf();
    expect((await api.as(undefined).get(path, ifNoneMatch('*'))).status).toBe(401);
  });
});

it('answers HEAD as it answers GET, without the body', async () => {
  const { path, tag } = await stored();
  const first = await api.send('HEAD', path);
  expect([first.status, tagOf(first), first.text]).toEqual([200, tag, '']);
  expect((await api.send('HEAD', path, ifNoneMatch(tag))).status).toBe(304);
});

it('gives the list another tag when one of its websites changes, or comes', async () => {
  const { path } = await stored();
  const tags = [tagOf(await api.get(WEBSITES))];
  await api.patch(path, { form: { email: 1 } });
  tags.push(tagOf(await api.get(WEBSITES)));
  await stored();
  tags.push(tagOf(await api.get(WEBSITES)));
  expect(new Set(tags).size).toBe(3);
});

it("is not told of another's website by its tag", async () => {
  const { path, tag } = await stored();
  expect((await (await service.anotherUser()).get(path, ifNoneMatch(tag))).status).toBe(404);
});

describe.each(['PUT', 'PATCH', 'DELETE'])('%s with If-Match', (method) => {
  it.each(['the tag', 'a weakened tag', 'a list', '*'])('passes with %s', async (which) => {
    const { path, tag } = await stored();
    const headers = { 'the tag': tag, 'a weakened tag': `W/${tag}`, 'a list': `"x", ${tag}`, '*': '*' }[
      which
    ]!;
    expect((await api.send(method, path, ifMatch(headers))).status).toBe(200);
  });

  it('is 412 and changes nothing where another version is meant', async () => {
    const { path, tag } = await stored();
    for (const sent of ['"x"', 'W/"x"']) {
      const answer = await api.send(method, path, ifMatch(sent));
      expect(answer.body).toMatchObject({ status: 412, code: 'precondition_failed' });
    }
    expect(tagOf(await api.get(path))).toBe(tag);
  });

  it('is 400 where it is malformed', async () => {
    const { path, tag } = await stored();
    for (const sent of ['', tag.slice(1, -1), `${tag} ${tag}`, `${tag}, *`])
      expect((await api.send(method, path, ifMatch(sent))).status).toBe(400);
  });

  it('looks at the key, the scope and the website first', async () => {
    const { path } = await stored();
    expect((await api.as(undefined).send(method, path, ifMatch('"x"'))).status).toBe(401);
    expect((await api.send(method, `${WEBSITES}/999999`, ifMatch('*'))).status).toBe(404);
    expect((await (await service.anotherUser()).send(method, path, ifMatch('"x"'))).status).toBe(404);
  });

  it('is 412 too where If-None-Match names what is there', async () => {
    const { path } = await stored();
    expect((await api.send(method, path, ifNoneMatch('*'))).status).toBe(412);
  });

  it('lets one of several who knew the same version win', async () => {
    const { path, tag } = await stored();
    const sent = { ...ifMatch(tag), ...(method !== 'DELETE' && { form: { privacy: 0 } }) };
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.send(method, path, sent)));
    const statuses = answers.map(({ status }) => status).sort();
    const lost = method === 'DELETE' ? 404 : 412;
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => lost)]);
  });
});

it('names wrong fields before it looks at the version, and what follows from the version after', async () => {
  const { path } = await stored();
  const send = (form: Record<string, unknown>) => api.patch(path, { form, ...ifMatch('"x"') });
  expect((await send({ privacy: 3 })).status).toBe(422);
  expect((await send({ privacy: 2 })).status).toBe(412);
});

it('lets either a change or a deletion win, in two processes', async () => {
  for (let round = 0; round < 5; round++) {
    const { path, tag } = await stored();
    const [changed, deleted] = await Promise.all([
      api.patch(path, { form: { privacy: 0 }, ...ifMatch(tag) }),
      otherApi.delete(path, ifMatch(tag)),
    ]);
    expect([
      [200, 412],
      [404, 200],
    ]).toContainEqual([changed.status, deleted.status]);
  }
});

it('reads a header that is sent twice as one list', async () => {
  const { path, tag } = await stored();
  const status = await new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${FIRST_KEY}`, 'If-None-Match': ['"x"', tag] };
    request(service.address + path, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(304);
});

it('gives the values of a name one tag, whenever they are read', async () => {
  const { path } = await stored();
  const values = `/api/v1/stats/${path.split('/').at(-1)}/values?name=page`;
  const first = await api.get(values);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await otherApi.get(values, ifNoneMatch(tagOf(first)))).status).toBe(304);
});

describe('what a key, a session or a password opens', () => {
  const RANGE = 'from=2026-03-01&to=2026-03-31';
  const hitQuery = { metrics: ['visitors'], range: '7d' };
  const password = 'secret';
  const cookieOf = ({ headers }: { headers: Headers }) => headers.get('Set-Cookie')!.split(';')[0]!;
  const nobody = () => service.api.as(undefined);
  let id: number;
  let page: string;
  let session: string;
  let entered: string;
  beforeAll(async () => {
    const domain = 'kept.example.com';
    const { body } = await api.post(WEBSITES, { form: { domain, privacy: 2, password } });
    id = body.data.id;
    page = `/share/${domain}`;
    session = cookieOf(
      await nobody().post('/console/api/session', { headers: { Authorization: `Bearer ${FIRST_KEY}` } }),
    );
    entered = cookieOf(await nobody().post(page, { form: { password } }));
  });

  it.each(['', '/', '/api/live', `/api/summary?names=page&${RANGE}`, '/api/none'])(
    'is kept by no cache for others: a shared page%s',
    async (rest) => {
      for (const Cookie of ['', session, entered]) {
        const { headers } = await nobody().get(page + rest, { headers: { Cookie, Accept: '*/*' } });
        expect(headers.get('Cache-Control')).toMatch(/^(?:no-store|private, no-cache)$/);
      }
    },
  );

  it.each(['websites', 'me', 'keys', 'live', 'none'])('nor %s of the console and the API', async (route) => {
    const path = route === 'live' ? `stats/${id}/live` : route;
    const own = await nobody().get(`/console/api/${path}`, { headers: { Cookie: session } });
    const refused = await nobody().get(`/console/api/${path}`);
    for (const { headers } of [own, refused, await api.get(`/api/v1/${path}`)])
      expect(headers.get('Cache-Control')).toMatch(/^(?:no-store|private, no-cache)$/);
  });

  it('nor a query', async () => {
    const shared = await nobody().post(`${page}/api/query`, {
      json: hitQuery,
      headers: { Cookie: entered },
    });
    const own = await api.post(`/api/v1/stats/${id}/query`, { json: hitQuery });
    for (const { status, headers } of [shared, own])
      expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  });
});

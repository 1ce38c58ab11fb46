import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../../support/api-client';
import { type Site, website, WEBSITES } from '../../support/sending';
import { until } from '../../support/until';
import { startApp, type TestApp } from '../../support/test-app';
import { KINDS, listOf, stored } from '../../support/website-resources';

let service: TestApp;
let api: ApiClient;
let other: ApiClient;
let site: Site;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
  other = await service.anotherUser();
  site = await website(api);
});
afterAll(() => service.stop());

async function keyWith(json: object): Promise<ApiClient> {
  return api.as(
    (await api.post('/api/v1/keys', { json: { name: 'test', scope: 'full', ...json } })).body.data.key,
  );
}

describe.each(KINDS)('$path', ({ path, object, what, fields, all }) => {
  let list: string;
  let names = 0;
  const named = (name = `name ${++names}`) => ({ name, ...fields });
  const store = (json: object = named(), headers = {}) => api.post(list, { json, headers });
  const errorsOf = async (json: object) => {
    const { status, body } = await store(json);
    expect([status, body.code]).toEqual([422, 'invalid_fields']);
    return body.errors;
  };
  beforeAll(() => void (list = listOf(site.id, path)));

  describe('without the right to them', () => {
    let one: string;
    beforeAll(async () => void (one = `${list}/${(await store()).body.data.id}`));
    const all = (caller: ApiClient, at = list, single = one) =>
      Promise.all([
        caller.get(at),
        caller.get(single),
        caller.post(at, { json: named() }),
        caller.put(single, { json: {} }),
        caller.patch(single, { json: {} }),
        caller.delete(single),
      ]);
    const statusesOf = async (...sent: Parameters<typeof all>) =>
      (await all(...sent)).map(({ status }) => status);

    it('are not shown or changed by callers without a key, or with a wrong one', async () => {
      expect(await statusesOf(api.as(undefined))).toEqual([401, 401, 401, 401, 401, 401]);
      expect(await statusesOf(api.as('x'.repeat(30)))).toEqual([401, 401, 401, 401, 401, 401]);
    });

    it('are read with a key for reading, and nothing else', async () => {
      expect(await statusesOf(await keyWith({ scope: 'read' }))).toEqual([200, 200, 403, 403, 403, 403]);
      expect(await statusesOf(await keyWith({ scope: 'events' }))).toEqual([403, 403, 403, 403, 403, 403]);
    });

    it('do not exist for others, who see the same as where there is no website', async () => {
      const missing = listOf(999_999, path);
      const bodies = async (...sent: Parameters<typeof all>) =>
        (await all(...sent)).map(({ status, body: { detail } }) => [status, detail]);
      const theirs = await bodies(other);
      expect(theirs).toEqual(Array(6).fill([404, 'Website not found.']));
      expect(await bodies(other, missing, `${missing}/1`)).toEqual(theirs);
    });

    it('do not exist for keys of other websites', async () => {
      const { id } = await website(api);
      const limited = await keyWith({ websites: [id] });
      expect(await statusesOf(limited)).toEqual(Array(6).fill(404));
      const own = await stored(limited, id, path, named());
      expect((await limited.get(`${listOf(id, path)}/${own.id}`)).body.data).toEqual(own);
    });

    it.each(['999999', '0', 'x', '1e0', '9007199254740993'])('are not there with the id %s', async (id) => {
      for (const { status, body } of [
        await api.get(`${list}/${id}`),
        await api.patch(`${list}/${id}`, { json: {} }),
        await api.delete(`${list}/${id}`),
      ])
        expect([status, body.detail]).toEqual([404, `${what} not found.`]);
    });

    it('are not found through another website', async () => {
      const { id } = await website(api);
      const foreign = one.replace(`/${site.id}/`, `/${id}/`);
      expect((await api.get(foreign)).body.detail).toBe(`${what} not found.`);
      expect((await api.delete(foreign)).status).toBe(404);
      expect((await api.get(one)).status).toBe(200);
    });
  });

  it('are stored, shown, changed and deleted', async () => {
    const { status, body, headers } = await store(named('  Signup 🙂 '));
    const { data } = body;
    expect(status).toBe(201);
    expect(headers.get('Location')).toBe(`${list}/${data.id}`);
    expect(data).toMatchObject({ name: 'Signup 🙂', ...fields, created_at: data.updated_at });
    expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const one = headers.get('Location')!;
    expect((await api.get(one)).body.data).toEqual(data);
    const changed = (await api.patch(one, { json: { name: 'Sign-off' } })).body.data;
    expect(changed).toEqual({ ...data, name: 'Sign-off', updated_at: expect.any(String) });
    expect(changed.updated_at > data.updated_at).toBe(true);
    expect((await api.put(one, { json: { name: 'Sign-off' } })).body.data).toEqual(changed);
    expect((await api.delete(one)).body).toEqual({ data: { id: data.id, object, deleted: true } });
    expect((await api.get(one)).status).toBe(404);
    expect((await store(named('Sign-off'))).body.data.id).toBeGreaterThan(data.id);
  });

  it('are listed in pages by the code points of their names, and found by a part of them', async () => {
    const { id } = await website(api);
    const sorted = ['A', 'B 1', 'a', 'b 2', 'É', 'é', '🙂', '\u{10ffff}'];
    for (const name of [...sorted].reverse()) await stored(api, id, path, named(name));
    const own = listOf(id, path);
    const shown = async (query: string) => {
      const { data, meta } = (await api.get(`${own}?${query}`)).body;
      return [data.map(({ name }: any) => name), meta.total];
    };
    expect(await shown('per_page=25')).toEqual([sorted, 8]);
    expect(await shown('search=b%20')).toEqual([['B 1', 'b 2'], 2]);
    expect(await shown(`search=${encodeURIComponent('é')}`)).toEqual([['É', 'é'], 2]);
    expect(await shown('search=%25')).toEqual([[], 0]);
    const { body } = await api.get(`${own}?search=a&per_page=10&page=2`);
    expect([body.data, body.meta.current_page, body.meta.total]).toEqual([[], 2, 2]);
    expect(body.links.prev).toBe(`${own}?search=a&per_page=10&page=1`);
    for (const query of ['sort=asc', 'page=0', 'per_page=7', 'name=x', 'search=a&search=b'])
      expect((await api.get(`${own}?${query}`)).status).toBe(422);
  });

  it('have names that are texts, and unique by their bytes in the website', async () => {
    const { id } = (await store(named('Taken'))).body.data;
    const kind = what.toLowerCase();
    const taken = { name: [`is already the name of another ${kind} of the website`] };
    expect(await errorsOf(named(' Taken '))).toEqual(taken);
    const { data: second } = (await store(named('taken'))).body;
    expect((await api.patch(`${list}/${second.id}`, { json: { name: 'Taken' } })).body.errors).toEqual(taken);
    expect((await api.get(`${list}/${second.id}`)).body.data).toEqual(second);
    expect((await api.patch(`${list}/${id}`, { json: { name: 'Taken' } })).status).toBe(200);
    await stored(api, (await website(api)).id, path, named('Taken'));
    const wrong = { name: ['must have 1 to 100 characters, and no control characters'] };
    for (const name of ['', '  ', 'x'.repeat(101), 'a\nb', 'a\u0000', '\u009f'])
      expect(await errorsOf(named(name))).toEqual(wrong);
    expect(await errorsOf({ ...named(), name: 1 })).toEqual({ name: ['must be a text'] });
    expect(await errorsOf({ ...named(), name: null })).toHaveProperty('name');
    expect(await errorsOf({ ...named(), name: '\ud800' })).toHaveProperty('name');
    expect(await errorsOf({ ...fields })).toEqual({ name: ['is required'] });
    expect((await store(named('🙂'.repeat(100)))).status).toBe(201);
  });

  it.each([
    "'; DROP TABLE goals; --",
    '<script>alert(1)</script>',
    '__proto__',
    '%_\\"',
    '\u202eabc',
    '../..',
  ])('may be called %j', async (name) => {
    const { data } = (await store(named(name))).body;
    expect((await api.get(`${list}/${data.id}`)).body.data.name).toBe(name);
    const found = (await api.get(`${list}?search=${encodeURIComponent(name)}`)).body.data;
    expect(found).toEqual([data]);
  });

  it.each<[unknown, string, string]>([
    [undefined, 'filters', 'is required'],
    [null, 'filters', 'is required'],
    ['page==/', 'filters', 'must be a list of filters'],
    [[], 'filters', all],
    [[['and', []]], 'filters', all],
    [[['is', 'page', []]], 'filters.0.2', 'must be a list of one or more values'],
    [[['is', 'page', ['\ud800']]], 'filters.0.2.0', 'must be a text or null'],
    [[['matches', 'page', ['/']]], 'filters.0.0', 'must be one of is, '],
    [[['is', 'unknown', ['/']]], 'filters.0.1', 'must be one of '],
    [[['is', 'page', Array(1001).fill('/')]], 'filters', 'must have at most 1000 values'],
    [[['is', 'page', ['x'.repeat(16_384)]]], 'filters', 'must have at most 16,384 bytes as JSON'],
    [Array(101).fill(['is', 'page', ['/']]), 'filters', 'must have at most 100 conditions'],
  ])('do not have the filters %j', async (filters, place, problem) => {
    const before = (await api.get(list)).body;
    const errors = await errorsOf({ ...named(), filters });
    expect([Object.keys(errors), errors[place][0].startsWith(problem)]).toEqual([[place], true]);
    expect((await api.get(list)).body).toEqual(before);
  });

  it('have no other fields, and a body of JSON alone', async () => {
    expect(await errorsOf({ ...named(), color: 'red' })).toHaveProperty('color');
    const twice = `{"name": "a", "name": "b", "filters": [["is", "page", ["/"]]]}`;
    expect((await api.post(list, { body: twice, type: 'application/json' })).body.errors).toEqual({
      name: ['must be sent once'],
    });
    expect((await api.post(list, { form: { name: 'a' } })).status).toBe(415);
    expect((await api.post(`${list}?verbose=1`, { json: named() })).status).toBe(422);
    const { id } = (await store()).body.data;
    for (const json of [{ id: 1 }, { created_at: 'x' }, { name: '' }, { filters: null }, { filters: [] }])
      expect((await api.patch(`${list}/${id}`, { json })).status).toBe(422);
  });

  it('have tags, for reading again and for changing the version that was read', async () => {
    const answer = await store();
    const [one, tag] = [answer.headers.get('Location')!, answer.headers.get('ETag')!];
    const ifNoneMatch = (etag: string) => ({ headers: { 'If-None-Match': etag } });
    const ifMatch = (etag: string, json?: object) => ({
      headers: { 'If-Match': etag },
      ...(json && { json }),
    });
    expect((await api.get(one, ifNoneMatch(tag))).status).toBe(304);
    const changed = await api.patch(one, ifMatch(tag, { name: `changed ${++names}` }));
    const later = changed.headers.get('ETag')!;
    expect([changed.status, later === tag]).toEqual([200, false]);
    expect((await api.get(one)).headers.get('ETag')).toBe(later);
    for (const refused of [
      await api.put(one, ifMatch(tag, { name: 'x' })),
      await api.delete(one, ifMatch(tag)),
      await api.patch(one, { json: {}, ...ifNoneMatch(later) }),
    ])
      expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    const page = (await api.get(list)).headers.get('ETag')!;
    expect((await api.get(list, ifNoneMatch(page))).status).toBe(304);
    expect((await api.delete(one, ifMatch(later))).status).toBe(200);
    expect((await api.get(list, ifNoneMatch(page))).status).toBe(200);
  });

  it('are files as well', async () => {
    const { id } = await website(api);
    const own = listOf(id, path);
    await stored(api, id, path, named('b'));
    const file = (type: string, headers = {}) => api.get(own, { headers: { Accept: type, ...headers } });
    const csv = await file('text/csv');
    expect(csv.headers.get('Content-Disposition')).toBe(`attachment; filename="${path}.csv"`);
    expect(csv.text).toContain('b,"[[""is"",""page"",[""/thanks""]]]"');
    const etag = { 'If-None-Match': csv.headers.get('ETag')! };
    expect((await file('text/csv', etag)).status).toBe(304);
    await stored(api, id, path, named('a'));
    expect((await file('text/csv', etag)).status).toBe(200);
    const lines = (await file('application/x-ndjson')).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual((await api.get(own)).body.data);
    expect((await file('image/png')).status).toBe(406);
  });

  it('are looked at without a body, and changed by no other method', async () => {
    const one = `${list}/${(await store()).body.data.id}`;
    const head = await api.send('HEAD', one);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('ETag')).toBe((await api.get(one)).headers.get('ETag'));
    const refused = await api.post(one, { json: named() });
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'DELETE, GET, HEAD, PATCH, PUT']);
    expect((await api.delete(list)).headers.get('Allow')).toBe('GET, HEAD, POST');
  });

  it('are made once by a request with an Idempotency-Key, however often it is sent', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const json = named();
    const answers = await Promise.all(Array.from({ length: 4 }, () => store(json, headers)));
    expect(answers.map(({ status, body }) => [status, body.data])).toEqual(
      Array(4).fill([201, answers[0]!.body.data]),
    );
    const reused = { status: 422, code: 'idempotency_key_reused' };
    expect((await store(named(), headers)).body).toMatchObject(reused);
    const elsewhere = listOf((await website(api)).id, path);
    expect((await api.post(elsewhere, { json, headers })).body).toMatchObject(reused);
    expect((await api.post(WEBSITES, { json: { domain: 'reused.example' }, headers })).body).toMatchObject(
      reused,
    );
    await api.delete(answers[0]!.headers.get('Location')!);
    expect((await store(json, headers)).body).toMatchObject(reused);
  });

  it('are one of a name and a hundred in all, whoever stores them at the same moment', async () => {
    const { id } = await website(api);
    const own = listOf(id, path);
    // A slow database may let some come back.
    const sent = (json: object) =>
      until(async () => {
        const answer = await api.post(own, { json });
        return answer.status !== 503 && answer;
      });
    const twins = await Promise.all(Array.from({ length: 8 }, () => sent(named('twin'))));
    expect(twins.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
    for (let count = 1; count < 95; count++) await stored(api, id, path, named());
    const rest = await Promise.all(Array.from({ length: 20 }, () => sent(named())));
    const refused = rest.filter(({ status }) => status === 422);
    expect(refused.map(({ body }) => [body.code, body.detail, body.errors])).toEqual(
      Array(15).fill([
        'limit_reached',
        `A website has at most 100 ${what.toLowerCase()}s; delete one first.`,
        undefined,
      ]),
    );
    expect((await api.get(own)).body.meta.total).toBe(100);
  });

  it('are changed in turn, so that no change is lost', async () => {
    const one = `${list}/${(await store()).body.data.id}`;
    const filters = [['is', 'page', ['/both']]];
    const name = `both ${++names}`;
    await Promise.all([api.patch(one, { json: { name } }), api.patch(one, { json: { filters } })]);
    expect((await api.get(one)).body.data).toMatchObject({ name, filters });
  });

  it('go with their website', async () => {
    const { id, domain } = await website(api);
    const { id: resource } = await stored(api, id, path, named());
    await api.delete(`${WEBSITES}/${id}`);
    const gone = (await api.get(`${listOf(id, path)}/${resource}`)).body;
    expect([gone.status, gone.detail]).toEqual([404, 'Website not found.']);
    const again = (await api.post(WEBSITES, { json: { domain } })).body.data;
    expect((await api.get(listOf(again.id, path))).body.meta.total).toBe(0);
  });
});

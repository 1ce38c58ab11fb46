import { Overloaded } from '../../engine/ground/errors';
import { Housekeeping } from '../../src/retention/housekeeping';
import { WebsitesService } from '../../src/websites/websites.service';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

it.each([
  ['GET', '/nope'],
  ['GET', '/api/v1'],
  ['GET', '/api/v2/websites'],
  ['GET', '/api/v1/websites/1/more'],
])('%s %s is an unknown route', async (method, path) => {
  const answer = await service.api.as(undefined).send(method, path);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('Content-Type')).toMatch('application/problem+json');
  expect(answer.body).toEqual({
    type: '/docs/guide/problems#not_found',
    title: 'Not Found',
    status: 404,
    detail: 'Route not found.',
    instance: path,
    code: 'not_found',
    request_id: answer.headers.get('X-Request-Id'),
  });
});

describe('an unknown address that a browser opens', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const send = (method: string, path: string, accept?: string) =>
    service.api.as(undefined).send(method, path, accept === undefined ? {} : { headers: { Accept: accept } });

  it.each([
    ['/nope', './'],
    ['/a/%3Cscript%3Ealert(1)%3C/b', '../../'],
    ['/share/a.example/more', '../../'],
    [`/${'x/'.repeat(40)}`, '/'],
  ])('%s is a page with a way to %s', async (path, root) => {
    const { status, text, headers } = await send('GET', path, BROWSER);
    expect([status, headers.get('Content-Type'), headers.get('Vary')]).toEqual([
      404,
      'text/html; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    expect(text).toContain('<h1>Page not found</h1>');
    expect(text).toContain(`<a class="primary" href="${root}">`);
    expect(text).not.toContain('alert');
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toContain(`<script src="${root}assets/theme-`);
    expect(text.length).toBeLessThan(3000);
    expect(headers.get('Content-Security-Policy')).toBe(
      (await send('GET', '/')).headers.get('Content-Security-Policy'),
    );
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Frame-Options')).toBe('SAMEORIGIN');
  });

  it('has no body where the head alone is asked for', async () => {
    const [whole, head] = [await send('GET', '/nope', BROWSER), await send('HEAD', '/nope', BROWSER)];
    expect([head.status, head.text]).toEqual([404, '']);
    for (const name of ['Content-Type', 'Content-Length', 'Vary', 'Content-Security-Policy'])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
  });

  it.each([
    ['GET', '/nope', undefined],
    ['GET', '/nope', '*/*'],
    ['GET', '/nope', 'application/json, text/html;q=0.9'],
    ['GET', '/nope', 'image/png'],
    ['POST', '/nope', BROWSER],
    ['GET', '/api/v1/nope', BROWSER],
    ['GET', '/API/nope', BROWSER],
    ['GET', '/api', BROWSER],
    ['GET', '/console/api/nope', BROWSER],
    ['GET', '/share/a.example/api/nope', BROWSER],
    ['GET', '/mcp/nope', BROWSER],
  ])('is a problem for %s %s with %s', async (method, path, accept) => {
    const { status, headers } = await send(method, path, accept);
    expect(headers.get('Content-Type')).toMatch('application/problem+json');
    expect(status).toBe(/^\/console/.test(path) ? 401 : 404);
  });

  it('varies for programs as well', async () =>
    expect((await send('GET', '/nope', '*/*')).headers.get('Vary')).toContain('Accept'));
});

it.each([
  ['POST', '/api/v1/stats/1', 'GET, HEAD'],
  ['DELETE', '/api/v1/websites', 'GET, HEAD, POST'],
  ['POST', '/api/v1/websites/2/?a=b', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['GET', '/api/v1/events', 'POST'],
  ['PUT', '/health/live', 'GET, HEAD'],
])('%s %s is 405 with the methods that are allowed', async (method, path, allowed) => {
  const answer = await service.api.as(undefined).send(method, path);
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, allowed]);
  expect(answer.body).toMatchObject({
    title: 'Method Not Allowed',
    detail: `Allowed methods: ${allowed}.`,
    code: 'method_not_allowed',
  });
});

describe('the request id', () => {
  const idFor = async (sent?: string) =>
    (
      await service.api.get(
        '/api/v1/websites',
        sent === undefined ? {} : { headers: { 'X-Request-Id': sent } },
      )
    ).headers.get('X-Request-Id');

  it.each(['abc', '7b0c7f0e-6d1c-4a4a-9a53-6f6f2f0f1c11', 'a.b_c:d-1', 'x'.repeat(128)])(
    '%s is kept',
    async (id) => {
      expect(await idFor(id)).toBe(id);
    },
  );

  it.each([undefined, '', 'a b', '<script>', '"', 'x'.repeat(129)])(
    '%j is not sane, so one is made',
    async (id) => {
      expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('is in the log and in the problem', async () => {
    const answer = await service.api.get('/api/v1/websites/999', { headers: { 'X-Request-Id': 'find-me' } });
    expect(answer.body.request_id).toBe('find-me');
    await new Promise(setImmediate);
    expect(service.logs.join()).toContain('"request_id":"find-me"');
  });
});

it('writes all log lines of a request with the trace that it is part of', async () => {
  jest.spyOn(service.app.get(WebsitesService), 'show').mockRejectedValue(new Overloaded());
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const answer = await service.api.get('/api/v1/websites/1', { headers: { traceparent } });
  jest.restoreAllMocks();
  const id = answer.headers.get('X-Request-Id')!;
  const lines = () => service.logs.filter((line) => line.includes(id));
  await until(() => lines().length === 2);
  for (const line of lines()) expect(line).toContain(`"traceparent":"${traceparent}"`);
});

describe('a crash', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is answered without its reason, which is logged', async () => {
    jest.spyOn(service.app.get(WebsitesService), 'show').mockRejectedValue(new Error('secret inner detail'));
    const answer = await service.api.get('/api/v1/websites/1');
    expect(answer.body).toMatchObject({
      status: 500,
      code: 'internal_error',
      title: 'Internal Server Error',
    });
    expect(answer.text).not.toContain('secret');
    expect(service.logs.join()).toContain('secret inner detail');
  });

  it('in the database is logged without values and SQL', async () => {
    jest
      .spyOn(service.app.get(WebsitesService), 'show')
      .mockImplementation(() =>
        service.database.read((manager) => manager.query("SELECT 'a value' FROM no_such_table")),
      );
    const answer = await service.api.get('/api/v1/websites/1');
    expect(answer.status).toBe(500);
    const logs = service.logs.join();
    expect(logs).toMatch(/ER_NO_SUCH_TABLE|SQLITE_ERROR/);
    expect(logs).not.toMatch(/a value|no_such_table/);
  });
});

describe('headers', () => {
  it('say nothing of the software and forbid sniffing and framing', async () => {
    const { headers } = await service.api.get('/api/v1/websites');
    expect(headers.get('X-Powered-By')).toBeNull();
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'self'");
    expect(headers.get('Content-Security-Policy')).not.toContain('upgrade-insecure-requests');
    expect(headers.get('Strict-Transport-Security')).toBeNull();
  });

  it.each(['/docs', '/openapi.json', '/api/v1/websites', '/'])('of %s allow no other host', async (path) => {
    const { headers } = await service.api.get(path);
    expect(headers.get('Content-Security-Policy')).not.toMatch(/https?:/);
  });
});

it('has an explorer', async () => {
  const page = await service.api.as(undefined).get('/docs');
  expect(page.text).toContain('Milepost API');
});

it('has its documentation as pages without a script, and no other file', async () => {
  const nobody = service.api.as(undefined);
  const list = await nobody.get('/docs/guide/');
  expect(list.text).toContain('<a href="api">The API</a>');
  expect(list.text).not.toMatch(/CONTRIBUTING|clients\/typescript|docs\/decisions/);
  const { text, headers } = await nobody.get('/docs/guide/api');
  expect(text).toContain('<h2 id="safe-retries">Safe retries</h2>');
  expect(text).not.toContain('<script type="module"');
  expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  for (const [, target] of text.matchAll(/ href="([^":#]+)(?:#[^"]*)?"/g))
    expect([target, (await nobody.get(new URL(target!, 'http://x/docs/guide/api').pathname)).status]).toEqual(
      [target, 200],
    );
  expect((await nobody.get('/docs/guide/console.png')).headers.get('Content-Type')).toBe('image/png');
  for (const name of ['guide.json', '..%2f..%2fpackage.json', '__proto__', 'constructor', 'nothing'])
    expect([name, (await nobody.get(`/docs/guide/${name}`)).status]).toEqual([name, 404]);
});

it('tells that it is alive and ready', async () => {
  const bodyOf = async (path: string) => (await service.api.as(undefined).get(path)).body;
  expect(await bodyOf('/health/live')).toEqual({ status: 'ok' });
  expect(await bodyOf('/health/ready')).toEqual({ status: 'ok' });
});

it('looks up whether it is ready once for all who ask at once', async () => {
  const answered = Array<number>(20).fill(200);
  let release!: (warnings: []) => void;
  const held = new Promise<[]>((resolve) => (release = resolve));
  const looks = jest.spyOn(service.app.get(Housekeeping), 'warnings').mockReturnValue(held);
  const server = service.app.getHttpServer();
  let arrived = 0;
  const count = () => void arrived++;
  server.on('request', count);
  const ask = async (path = '/health/ready') => (await service.api.as(undefined).get(path)).status;
  try {
    const requested = Promise.all(answered.map(() => ask()));
    await until(() => arrived === answered.length);
    // It is answered after all of them were received.
    await ask('/health/live');
    release([]);
    expect(await requested).toEqual(answered);
    expect(looks).toHaveBeenCalledTimes(1);
    expect(await ask()).toBe(200);
    expect(looks).toHaveBeenCalledTimes(2);
  } finally {
    server.off('request', count);
    looks.mockRestore();
  }
});

it.each([
  ['ahead of', 2],
  ['behind', -2],
])('tells of a clock that is %s the one of the database', async (words, hours) => {
  const now = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + hours * 3_600_000);
  try {
    const { status, body } = await service.api.get('/health/ready');
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      {
        code: 'clocks_differ',
        detail: expect.stringMatching(`^The clock of this process is 7,\\d{3} s ${words} the database's\\.$`),
      },
    ]);
  } finally {
    clock.mockRestore();
  }
});

it('is not ready while a migration is missing', async () => {
  const { database } = service;
  const rename = (from: string, to: string) =>
    database.write((manager) => manager.query('UPDATE migrations SET name = ? WHERE name = ?', [to, from]));
  await rename('CreateTables1796000000000', 'gone');
  expect((await service.api.get('/health/ready')).status).toBe(503);
  await rename('gone', 'CreateTables1796000000000');
  expect((await service.api.get('/health/ready')).status).toBe(200);
});

describe('the type of a problem', () => {
  it('leads to what the guide says about its code', async () => {
    const { body } = await service.api.get('/api/v1/websites?per_page=7');
    const [page, code] = body.type.split('#');
    expect(code).toBe(body.code);
    expect((await service.api.get(page)).text).toContain(`<h2 id="${code}">`);
  });

  it('is an address where BASE_URL is set', async () => {
    const named = await startApp({ BASE_URL: 'https://stats.example/milepost' });
    const { body } = await named.api.get('/nope');
    await named.stop();
    expect(body.type).toBe('https://stats.example/milepost/docs/guide/problems#not_found');
  });
});

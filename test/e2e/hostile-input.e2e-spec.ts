import { connect } from 'node:net';
import nodeUrl from 'node:url';
import { gzipSync } from 'node:zlib';
import type { ApiClient } from '../support/api-client';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

const WEBSITES = '/api/v1/websites';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

let service: TestApp;
let api: ApiClient;
beforeAll(async () => {
  service = await startApp();
  api = service.api;
  await api.post(WEBSITES, { form: { domain: 'untouched.example.com' } });
});
afterAll(async () => {
  expect((await api.get(WEBSITES)).body.meta.total).toBe(1);
  await service.stop();
});

describe('a body that cannot be read', () => {
  it.each([
    ['JSON cut short', JSON_TYPE, '{"domain":'],
    ['JSON with a comma too many', JSON_TYPE, '{"domain":"a.example",}'],
    ['a broken escape', FORM_TYPE, 'domain=%zz'],
    ['an escape cut short', FORM_TYPE, 'domain=a.example%'],
    ['an escape that is no UTF-8', FORM_TYPE, 'domain=%ff'],
    ['an escape in a name', FORM_TYPE, '%zz=1'],
  ])('is malformed: %s', async (_, type, body) => {
    const answer = await api.post(WEBSITES, { body, type });
    expect(answer.body).toMatchObject({ status: 400, code: 'malformed' });
  });

  it.each([JSON_TYPE, FORM_TYPE])('is malformed: bytes that are no UTF-8 as %s', async (type) => {
    const body = Buffer.concat([
      Buffer.from('{"domain":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('.example"}'),
    ]);
    expect((await api.post(WEBSITES, { body, type })).status).toBe(400);
  });

  it.each([
    ['text/plain', 'domain=a.example'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/xml', '<a/>'],
    ['application/json; charset=latin1', '{}'],
    ['__proto__', 'x'],
    ['', 'domain=a.example'],
  ])('has a type that is not read: %j', async (type, body) => {
    for (const method of ['POST', 'PUT', 'PATCH'])
      expect(
        (
          await api.send(method, method === 'POST' ? WEBSITES : `${WEBSITES}/1`, {
            body: Buffer.from(body),
            type,
          })
        ).body,
      ).toMatchObject({
        status: 415,
        code: 'unsupported_body',
      });
  });

  it('is too large', async () => {
    for (const size of [256 * 1024 + 1, 2_000_000]) {
      const answer = await api.post(WEBSITES, { body: `domain=${'a'.repeat(size)}`, type: FORM_TYPE });
      expect(answer.body).toMatchObject({ status: 413, code: 'too_large' });
    }
  });

  it('is too large once it is unpacked', async () => {
    const body = gzipSync(`domain=${'a'.repeat(2_000_000)}`);
    const headers = { 'Content-Encoding': 'gzip' };
    expect((await api.post(WEBSITES, { body, type: FORM_TYPE, headers })).status).toBe(413);
  });

  it('has an encoding that is not known', async () => {
    const headers = { 'Content-Encoding': 'compress' };
    expect((await api.post(WEBSITES, { body: 'domain=a.example', type: FORM_TYPE, headers })).status).toBe(
      415,
    );
  });
});

it('takes a body up to the limit', async () => {
  const form = { domain: 'untouched.example.com', exclude_params: 'a\n'.repeat(60_000) };
  const answer = await api.post(WEBSITES, { form });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body.errors)).toEqual(['exclude_params']);
});

describe('fields', () => {
  it.each([['[]'], ['null'], ['"domain"'], ['1'], ['[{"domain":"a.example"}]']])(
    'are no object: %s',
    async (body) => {
      expect((await api.post(WEBSITES, { body, type: JSON_TYPE })).status).toBe(422);
    },
  );

  it.each([
    ['domain=a.example&domain=b.example', 'domain'],
    ['domain=a.example&privacy=1&privacy=1', 'privacy'],
    ['domain=a.example&domain[]=b.example', 'domain[]'],
    ['domain=a.example&privacy[$gt]=0', 'privacy[$gt]'],
    ['domain=a.example&__proto__=x', '__proto__'],
    ['domain=a.example&__proto__[admin]=1', '__proto__[admin]'],
    ['domain=a.example&constructor=x', 'constructor'],
    ['domain=a.example&toString=x', 'toString'],
    ['domain=a.example&id=7', 'id'],
    ['domain=a.example&user_id=2', 'user_id'],
    ['domain=a.example&Privacy=0', 'Privacy'],
    ['domain=a.example&=x', ''],
  ])('are refused by name as a form: %s', async (form, name) => {
    const answer = await api.post(WEBSITES, { form });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([name]);
  });

  it.each([
    ['{"domain":"a.example","__proto__":{"admin":true}}', '__proto__'],
    ['{"domain":"a.example","constructor":{"prototype":{"admin":true}}}', 'constructor'],
    ['{"domain":"a.example","hasOwnProperty":1}', 'hasOwnProperty'],
    ['{"domain":{"a":"b"}}', 'domain'],
    ['{"domain":["a.example"]}', 'domain'],
    ['{"domain":"a.example","password":"\\ud800"}', 'password'],
    ['{"domain":"a.example","domain":"b.example"}', 'domain'],
    ['{"domain":"a.example","privacy":1,"priv\\u0061cy":0}', 'privacy'],
    ['{"domain":"a.example","privacy":1e0}', 'privacy'],
    ['{"domain":"a.example","privacy":1.0}', 'privacy'],
    ['{"domain":"a.example","privacy":-0}', 'privacy'],
    ['{"domain":"a.example","password":1}', 'password'],
    ['{"domain":"a.example","privacy":{"valueOf":1}}', 'privacy'],
  ])('are refused by name as JSON: %s', async (body, name) => {
    const answer = await api.post(WEBSITES, { body, type: JSON_TYPE });
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([name]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('are nested 50,000 levels deep', async () => {
    const deep = (open: string, close: string) => open.repeat(50_000) + close.repeat(50_000);
    for (const body of [
      `{"domain":${deep('[', ']')}}`,
      `{"other":${deep('[', ']')}}`,
      deep('[', ']'),
      `${'{"domain":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    ])
      expect((await api.post(WEBSITES, { body, type: JSON_TYPE })).status).toBe(422);
  });

  it('are 2,000 in number', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => `f${index}=1`);
    const body = await api.post(WEBSITES, { form: many.join('&') });
    expect(body.status).toBe(422);
    expect(Object.keys(body.body.errors)).toHaveLength(21);
    expect((await api.get(`${WEBSITES}?${many.join('&')}`)).status).toBe(422);
  });

  it('are refused on routes that take none', async () => {
    expect((await api.get(`${WEBSITES}/1?verbose=1`)).status).toBe(422);
    expect((await api.delete(`${WEBSITES}/1?force=1`)).status).toBe(422);
    expect((await api.delete(`${WEBSITES}/1`, { form: { force: 1 } })).status).toBe(422);
    expect((await api.patch(`${WEBSITES}/1?privacy=0`)).status).toBe(422);
  });
});

it('refuses a long name before it makes punycode of it, which takes time that grows with the square of its length', async () => {
  const converted = jest.spyOn(nodeUrl, 'domainToASCII');
  const send = async (domain: string) => (await api.post(WEBSITES, { json: { domain } })).status;
  expect(await send(`${'域'.repeat(80_000)}.com`)).toBe(422);
  expect(converted).not.toHaveBeenCalled();
  expect(await send(`${'域'.repeat(80)}.com`)).toBe(422);
  expect(converted).toHaveBeenCalled();
  converted.mockRestore();
});

describe('an address', () => {
  it.each([
    `${WEBSITES}?search=%zz`,
    `${WEBSITES}?%zz=1`,
    `${WEBSITES}?search=%ff`,
    `${WEBSITES}/%zz`,
    `${WEBSITES}/%ff`,
  ])('is malformed: %s', async (path) => {
    expect((await api.get(path)).body).toMatchObject({ status: 400, code: 'malformed' });
  });
});

describe('what Node cannot parse', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      let answer = '';
      const socket = connect(Number(new URL(service.address).port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => (answer += String(data)));
      socket.on('close', () => resolve(answer));
      socket.on('error', () => resolve(answer));
    });

  it('is answered with a problem as well', async () => {
    const garbage = await raw('NONSENSE\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"code":"malformed"/);
    expect(/X-Request-Id: (\S+)/.exec(garbage)![1]).toBe(/"request_id":"([^"]+)/.exec(garbage)![1]);
    const long = await raw(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 431 [^]*application\/problem\+json[^]*"code":"too_large"/);
  });

  it.each(['/health/live', WEBSITES, '/api/v1/events', '/'])(
    'is a request of %s for two hosts',
    async (path) => {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"malformed"/);
    },
  );

  it('is a key in two headers', async () => {
    const answer = await raw(
      `GET ${WEBSITES} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer wrong-wrong-wrong-wrong-wrong\r\nAuthorization: Bearer ${FIRST_KEY}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

import { type IncomingHttpHeaders, request } from 'node:http';
import zlib from 'node:zlib';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ CORS_ORIGINS: 'https://dashboard.example' });
  for (let site = 0; site < 20; site++)
    await service.api.post('/api/v1/websites', { form: { domain: `site${site}.example` } });
});
afterAll(() => service.stop());

/** `fetch` would unpack the answer. */
function raw(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; encoding?: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(
      service.address + path,
      { headers: { Authorization: `Bearer ${FIRST_KEY}`, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            encoding: answer.headers['content-encoding'],
            body: Buffer.concat(chunks),
          }),
        );
      },
    )
      .on('error', reject)
      .end();
  });
}

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Buffer) => Buffer };
const decoders: [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', zlib.gunzipSync],
  ['br', zlib.brotliDecompressSync],
  ...(zstdDecompressSync ? [['zstd', zstdDecompressSync] as [string, (bytes: Buffer) => Buffer]] : []),
];

describe.each(['application/json', 'text/csv', 'application/x-ndjson'])('a large answer as %s', (Accept) => {
  const path = '/api/v1/websites?per_page=25';

  it.each(decoders)('is compressed with %s', async (encoding, decode) => {
    const plain = await raw(path, { Accept });
    const packed = await raw(path, { Accept, 'Accept-Encoding': `${encoding}, *;q=0` });
    expect([plain.encoding, packed.encoding]).toEqual([undefined, encoding]);
    expect(decode(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
  });

  it('has a tag in each encoding, by which it is known in all of them', async () => {
    const gzip = { Accept, 'Accept-Encoding': 'gzip' };
    const [plain, packed] = [await raw(path, { Accept }), await raw(path, gzip)];
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    for (const tag of [plain.headers.etag!, packed.headers.etag!]) {
      const known = await raw(path, { ...gzip, 'If-None-Match': tag });
      expect([known.status, known.headers.etag]).toEqual([304, tag]);
      expect(known.headers.vary).toContain('Accept-Encoding');
    }
  });
});

it('compresses a page of the documentation once', async () => {
  const gzip = jest.spyOn(zlib, 'gzipSync');
  const plain = await raw('/docs/guide/api', {});
  for (let look = 0; look < 3; look++) {
    const packed = await raw('/docs/guide/api', { 'Accept-Encoding': 'gzip' });
    expect(packed.encoding).toBe('gzip');
    expect(zlib.gunzipSync(packed.body).equals(plain.body)).toBe(true);
  }
  expect(gzip).toHaveBeenCalledTimes(1);
  gzip.mockRestore();
});

it('sends the document of the API compressed, and not again to who has it', async () => {
  const plain = await raw('/openapi.json', {});
  const gzip = { 'Accept-Encoding': 'gzip' };
  const packed = await raw('/openapi.json', gzip);
  expect(zlib.gunzipSync(packed.body).equals(plain.body)).toBe(true);
  expect(packed.body.length).toBeLessThan(plain.body.length / 5);
  const known = await raw('/openapi.json', { ...gzip, 'If-None-Match': packed.headers.etag! });
  expect([known.status, known.body.length]).toEqual([304, 0]);
  expect((await raw('/openapi.json', { 'If-None-Match': packed.headers.etag! })).status).toBe(200);
});

it('leaves small answers and problems as they are', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  expect((await raw('/api/v1/websites/1', headers)).encoding).toBeUndefined();
  const problem = await raw('/api/v1/stats/999?name=page&from=2026-01-01&to=2026-01-31', {
    ...headers,
    Accept: 'text/csv',
  });
  expect([problem.encoding, JSON.parse(problem.body.toString()).status]).toEqual([undefined, 404]);
});

it('lets a website be changed by the tag that it has when it is compressed', async () => {
  const path = '/api/v1/websites/1';
  await service.api.patch(path, {
    json: { exclude_ips: Array.from({ length: 200 }, (_, index) => `192.0.2.${index}`) },
  });
  const { headers, encoding } = await raw(path, { 'Accept-Encoding': 'gzip' });
  expect(encoding).toBe('gzip');
  const changed = await service.api.patch(path, {
    form: { privacy: 0 },
    headers: { 'If-Match': headers.etag! },
  });
  expect(changed.status).toBe(200);
});

describe('a page of another origin', () => {
  const ask = (method: string, origin: string, path = 'websites') =>
    fetch(`${service.address}/api/v1/${path}`, {
      method,
      headers: {
        Origin: origin,
        ...(method !== 'OPTIONS' && { Authorization: `Bearer ${FIRST_KEY}` }),
      },
    });

  it('may read with a key where the operator named it', async () => {
    const preflight = await ask('OPTIONS', 'https://dashboard.example');
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD');
    const answer = await ask('GET', 'https://dashboard.example');
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([
      200,
      'https://dashboard.example',
    ]);
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('ETag');
    expect(answer.headers.get('Vary')).toContain('Origin');
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });

  it.each(['query', 'funnel', 'journey'])(
    'may ask by POST where that changes nothing: %s',
    async (question) => {
      const preflight = await ask('OPTIONS', 'https://dashboard.example', `stats/1/${question}`);
      expect([preflight.status, preflight.headers.get('Access-Control-Allow-Methods')]).toEqual([
        204,
        'POST',
      ]);
      expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
      const answer = await ask('POST', 'https://dashboard.example', `stats/1/${question}`);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('https://dashboard.example');
    },
  );

  it('hears nothing else', async () => {
    for (const origin of ['https://elsewhere.example', 'null', 'http://dashboard.example'])
      for (const method of ['OPTIONS', 'GET'])
        expect((await ask(method, origin)).headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(
      (await ask('POST', 'https://dashboard.example')).headers.get('Access-Control-Allow-Origin'),
    ).toBeNull();
  });
});

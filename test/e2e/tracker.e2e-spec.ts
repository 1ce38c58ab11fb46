import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

const load = (path: string, headers = {}) => service.api.as(undefined).get(path, { headers });
const SCRIPTS = [
  ['/tracker.js', '/api/v1/events'],
  ['/tracker-events.js', 'Outbound link'],
] as const;

it.each(SCRIPTS)('%s is a script that any page may load, and keep for a while', async (path, content) => {
  const { status, headers, text } = await load(path);
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-length': String(Buffer.byteLength(text)),
  });
  expect(headers.get('Set-Cookie')).toBeNull();
  expect(text).toContain(content);
});

it.each(SCRIPTS)('%s is sent once to those who have it', async (path) => {
  // Like a browser. By default, Node's fetch requests a fresh copy.
  const check = (etag: string) => load(path, { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' });
  const etag = (await load(path)).headers.get('ETag')!;
  const again = await check(etag);
  expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag]);
  expect(again.headers.get('Cache-Control')).toBe('public, max-age=3600');
  expect((await check('"another"')).status).toBe(200);
});

import { UnsubscribeLinks } from '../../src/reports/unsubscribe-links';
import { startApp, type TestApp } from '../support/test-app';

let service: TestApp;
let path: string;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  const form = { domain: 'one.example', email: 1 };
  websiteId = (await service.api.post('/api/v1/websites', { form })).body.data.id;
  path = new URL(service.app.get(UnsubscribeLinks).of(websiteId)).pathname;
});
afterAll(() => service.stop());

const nobody = () => service.api.as(undefined);
const email = async () => (await service.api.get(`/api/v1/websites/${websiteId}`)).body.data.email;

it('asks whoever has the link, and changes nothing by that', async () => {
  const { status, text, headers } = await nobody().get(path);
  expect(status).toBe(200);
  expect(text).toContain('Stop the email reports about one.example?');
  expect(text).toContain('<form method="post"><button>');
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  await nobody().send('HEAD', path);
  expect(await email()).toBe(1);
});

it.each(['a signature of another website', 'a changed signature', 'none', 'nonsense'])(
  'does nothing for a link with %s',
  async (kind) => {
    const signature = path.split('.').at(-1)!;
    const tokens: Record<string, string> = {
      'a signature of another website': `${websiteId + 1}.${signature}`,
      'a changed signature': `${websiteId}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      none: String(websiteId),
      nonsense: `0${websiteId}.${signature}`,
    };
    for (const method of ['GET', 'POST']) {
      const { status, text } = await nobody().send(method, `/unsubscribe/${tokens[kind]}`);
      expect([status, text.includes('This link is not valid')]).toEqual([404, true]);
    }
    expect(await email()).toBe(1);
  },
);

it('stops the reports with one click, and once more does no harm', async () => {
  for (let click = 0; click < 2; click++) {
    const form = { 'List-Unsubscribe': 'One-Click' };
    const { status, text } = await nobody().post(path, { form });
    expect(status).toBe(200);
    expect(text).toContain('The reports are stopped');
    expect(await email()).toBe(0);
  }
  expect((await nobody().get(path)).text).toContain('The reports are stopped');
});

it('is of no use for a website that is gone', async () => {
  await service.api.delete(`/api/v1/websites/${websiteId}`);
  expect((await nobody().get(path)).status).toBe(200);
  expect((await nobody().post(path)).status).toBe(200);
});

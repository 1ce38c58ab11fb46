import { Jobs } from '../../engine/database/jobs';
import { StatsService } from '../../src/stats/stats.service';
import type { ApiClient } from '../support/api-client';
import { MailServer, type Received } from '../support/mail-server';
import { FROM, OWNER } from '../support/reports';
import { type Site, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';

let server: MailServer;
let service: TestApp;
let api: ApiClient;
let nobody: ApiClient;
let site: Site;
beforeEach(async () => {
  server = await new MailServer().start();
  const mail = { SMTP_URL: server.url, MAIL_FROM: FROM, MAIL_RATE: '60000' };
  service = await startApp({ ...mail, BASE_URL: 'https://stats.example.com' });
  api = service.api;
  nobody = api.as(undefined);
  await api.patch('/api/v1/me', { form: { email: OWNER } });
  site = await website(api, { email: 1 });
});
afterEach(async () => {
  await service.stop();
  await server.stop();
});

const path = (of = site) => `${WEBSITES}/${of.id}/report-recipients`;
const set = (recipients: unknown, of = site, by = api) => by.put(path(of), { json: { recipients } });
const sendNow = (of = site, by = api) => by.post(`${WEBSITES}/${of.id}/report/send`);
const deliver = () => service.app.get(Jobs).run('mails about reports');
const statesOf = async (of = site) =>
  (await api.get(path(of))).body.data.recipients.map(
    ({ address, state }: { address: string; state: string }) => `${address} ${state}`,
  );
const linkIn = ({ mail }: Received, to: string) =>
  new URL(new RegExp(`https://\\S+/reports/${to}/\\S+`).exec(mail.text!)![0]).pathname;
const mailTo = (address: string, subject: RegExp) =>
  server.received.filter(({ to, mail }) => to[0] === address && subject.test(mail.subject!));
const confirm = async (address: string) => {
  await deliver();
  expect((await nobody.post(linkIn(mailTo(address, /^Get reports/).at(-1)!, 'confirm'))).status).toBe(200);
};

it('are shown and set with the rights of the website', async () => {
  const other = await service.anotherUser();
  const keyOf = async (scope: string) =>
    api.as((await api.post('/api/v1/keys', { json: { name: scope, scope } })).body.data.key);
  const reader = await keyOf('read');
  const calls = (by: ApiClient, of = site) => [
    by.get(path(of)),
    set(['team@example.com'], of, by),
    by.get(`${WEBSITES}/${of.id}/report`),
    sendNow(of, by),
  ];
  const statuses = async (by: ApiClient, of = site) =>
    (await Promise.all(calls(by, of))).map(({ status }) => status);
  expect(await statuses(nobody)).toEqual([401, 401, 401, 401]);
  expect(await statuses(api.as('a-key-that-does-not-exist'))).toEqual([401, 401, 401, 401]);
  expect(await statuses(reader)).toEqual([200, 403, 200, 403]);
  expect(await statuses(other)).toEqual([404, 404, 404, 404]);
  expect(await statuses(api, { id: site.id + 1000, domain: '' })).toEqual([404, 404, 404, 404]);
  expect(await statesOf()).toEqual([]);
  await deliver();
  expect(server.received).toEqual([]);
});

it('are addresses that mail can be delivered to, ten at most, each once', async () => {
  const wrong = 'must be an address that mail can be delivered to';
  const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@example.com`);
  const most = 'must be a list of at most 10 addresses';
  const hostile = [
    ...[
      'x@example.com\r\nBcc: victim@example.com',
      'x@example.com,victim@example.com',
      'Team <x@example.com>',
    ],
    ...['"x y"@example.com', 'ü@example.com', 'x@\u202eexample.com', 'x\ud800@example.com', 'x@localhost'],
    ...['x@example.com\0', `${'x'.repeat(250)}@example.com`, 'x'.repeat(100_000), 'x@127.0.0.1'],
    `x@${'ü'.repeat(55)}.${'ü'.repeat(100)}.example`,
  ];
  for (const address of hostile) {
    const { status, body } = await set(['team@example.com', address]);
    expect([address.slice(0, 30), status, body.errors]).toEqual([
      ...[address.slice(0, 30), 422, { 'recipients.1': [wrong] }],
    ]);
  }
  expect((await set(['x@localhost', 'x@127.0.0.1'])).body.errors).toEqual({
    'recipients.0': [wrong],
    'recipients.1': [wrong],
  });
  expect((await set(many(11))).body.errors).toEqual({ recipients: [most] });
  for (const sent of ['team@example.com', null, { 0: 'team@example.com' }])
    expect((await set(sent)).status).toBe(422);
  expect((await set(['team@example.com', ' Team@Example.com '])).body.errors).toEqual({
    recipients: ['must not contain duplicates'],
  });
  expect((await api.put(path(), { json: {} })).body.errors).toEqual({ recipients: ['is required'] });
  expect((await api.put(path(), { json: { recipients: [], to: 1 } })).status).toBe(422);
  expect(await statesOf()).toEqual([]);
  expect((await set(many(10))).body.data.recipients).toHaveLength(10);
  expect((await set(['TEAM@bücher.example'])).body.data.recipients).toEqual([
    { address: 'team@xn--bcher-kva.example', state: 'pending' },
  ]);
});

it('confirm by a button, get the report that is sent now, and stop it for themselves alone', async () => {
  await api.patch(`${WEBSITES}/${site.id}`, { form: { privacy: 0 } });
  await set(['team@example.com', OWNER, 'boss@example.com', 'late@example.com']);
  await set(['team@example.com', OWNER, 'boss@example.com', 'late@example.com']);
  for (const address of ['team@example.com', OWNER, 'boss@example.com']) await confirm(address);
  expect(server.received).toHaveLength(4);
  const asked = mailTo('team@example.com', /./)[0]!;
  expect(asked.mail.subject).toBe(`Get reports about ${site.domain}?`);
  expect((await nobody.get(linkIn(asked, 'confirm'))).text).toContain('The address is confirmed');
  expect((await nobody.post(linkIn(asked, 'confirm').replace('/reports/', '/alerts/'))).status).toBe(404);
  expect(await statesOf()).toEqual([
    ...['team@example.com confirmed', `${OWNER} confirmed`],
    ...['boss@example.com confirmed', 'late@example.com pending'],
  ]);

  const preview = await api.get(`${WEBSITES}/${site.id}/report`);
  expect(preview.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(preview.text).toContain(`https://stats.example.com/?website=${site.id}&amp;range=custom`);
  expect(preview.text).not.toContain('/unsubscribe/');

  const { status, body } = await sendNow();
  expect([status, body.data.recipients]).toEqual([202, [OWNER, 'team@example.com', 'boss@example.com']]);
  await deliver();
  const sent = server.received.slice(4);
  expect(sent.map(({ to }) => to[0]).sort()).toEqual([
    'ann@example.com',
    'boss@example.com',
    'team@example.com',
  ]);
  expect(new Set(sent.map(({ mail }) => mail.messageId)).size).toBe(3);
  const [toOwner] = mailTo(OWNER, /^Weekly report/);
  expect(toOwner!.mail.text).toContain(`https://stats.example.com/?website=${site.id}&range=custom`);
  expect(toOwner!.mail.text).toContain('/unsubscribe/');
  expect(toOwner!.mail.text).toContain(`as the owner of ${site.domain}`);
  const [toTeam] = mailTo('team@example.com', /^Weekly report/);
  expect(toTeam!.mail.text).toContain(`https://stats.example.com/share/${site.domain}?range=custom`);
  expect(toTeam!.mail.text).not.toMatch(/\?website=|stats\.example\.com\/unsubscribe/);

  await nobody.post(linkIn(toTeam!, 'unsubscribe'), { form: { 'List-Unsubscribe': 'One-Click' } });
  await set([]);
  await set(['team@example.com', 'boss@example.com']);
  expect(await statesOf()).toEqual(['team@example.com unsubscribed', 'boss@example.com confirmed']);
  expect((await sendNow()).body.data.recipients).toEqual([OWNER, 'boss@example.com']);
  expect((await sendNow()).status).toBe(202);
  const refused = await sendNow();
  expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  expect(refused.body.detail).toContain('three times a day');
  expect((await sendNow(await website(api))).status).toBe(202);
  await deliver();
  expect(mailTo('team@example.com', /^Weekly report/)).toHaveLength(1);
  expect(mailTo('boss@example.com', /^Weekly report/)).toHaveLength(3);
  expect(mailTo('late@example.com', /^Weekly report/)).toEqual([]);
  expect((await api.get(`${WEBSITES}/${site.id}`)).body.data.email).toBe(1);
  await nobody.post(/\/unsubscribe\/\S+/.exec(toOwner!.mail.text!)![0]);
  expect((await api.get(`${WEBSITES}/${site.id}`)).body.data.email).toBe(0);
  const periods = await service.database.query('SELECT 1 FROM report_deliveries');
  expect(periods).toEqual([]);
});

it('are previewed in turns of the owner', async () => {
  const firstDay = jest.spyOn(service.app.get(StatsService), 'firstDay');
  expect((await api.get(`${WEBSITES}/${site.id}/report`)).status).toBe(200);
  const { id } = (await api.get('/api/v1/me')).body.data;
  expect(firstDay.mock.calls.map(([, , { owner }]) => owner)).toEqual([id]);
});

it('who leave the list before the report is sent get none', async () => {
  await set(['team@example.com']);
  await confirm('team@example.com');
  await server.stop();
  await sendNow();
  await set([]);
  await server.start();
  await service.database.execute('UPDATE report_mails SET due_at = 0', []);
  await service.app.get(Jobs).run('mails about reports', Date.now() + 60 * 60_000);
  expect(mailTo('team@example.com', /^Weekly report/)).toEqual([]);
});

it('who leave the list before they are asked are not asked, until they are added again', async () => {
  await set(['team@example.com', 'boss@example.com']);
  await set(['boss@example.com']);
  await deliver();
  expect(server.received.map(({ to }) => to[0])).toEqual(['boss@example.com']);
  await set(['team@example.com']);
  await deliver();
  expect(server.received.map(({ to }) => to[0])).toEqual(['boss@example.com', 'team@example.com']);
});

it('share their budgets with the recipients of alerts', async () => {
  const addresses = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `a${from + index}@example.com`);
  const alert = (recipients: string[], of = site, by = api) =>
    by.post(`${WEBSITES}/${of.id}/alerts`, {
      json: { name: 'Nothing comes', condition: 'silent', recipients },
    });
  expect((await alert(addresses(0, 10))).status).toBe(201);
  expect((await set(addresses(10, 9))).status).toBe(200);
  expect((await set(addresses(10, 10))).status).toBe(200);
  const exceeded = { recipients: [expect.stringContaining('more than 20 addresses')] };
  expect((await set(['new@example.com'])).body.errors).toEqual(exceeded);
  const other = await website(api);
  expect((await alert(['new@example.com'], other)).body.errors).toEqual(exceeded);
  expect(await statesOf()).toHaveLength(10);

  for (let user = 0; user < 2; user++) {
    const stranger = await service.anotherUser();
    const own = await website(stranger);
    expect((await alert(['team@example.com'], own, stranger)).status).toBe(201);
    expect((await set(['team@example.com'], own, stranger)).status).toBe(user === 0 ? 200 : 422);
  }
});

it('get 200 mails of reports of a user that are sent now in a day, also if websites are deleted and added again', async () => {
  const readers = Array.from({ length: 10 }, (_, index) => `a${index}@example.com`);
  const withReaders = async () => {
    const own = await website(api);
    for (const [place, address] of readers.entries())
      await service.database.execute(
        "INSERT INTO report_recipients (website_id, address, state, place) VALUES (?, ?, 'confirmed', ?)",
        [own.id, address, place],
      );
    return own;
  };
  for (let round = 0; round < 6; round++) {
    const own = await withReaders();
    for (let time = 0; time < 3; time++) expect((await sendNow(own)).status).toBe(202);
    await api.delete(`${WEBSITES}/${own.id}`);
  }
  const refused = await sendNow(await withReaders());
  expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
  expect(refused.body.detail).toContain('200 mails');
  expect((await sendNow()).status).toBe(202);
  expect((await sendNow()).status).toBe(202);
  expect((await sendNow()).status).toBe(429);
  const other = await service.anotherUser();
  await other.patch('/api/v1/me', { form: { email: 'bob@example.com' } });
  expect((await sendNow(await website(other), other)).status).toBe(202);
});

it('are replaced only if they are those that were read', async () => {
  const { headers } = await api.get(path());
  const tag = headers.get('ETag')!;
  const replace = (recipients: string[]) =>
    api.put(path(), { json: { recipients }, headers: { 'If-Match': tag } });
  const [first, second] = await Promise.all([replace(['team@example.com']), replace(['boss@example.com'])]);
  expect([first.status, second.status].sort()).toEqual([200, 412]);
  expect((await api.get(path(), { headers: { 'If-None-Match': tag } })).status).toBe(200);
});

it('wait without a mail server, and are asked once there is one', async () => {
  const without = await startApp();
  const own = await website(without.api);
  expect((await set(['team@example.com'], own, without.api)).body.data.recipients).toEqual([
    { address: 'team@example.com', state: 'pending' },
  ]);
  const { status, body } = await sendNow(own, without.api);
  expect([status, body.detail]).toEqual([409, 'Reports are off: SMTP_URL is not set.']);
  expect(await without.database.query('SELECT 1 FROM report_mails')).toEqual([]);
  expect((await without.api.get(`${WEBSITES}/${own.id}/report`)).text).toContain('Nobody visited');
  await without.stop();

  await service.database.execute(
    "INSERT INTO report_recipients (website_id, address, state, place) VALUES (?, 'team@example.com', 'pending', 0)",
    [site.id],
  );
  await set(['team@example.com']);
  await deliver();
  expect(server.received.map(({ to }) => to[0])).toEqual(['team@example.com']);
});

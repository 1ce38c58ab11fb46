import type { DueAlert } from '../../../src/alerts/check/due-alerts.repository';
import type { FiringView } from '../../../src/alerts/firings/firing.view';
import { NewFirings } from '../../../src/alerts/firings/new-firings';
import { Jobs } from '../../../engine/database/jobs';
import { type Alerter, HOUR_MS, hourAgo, OWNER, startAlerter } from '../../support/alerts';
import type { ApiClient } from '../../support/api-client';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { MailServer, type Received } from '../../support/mail-server';
import { FROM, reportsEnvironment } from '../../support/reports';
import { type Site, website, WEBSITES } from '../../support/sending';
import { startApp, type TestApp } from '../../support/test-app';

const NOON = hourAgo(5);
const MINUTE_MS = 60_000;
const RULE = { metric: 'pageviews', condition: 'above', threshold: 1 };

let server: MailServer;
beforeEach(async () => void (server = await new MailServer().start()));
afterEach(async () => {
  jest.restoreAllMocks();
  await server.stop();
});

const linkIn = ({ mail }: Received, path: string) =>
  new URL(new RegExp(`https://\\S+/alerts/${path}/\\S+`).exec(mail.text!)![0]).pathname;
const recipients = () => server.received.map(({ to: [address] }) => address).sort();

describe('addresses besides that of the owner', () => {
  let service: TestApp;
  let api: ApiClient;
  let nobody: ApiClient;
  let site: Site;
  let names = 0;
  beforeEach(async () => {
    service = await startApp({
      SMTP_URL: server.url,
      MAIL_FROM: FROM,
      BASE_URL: 'https://stats.example.com',
    });
    api = service.api;
    nobody = api.as(undefined);
    site = await website(api);
  });
  afterEach(() => service.stop());

  const store = async (addresses: string[], of = site, by = api) =>
    (
      await by.post(`${WEBSITES}/${of.id}/alerts`, {
        json: { name: `alert ${++names}`, ...RULE, recipients: addresses },
      })
    ).body;
  const statesOf = async (id: number) =>
    (await api.get(`${WEBSITES}/${site.id}/alerts/${id}`)).body.data.recipients.map(
      ({ address, state }: { address: string; state: string }) => `${address} ${state}`,
    );
  const send = () => service.app.get(Jobs).run('mails about alerts');

  it('are asked once, and confirm by a button, not by the link alone', async () => {
    const { id } = (await store(['Team@Example.com', 'boss@example.com'])).data;
    await store(['team@example.com']);
    await send();
    expect(recipients()).toEqual(['boss@example.com', 'team@example.com']);
    expect(await statesOf(id)).toEqual(['team@example.com pending', 'boss@example.com pending']);
    const asked = server.received.find(({ to }) => to[0] === 'team@example.com')!;
    expect(asked.mail.subject).toBe(`Get alerts about ${site.domain}?`);
    expect(asked.mail.html).not.toMatch(/<script|<img|src=|url\(|@import/i);
    const path = linkIn(asked, 'confirm');
    const page = await nobody.get(path);
    expect([page.status, page.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
    expect(page.text).toContain('<form method="post"><button>Get alerts');
    await nobody.send('HEAD', path);
    expect(await statesOf(id)).toEqual(['team@example.com pending', 'boss@example.com pending']);
    expect((await nobody.post(path)).text).toContain('The address is confirmed');
    const writes = jest.spyOn(service.database, 'write');
    expect((await nobody.post(path)).text).toContain('The address is confirmed');
    expect(writes).not.toHaveBeenCalled();
    writes.mockRestore();
    expect(await statesOf(id)).toEqual(['team@example.com confirmed', 'boss@example.com pending']);
    expect((await store(['team@example.com'])).data.recipients).toEqual([
      { address: 'team@example.com', state: 'confirmed' },
    ]);
    await send();
    expect(server.received).toHaveLength(2);
  });

  it('stop alerts of the website by one click, and then only they can get them again', async () => {
    const { id } = (await store(['team@example.com'])).data;
    await send();
    const asked = server.received[0]!;
    await nobody.post(linkIn(asked, 'confirm'));
    const path = linkIn(asked, 'unsubscribe');
    expect((await nobody.get(path)).text).toContain(`Stop the alerts about ${site.domain}?`);
    expect(await statesOf(id)).toEqual(['team@example.com confirmed']);
    for (let click = 0; click < 2; click++) {
      const { status, text } = await nobody.post(path, { form: { 'List-Unsubscribe': 'One-Click' } });
      expect([status, text.includes('The alerts are stopped')]).toEqual([200, true]);
      expect(await statesOf(id)).toEqual(['team@example.com unsubscribed']);
    }
    const change = (addresses: string[]) =>
      api.patch(`${WEBSITES}/${site.id}/alerts/${id}`, { json: { recipients: addresses } });
    await change([]);
    expect((await change(['team@example.com'])).body.data.recipients[0].state).toBe('unsubscribed');
    await send();
    expect(server.received).toHaveLength(1);
    const again = /action="([^"]+)"/.exec((await nobody.get(path)).text)![1]!;
    const { pathname } = new URL(again, `https://stats.example.com${path}`);
    expect((await nobody.post(pathname)).status).toBe(200);
    expect(await statesOf(id)).toEqual(['team@example.com confirmed']);
  });

  it.each(['another website', 'another address', 'a changed signature', 'none', 'nonsense', 'much'])(
    'mean nothing in a link with %s',
    async (kind) => {
      await store(['team@example.com']);
      await send();
      const token = linkIn(server.received[0]!, 'confirm').split('/').at(-1)!;
      const [id, address, signature] = token.split('.') as [string, string, string];
      const other = Buffer.from('boss@example.com').toString('base64url');
      const tokens: Record<string, string> = {
        'another website': `${Number(id) + 1}.${address}.${signature}`,
        'another address': `${id}.${other}.${signature}`,
        'a changed signature': `${id}.${address}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        none: `${id}.${address}`,
        nonsense: `0${token}`,
        much: `${token}.${'x'.repeat(5000)}`,
      };
      for (const path of ['confirm', 'unsubscribe'])
        for (const method of ['GET', 'POST']) {
          const { status, text } = await nobody.send(method, `/alerts/${path}/${tokens[kind]}`);
          expect([status, text.includes('This link is not valid')]).toEqual([404, true]);
        }
    },
  );

  it('are 20 new ones of a user in a day, at most, in all websites and at once', async () => {
    const addresses = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `a${from + index}@example.com`);
    const other = await website(api);
    expect((await store(addresses(0, 10))).data.recipients).toHaveLength(10);
    const twins = await Promise.all([
      ...[10, 12, 14, 16].map((from) => store(addresses(from, 2))),
      ...[20, 22, 24, 26].map((from) => store(addresses(from, 2), other)),
    ]);
    const refused = twins.filter(({ errors }) => errors);
    expect(refused).toHaveLength(3);
    expect(refused[0].errors).toEqual({
      recipients: ['would have more than 20 addresses asked for confirmation in a day; add them later'],
    });
    expect((await store(addresses(0, 10))).data.recipients).toHaveLength(10);
    await send();
    await api.delete(`${WEBSITES}/${other.id}`);
    expect((await store(['new@example.com'], await website(api))).errors).toEqual(refused[0].errors);
    const stranger = await service.anotherUser();
    expect((await store(['new@example.com'], await website(stranger), stranger)).data).toBeDefined();
    await send();
    expect(server.received).toHaveLength(21);
  });

  it('are asked three times in a day, at most, by all users together', async () => {
    for (let asked = 0; asked < 3; asked++) {
      const user = await service.anotherUser();
      const own = await website(user);
      for (let again = 0; again < 2; again++)
        expect((await store(['team@example.com'], own, user)).data).toBeDefined();
      await send();
      await user.delete(`${WEBSITES}/${own.id}`);
    }
    expect((await store(['boss@example.com', 'Team@example.com'])).errors).toEqual({
      recipients: [
        'would have team@example.com asked for confirmation more than 3 times in a day; add it later',
      ],
    });
    expect((await api.get(`${WEBSITES}/${site.id}/alerts`)).body.data).toEqual([]);
    expect((await store(['boss@example.com'])).data).toBeDefined();
    await send();
    expect(recipients()).toEqual(['boss@example.com', ...Array<string>(3).fill('team@example.com')]);
  });

  it('are asked again after a day, if they are added again', async () => {
    const { id } = (await store(['team@example.com'])).data;
    await send();
    const change = (recipients: string[]) =>
      api.patch(`${WEBSITES}/${site.id}/alerts/${id}`, { json: { recipients } });
    await change([]);
    await change(['team@example.com']);
    await send();
    expect(server.received).toHaveLength(1);
    await service.database.execute(
      'UPDATE alert_recipients SET pending_since = pending_since - 86400000',
      [],
    );
    await change([]);
    await change(['team@example.com']);
    await send();
    expect(server.received).toHaveLength(2);
  });

  it('are not asked once no alert has them, until one has them again', async () => {
    const { id } = (await store(['team@example.com', 'boss@example.com'])).data;
    await api.delete(`${WEBSITES}/${site.id}/alerts/${id}`);
    await store(['boss@example.com']);
    await send();
    expect(recipients()).toEqual(['boss@example.com']);
    await store(['team@example.com']);
    await send();
    expect(recipients()).toEqual(['boss@example.com', 'team@example.com']);
  });

  it('are no longer of interest once the website is gone', async () => {
    await store(['team@example.com']);
    await send();
    const path = linkIn(server.received[0]!, 'confirm');
    await api.delete(`${WEBSITES}/${site.id}`);
    expect((await nobody.get(path)).status).toBe(404);
    expect((await nobody.post(path)).status).toBe(404);
  });
});

describe('a mail about a firing', () => {
  let fresh: FreshDatabase;
  let alerter: Alerter;
  let site: Site;
  const open = async (environment: Record<string, string>) => {
    fresh = await freshDatabase();
    alerter = await startAlerter({ ...environment, DATABASE_URL: fresh.url });
    site = await alerter.website();
  };
  afterEach(async () => {
    await alerter.stop();
    await fresh.drop();
  });

  const decide = (address: string, state: string) =>
    alerter.database.execute(
      'INSERT INTO alert_recipients (website_id, address, state, pending_since) VALUES (?, ?, ?, NULL)',
      [site.id, address, state],
    );
  const fire = async (fields: object = {}, at = NOON): Promise<number> => {
    const id = await alerter.alert(site, { ...RULE, ...fields } as never, at);
    await alerter.hits(site, at + MINUTE_MS, 2);
    await alerter.check(at + 2 * MINUTE_MS);
    await alerter.mail();
    return id;
  };
  const mails = () =>
    alerter.database.query<{ state: string; reason: string | null }[]>(
      'SELECT state, reason FROM alert_mails ORDER BY id',
    );

  it('goes to the owner and to who confirmed, once', async () => {
    await open(reportsEnvironment(server, ''));
    await decide('team@example.com', 'confirmed');
    await decide('gone@example.com', 'unsubscribed');
    const id = await fire({
      name: 'Busy <b>&"🙂',
      recipients: ['team@example.com', 'gone@example.com', 'new@example.com'],
    });
    await alerter.mail();
    const sent = server.received.filter(({ mail }) => mail.subject!.startsWith('Alert'));
    expect(sent.map(({ to }) => to[0]).sort()).toEqual([OWNER, 'team@example.com']);
    expect((await alerter.firings(site, id))[0]).toMatchObject({ mails: 2 });
    expect(new Set(sent.map(({ mail }) => mail.messageId)).size).toBe(2);
    for (const { mail, raw } of sent) {
      expect(mail.subject).toBe(`Alert about ${site.domain}: Busy <b>&"🙂`);
      expect(mail.text).toContain('2 page views, more than 1');
      expect(mail.html).toContain('Busy &lt;b>&amp;&quot;🙂');
      expect(mail.html).not.toMatch(/<script|<img|src=|url\(|@import/i);
      expect(raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
      expect(raw).toContain('Auto-Submitted: auto-generated');
    }
  });

  it('has links that lead somewhere: to the console, or to the page of statistics that are shared', async () => {
    await open(reportsEnvironment(server, ''));
    await alerter.database.execute('UPDATE websites SET privacy = 0 WHERE id = ?', [site.id]);
    await decide('team@example.com', 'confirmed');
    await fire({ recipients: ['team@example.com'] });
    const service = await startApp({ DATABASE_URL: fresh.url });
    const nobody = service.api.as(undefined);
    const followed: Record<string, string[]> = {};
    for (const { to, mail } of server.received) {
      const links = mail.text!.match(/https:\/\/stats\.example\.com\S*/g)!.map((link) => new URL(link));
      for (const { pathname, search } of links) {
        const { status, headers } = await nobody.get(pathname + search);
        expect([pathname, status, headers.get('Content-Type')]).toEqual([
          ...[pathname, 200, 'text/html; charset=utf-8'],
        ]);
      }
      followed[to[0]!] = links.map(({ pathname, search }) => pathname.split('/', 2).join('/') + search);
    }
    const day = new Date(NOON).toISOString().slice(0, 10);
    expect(followed).toEqual({
      [OWNER]: [`/?website=${site.id}`, '/alerts'],
      'team@example.com': [`/share?range=custom&from=${day}&to=${day}`, '/alerts'],
    });
    await service.stop();
  });

  it('does not go to an owner who wants none, stopped them, or has no address for mails', async () => {
    await open(reportsEnvironment(server, ''));
    await fire({ mail: 0 });
    await decide(OWNER, 'unsubscribed');
    await fire();
    await alerter.database.execute("UPDATE users SET email = 'admin@localhost'", []);
    await fire();
    expect(server.received).toEqual([]);
  });

  it('is not sent where there is no mail server, and the alert fires all the same', async () => {
    await open({});
    const id = await fire({ recipients: ['team@example.com'] });
    expect(await alerter.firings(site, id)).toMatchObject([{ mails: 0 }]);
    expect(await alerter.view(site, id)).toMatchObject({
      recipients: [{ address: 'team@example.com', state: 'pending' }],
    });
    expect(await alerter.database.query('SELECT 1 FROM alert_mails')).toEqual([]);
  });

  it('waits while the mail server is down, and is not sent once its alert is gone', async () => {
    await open(reportsEnvironment(server, ''));
    await server.stop();
    const id = await fire();
    const statesOf = async () => (await mails()).map(({ state }) => state);
    expect(await statesOf()).toEqual(['waiting']);
    await alerter.database.execute('DELETE FROM alert_firings WHERE alert_id = ?', [id]);
    await server.start();
    await alerter.mail(Date.now() + 20 * MINUTE_MS);
    expect([await statesOf(), server.received]).toEqual([['skipped'], []]);
  });

  it('waits for no time at which it failed or was claimed by a clock that was ahead', async () => {
    await open(reportsEnvironment(server, ''));
    await server.stop();
    await alerter.alert(site, { ...RULE, recipients: ['new@example.com'] } as never, NOON);
    await alerter.hits(site, NOON + MINUTE_MS, 2);
    await alerter.check(NOON + 2 * MINUTE_MS);
    await alerter.mail(NOON + 20 * HOUR_MS);
    await server.start();
    await alerter.mail();
    expect(recipients()).toEqual([OWNER, 'new@example.com']);
    await alerter.database.execute(
      "UPDATE alert_mails SET state = 'claimed', owner = 'gone', due_at = ? WHERE firing_id > 0",
      [Date.now() + HOUR_MS],
    );
    await alerter.mail();
    expect(recipients()).toEqual([OWNER, OWNER, 'new@example.com']);
  });

  it('is not sent a day later', async () => {
    await open(reportsEnvironment(server, ''));
    await fire({}, hourAgo(30));
    expect(await mails()).toEqual([{ state: 'failed', reason: 'the alert fired more than 24 hours ago' }]);
    await fire();
    expect(server.received).toHaveLength(1);
  });

  it('is in the language of the owner, who may change it, to whomever it goes', async () => {
    await open(reportsEnvironment(server, ''));
    await decide('team@example.com', 'confirmed');
    await alerter.database.execute("UPDATE users SET language = 'de'", []);
    await fire({ name: 'Viel los', recipients: ['team@example.com', 'new@example.com'] });
    const [asked, ...sent] = [...server.received].sort((a, b) =>
      b.mail.subject!.localeCompare(a.mail.subject!),
    );
    expect(asked!.mail.subject).toBe(`Meldungen von ${site.domain} erhalten?`);
    expect(asked!.mail.text).toMatch(/Diese Adresse bestätigen: https:.*\n.*\nNie wieder fragen: https:/s);
    expect(sent.map(({ to }) => to[0]).sort()).toEqual([OWNER, 'team@example.com']);
    for (const { mail } of sent) {
      expect(mail.subject).toBe(`Meldung von ${site.domain}: Viel los`);
      expect(mail.text).toContain('2 Seitenaufrufe, mehr als 1\nam ');
      expect(mail.text).toContain('Diese Meldungen abbestellen: https:');
      expect(mail.html).toContain('<html lang="de">');
    }
    for (const { mail } of server.received)
      expect(mail.text! + mail.html!).not.toMatch(/\b(this|alerts?|stop|more|page views|until)\b(?![/-])/i);
    await alerter.database.execute("UPDATE users SET language = 'en'", []);
    await fire({ name: 'Busy' });
    expect(server.received.at(-1)!.mail.subject).toBe(`Alert about ${site.domain}: Busy`);
  });

  it('waits for one mail of each other user, however many of them wait', async () => {
    await open(reportsEnvironment(server, ''));
    const sites = [site];
    for (const name of ['bob', 'cleo'])
      sites.push(await alerter.website(await alerter.user(`${name}@example.com`)));
    const wait = async (user: number, count: number, dueAt: number) => {
      const asked = Array.from({ length: count }, (_, index) => `${'abc'[user]}${index}@example.com`);
      for (const recipients of [asked.slice(0, 10), asked.slice(10)])
        await alerter.alert(sites[user]!, { ...RULE, recipients } as never, NOON, user + 1);
      await alerter.database.execute('UPDATE alert_mails SET due_at = ? WHERE user_id = ?', [
        dueAt,
        user + 1,
      ]);
    };
    await wait(0, 12, NOON);
    await wait(1, 2, NOON + 1);
    await wait(2, 1, NOON + 2);
    await alerter.mail();
    expect(server.received.map(({ to }) => to[0]![0]).join('')).toBe('abcabaaaaaaaaaa');
  });

  it('is one of 200 of a user in a day, at most, the last of them to the owner, and webhooks get more', async () => {
    await open(reportsEnvironment(server, ''));
    await alerter.database.execute(
      `INSERT INTO webhooks (user_id, url, events, enabled, generation, due_at, served_at, is_slow, created_at, updated_at)
      VALUES (1, 'https://hooks.example.com/', 'alert', 1, 1, NULL, 0, 0, 0, 0)`,
      [],
    );
    const others = Array.from({ length: 10 }, (_, index) => `a${index}@example.com`);
    for (const address of others) await decide(address, 'confirmed');
    const store = (of: Site, recipients: string[], ownerId?: number) =>
      alerter.alert(of, { ...RULE, recipients } as never, NOON, ownerId);
    for (let number = 0; number < 19; number++) await store(site, others);
    await store(site, []);
    const stranger = await alerter.user('stranger@example.com');
    const strange = await alerter.website(stranger);
    const foreign = await store(strange, [], stranger);
    for (const one of [site, strange]) await alerter.hits(one, NOON + MINUTE_MS, 2);
    await alerter.check(NOON + 2 * MINUTE_MS);
    const fired = await alerter.database.query<object[]>(
      'SELECT mails, webhooks FROM alert_firings WHERE website_id = ? ORDER BY alert_id',
      [site.id],
    );
    expect(fired).toEqual([
      ...Array.from({ length: 18 }, () => ({ mails: 11, webhooks: 1 })),
      { mails: 2, webhooks: 1 },
      { mails: 0, webhooks: 1 },
    ]);
    const [last] = await alerter.database.query<{ firingId: number }[]>(
      'SELECT MAX(firing_id) AS firingId FROM alert_mails WHERE user_id = 1',
    );
    const addressed = await alerter.database.query<{ address: string }[]>(
      'SELECT address FROM alert_mails WHERE firing_id = ? ORDER BY id',
      [last!.firingId],
    );
    expect(addressed.map(({ address }) => address)).toEqual([OWNER, others[0]]);
    expect(await alerter.firings(strange, foreign, stranger)).toMatchObject([{ mails: 1 }]);
    expect(await mails()).toHaveLength(201);
  });

  it('takes none of these for a firing that is stored already', async () => {
    await open(reportsEnvironment(server, ''));
    const id = await fire();
    const [{ from, to }] = (await alerter.firings(site, id)) as [FiringView];
    const used = () => alerter.database.query('SELECT SUM(used) AS used FROM limit_counts');
    const before = await used();
    const alert = {
      ...RULE,
      id,
      websiteId: site.id,
      ownerId: 1,
      ownerAddress: OWNER,
      mail: 1,
      recipients: [],
    };
    const firing = {
      window: { from: Date.parse(from), to: Date.parse(to) },
      value: 2,
      usual: null,
      at: NOON,
    };
    const isAdded = await alerter.database.write((manager) =>
      alerter.service(NewFirings).add(manager, alert as unknown as DueAlert, firing),
    );
    expect([isAdded, await used()]).toEqual([false, before]);
  });
});

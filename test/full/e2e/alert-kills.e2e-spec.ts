import { type Alerter, hourAgo, startAlerter } from '../../support/alerts';
import { timezoneAtNoon } from '../../support/counted';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { MailServer } from '../../support/mail-server';
import { type Program, startService } from '../../support/programs';
import { reportsEnvironment } from '../../support/reports';
import type { Site } from '../../support/sending';
import { until } from '../../support/until';

const MINUTE_MS = 60_000;
let server: MailServer;
let fresh: FreshDatabase;
let alerter: Alerter;
let environment: Record<string, string>;
let service: Program | undefined;
let site: Site;

beforeEach(async () => {
  server = await new MailServer().start();
  fresh = await freshDatabase();
  environment = { ...reportsEnvironment(server, fresh.url), TIMEZONE: timezoneAtNoon() };
  alerter = await startAlerter(environment);
  site = await alerter.website();
});
afterEach(async () => {
  service?.signal('SIGKILL');
  await alerter.stop();
  await server.stop();
  await fresh.drop();
});

/** An alert that fires at once, for the hour before this one. */
async function due(of = site): Promise<number> {
  const id = await alerter.alert(of, { condition: 'below', threshold: 5 }, hourAgo(3));
  await alerter.database.execute('UPDATE alerts SET due_at = 0 WHERE id = ?', [id]);
  return id;
}

const endLeases = () => alerter.database.execute('UPDATE leases SET expires_at = 0', []);
const statesOf = async () =>
  (await alerter.database.query<{ state: string }[]>('SELECT state FROM alert_mails ORDER BY id')).map(
    ({ state }) => state,
  );
const count = async (table: string) =>
  Number((await alerter.database.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);

it('alerts of a process that is killed fire once each, with one mail', async () => {
  server.keepsNothing = true;
  const sites = [site, ...(await Promise.all([1, 2, 3, 4].map(() => alerter.website())))];
  for (const one of sites) for (let number = 0; number < 20; number++) await due(one);
  service = (await startService(environment)).program;
  await until(async () => (await count('alert_firings')) > 0);
  await service.stop('SIGKILL');
  const before = await count('alert_firings');
  const consistent = async () => {
    const fired = await alerter.database.query<object[]>('SELECT id FROM alerts WHERE fired_at IS NOT NULL');
    expect([await count('alert_mails'), fired.length]).toEqual(Array(2).fill(await count('alert_firings')));
  };
  await consistent();
  await endLeases();
  await alerter.check(Date.now());
  expect(before).toBeGreaterThan(0);
  expect(await count('alert_firings')).toBe(100);
  await consistent();
});

it('a mail whose process is killed before the mail server asked for it is sent by the next process', async () => {
  let requested = () => {};
  const hanging = new Promise<void>((resolve) => (requested = resolve));
  server.hooks.onRcptTo = () => requested();
  await due();
  service = (await startService(environment)).program;
  await until(async () => (await count('alert_mails')) === 1);
  await hanging;
  expect(await statesOf()).toEqual(['claimed']);
  await service.stop('SIGKILL');
  server.hooks.onRcptTo = undefined;
  await endLeases();
  await alerter.mail(Date.now() + 11 * MINUTE_MS);
  expect(await statesOf()).toEqual(['sent']);
  expect(server.received).toHaveLength(1);
});

it('one whose process is killed while the mail server may have it is not sent again', async () => {
  let accepted = () => {};
  const taking = new Promise<void>((resolve) => (accepted = resolve));
  server.hooks.answersData = false;
  server.once('received', () => accepted());
  await due();
  service = (await startService(environment)).program;
  await taking;
  expect(await statesOf()).toEqual(['sending']);
  await service.stop('SIGKILL');
  server.hooks.answersData = true;
  for (let round = 0; round < 2; round++) {
    await endLeases();
    await alerter.mail(Date.now() + 11 * MINUTE_MS);
  }
  expect(await statesOf()).toEqual(['unknown']);
  expect(server.received).toHaveLength(1);
});

it('fire once where two processes check and send at the same time', async () => {
  for (let number = 0; number < 12; number++) await due();
  const other = await startAlerter(environment);
  const compete = async (one: Alerter) => {
    for (let round = 0; round < 6; round++) {
      await endLeases();
      await one.check(Date.now()).catch(() => undefined);
      await one.mail();
    }
  };
  await Promise.all([compete(alerter), compete(other)]);
  await other.stop();
  await endLeases();
  await alerter.check(Date.now());
  await alerter.mail();
  expect([await count('alert_firings'), await count('alert_mails')]).toEqual([12, 12]);
  expect(server.received).toHaveLength(12);
});

import { CommandHost } from '../../support/command-host';
import { timezoneAtNoon } from '../../support/counted';
import type { FreshDatabase } from '../../support/fresh-database';
import { MailServer } from '../../support/mail-server';
import { type Program, startService } from '../../support/programs';
import { type Reporter, reportsDatabase, reportsEnvironment, startReporter } from '../../support/reports';

const MINUTE_MS = 60_000;
let server: MailServer;
let fresh: FreshDatabase;
let reporter: Reporter;
let environment: Record<string, string>;
let service: Program | undefined;
const host = new CommandHost();

beforeAll(async () => {
  server = await new MailServer().start();
  fresh = await reportsDatabase();
  // No report is due while the tests run.
  environment = { ...reportsEnvironment(server, fresh.url), TIMEZONE: timezoneAtNoon() };
  reporter = await startReporter(environment);
});
afterAll(async () => {
  await host.stop();
  service?.signal('SIGKILL');
  await reporter.stop();
  await server.stop();
  await fresh.drop();
});

async function endLease(): Promise<void> {
  await reporter.database.execute("UPDATE leases SET expires_at = 0 WHERE name = 'reports'", []);
}

/** Runs another process after the leases of the killed one have expired. */
async function goOn(): Promise<void> {
  await endLease();
  await reporter.run(Date.now() + 11 * MINUTE_MS);
}

it('a report whose process is killed before the mail server asked for it is sent by the next process', async () => {
  let requested = () => {};
  const hanging = new Promise<void>((resolve) => (requested = resolve));
  server.hooks.onRcptTo = () => requested();
  await reporter.website('claimed.example');
  service = (await startService(environment)).program;
  await hanging;
  expect(await reporter.states()).toEqual(['claimed']);
  await service.stop('SIGKILL');
  server.hooks.onRcptTo = undefined;
  await goOn();
  expect(await reporter.states()).toEqual(['sent']);
  expect(server.received).toHaveLength(1);
});

it('one whose process is killed while the mail server may have it is not sent again, but on request', async () => {
  let accepted = () => {};
  const taking = new Promise<void>((resolve) => (accepted = resolve));
  server.hooks.answersData = false;
  server.once('received', () => accepted());
  await endLease();
  await reporter.database.execute('DELETE FROM report_deliveries', []);
  await reporter.database.execute('DELETE FROM report_periods WHERE first_day > 0', []);
  service = (await startService(environment)).program;
  await taking;
  expect(await reporter.states()).toEqual(['sending']);
  await service.stop('SIGKILL');
  server.hooks.answersData = true;
  await goOn();
  await goOn();
  expect(await reporter.states()).toEqual(['unknown']);
  expect(server.received).toHaveLength(2);
  const listed = await host.run(['report', 'list', '--state', 'unknown'], environment);
  expect(listed.stdout).toMatch(/claimed\.example +weekly \S+ +unknown .*ann@example\.com/);

  const sent = await host.run(['report', 'send', 'claimed.example'], environment);
  expect(sent).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The report of claimed\.example, .* was sent/),
  });
  const [, first, second] = server.received.map(({ mail }) => mail.messageId);
  expect(second).toBe(first);
  expect(await reporter.states()).toEqual(['sent']);
});

it('each recipient gets one mail, although the process that sends them is killed', async () => {
  const recipients = ['boss@example.com', 'press@example.com', 'team@example.com'];
  const { database } = reporter;
  const id = await reporter.website('shared.example');
  for (const [place, address] of recipients.entries()) await reporter.recipient(id, address, place);
  await endLease();
  await database.execute('DELETE FROM report_periods WHERE first_day > 0', []);
  // The owner's mail would be one among these, at any moment.
  await database.execute("UPDATE users SET email = 'admin@localhost'", []);
  const before = server.received.length;
  let requested = () => {};
  const hanging = new Promise<void>((resolve) => (requested = resolve));
  server.once('received', () => (server.hooks.onRcptTo = () => requested()));
  service = (await startService(environment)).program;
  await hanging;
  expect((await reporter.copies()).sort()).toEqual(['claimed', 'sent', 'waiting']);
  await service.stop('SIGKILL');
  server.hooks.onRcptTo = undefined;
  await goOn();
  await goOn();
  expect(await reporter.copies()).toEqual(['sent', 'sent', 'sent']);
  const sent = server.received.slice(before).map(({ to }) => to[0]);
  expect(sent.sort()).toEqual(recipients);
});

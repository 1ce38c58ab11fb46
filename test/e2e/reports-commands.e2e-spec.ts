import { CommandHost } from '../support/command-host';
import type { FreshDatabase } from '../support/fresh-database';
import { MailServer } from '../support/mail-server';
import {
  fillReport,
  type Reporter,
  reportsDatabase,
  reportsEnvironment,
  startReporter,
} from '../support/reports';

let server: MailServer;
let fresh: FreshDatabase;
let reporter: Reporter;
let environment: Record<string, string>;
const host = new CommandHost();
beforeAll(async () => {
  server = await new MailServer().start();
  fresh = await reportsDatabase();
  environment = reportsEnvironment(server, fresh.url);
  reporter = await startReporter(environment);
});
afterAll(async () => {
  await host.stop();
  await reporter.stop();
  await server.stop();
  await fresh.drop();
});

it('shows a report, sends copies of it, and lists what became of reports', async () => {
  const id = await reporter.website('one.example', 0);
  await fillReport(reporter, id, '2026-03-02');
  const preview = await host.run(['report', 'preview', String(id), '--day', '2026-03-05'], {
    DATABASE_URL: fresh.url,
  });
  expect(preview.stdout).toMatch(/^<!DOCTYPE html><html.*Weekly report of one\.example: 2 to 8 March 2026/);

  const copy = [
    'report',
    'send',
    'one.example',
    '--day',
    '2026-03-05',
    '--every',
    'monthly',
    '--to',
    'eve@example.com',
  ];
  expect((await host.run(copy, environment)).code).toBe(0);
  expect(server.received.map(({ to, mail }) => [to, mail.subject])).toEqual([
    [['eve@example.com'], 'Monthly report of one.example: March 2026'],
  ]);
  expect(await reporter.deliveries()).toEqual([]);
});

it('changes the address of a user', async () => {
  const update = (...words: string[]) => host.run(['user', 'update', ...words], { DATABASE_URL: fresh.url });
  expect(await update('ann@example.com', '--email', 'Bo@example.com')).toMatchObject({
    code: 0,
    stdout: 'The address is now bo@example.com.\n',
  });
  expect((await update('ann@example.com', '--email', 'x@example.com')).stderr).toContain('there is no user');
  expect((await update('bo@example.com')).stderr).toContain('give --email or --language');
});

it('changes the language of mails to a user', async () => {
  const update = (...words: string[]) => host.run(['user', 'update', ...words], { DATABASE_URL: fresh.url });
  const [user] = await reporter.database.query<[{ email: string }]>('SELECT email FROM users', []);
  expect(await update(user.email, '--language', 'de')).toMatchObject({
    code: 0,
    stdout: 'The language of mails is now de.\n',
  });
  const preview = await host.run(['report', 'preview', 'one.example', '--day', '2026-03-05'], {
    DATABASE_URL: fresh.url,
  });
  expect(preview.stdout).toMatch(/^<!DOCTYPE html><html lang="de">.*Wochenbericht für one\.example/);
  expect((await update(user.email, '--language', 'fr')).stderr).toContain('Allowed choices are en, de');
});

it('lists what is due or failed, and why', async () => {
  const id = await reporter.website('failing.example', 0);
  const now = Date.now();
  const { database } = reporter;
  await database.execute(
    `INSERT INTO report_deliveries (website_id, every, first_day, state, due_at, attempts, reason, planned_at, changed_at)
    VALUES (?, 'weekly', 20000, 'waiting', ?, 2, '451 come later', 0, 0), (?, 'weekly', 20007, 'sent', 0, 3, NULL, 0, 0)`,
    [id, now + 60_000, id],
  );
  await database.execute(
    `INSERT INTO jobs (website_id, kind, due_at, tries, reason) VALUES (?, 'conversions', ?, 1, 'not enough memory'),
    (?, 'conversions', ?, 0, NULL)`,
    [id, now + 300_000, id + 1, now + 300_000],
  );
  const { code, stdout } = await host.run(['jobs'], { DATABASE_URL: fresh.url });
  const at = (moment: number) => new Date(moment).toISOString();
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split(/ *\n/)
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['KIND', 'WEBSITE', 'DUE', 'FAILED', 'REASON'],
    ['conversions', String(id), at(now + 300_000), '1', 'not enough memory'],
    ['reports', String(id), at(now + 60_000), '2', '451 come later'],
  ]);
});

it.each([
  [['report', 'preview', 'missing.example'], 'there is no website missing.example'],
  [['report', 'send', 'one.example', '--to', 'a@localhost'], 'no mail can be delivered to "a@localhost"'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await host.run(words, environment);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});

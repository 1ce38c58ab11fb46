import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createConnection } from 'mysql2/promise';
import { ApiClient } from '../../support/api-client';
import { type Backup, readBackup, writeBackup } from '../../support/backup-file';
import type { Ended } from '../../support/child';
import { CommandHost } from '../../support/command-host';
import { change, select } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase, onServer } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { cli, Program, startService } from '../../support/programs';
import { record, website } from '../../support/sending';
import { FORGET_TIMES } from '../../support/store-hooks';
import { until } from '../../support/until';

const KEY = 'the-key-of-the-restores-000';
/** More than a transaction of a restore has. */
const MANY_ROWS = 20_000;
/** Whoever adds a table decides whether something in it leads to a visitor, or must not be restored. */
const TABLES = `
  alert_firings alert_mails alert_recipients alerts annotations api_keys batch_visitors changed_domains closed_days
  collected_names counting day_blocks day_visitors deleted_websites dropped_events ended_sessions event_ids exclusions
  followed_days followed_websites funnels goals hit_batches hit_columns hit_days hit_homes hit_properties hits inbox jobs
  left_out page_filters property_names purges remote_versions report_deliveries report_mails report_periods
  report_recipients reserved_domains retention rollup_spans rollups saved_filters secret_check store_requests
  unnamed_versions users value_texts webhook_deliveries webhooks website_changes websites
`
  .trim()
  .split(/\s+/);

const isOnServer = engine === 'server';
const host = new CommandHost();
const databases: FreshDatabase[] = [];
let folder: string;
/** A backup of a small installation. */
let path: string;
let webhook: any;
let port: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-restores-'));
  path = join(folder, 'copy.backup');
  port = String(await freePort());
  const { url } = await empty();
  const service = await startService({
    DATABASE_URL: url,
    BOOTSTRAP_API_KEY: KEY,
    WEBHOOK_ALLOW: '127.0.0.1',
  });
  const api = new ApiClient(service.address, KEY);
  const site = await website(api);
  await record(api, site, [{}, { ip: '192.0.2.9' }]);
  const json = { url: `http://127.0.0.1:${port}/`, events: ['alert'] };
  webhook = (await api.post('/api/v1/webhooks', { json })).body.data;
  const alert = { name: 'Silence', metric: 'events', condition: 'silent' };
  expect((await api.post(`/api/v1/websites/${site.id}/alerts`, { json: alert })).status).toBe(201);
  await api.post(`/api/v1/webhooks/${webhook.id}/test`);
  await until(async () => (await select(url, 'SELECT id FROM webhook_deliveries')).length > 0);
  await service.program.stop();
  await change(
    url,
    `INSERT INTO report_deliveries (website_id, every, first_day, state, due_at, attempts, planned_at, changed_at)
    VALUES (${site.id}, 'weekly', 1, 'waiting', 1, 0, 1, 1), (${site.id}, 'weekly', 8, 'sending', 1, 1, 1, 1)`,
  );
  await change(url, "INSERT INTO report_periods (every, first_day, planned_at) VALUES ('weekly', 1, 1)");
  expect((await jobsOf(url)).stdout).toMatch(/deliveries .*\nalerts .*\nreports .*\nreports /);
  expect(await run(['backup', '--to', path], url)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await host.stop();
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function empty(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  databases.push(database);
  return database;
}

const environmentOf = (url: string, more = {}) => ({ DATABASE_URL: url, PORT: port, ...more });
const run = (words: string[], url: string, more = {}): Promise<Ended> =>
  host.run(words, environmentOf(url, more));
const jobsOf = (url: string) => run(['jobs'], url);
const refusal = (problem: string) => ({ code: 1, stdout: '', stderr: expect.stringContaining(problem) });

/** Another file, with a change of what the backup says. */
function changed(change: (backup: Backup) => void): string {
  const backup = readBackup(path);
  change(backup);
  const other = join(folder, `${readdirSync(folder).length}.backup`);
  writeBackup(other, backup);
  return other;
}

/** The rows of a table, before those of the tables behind it. */
function rowsOf({ head, rows }: Backup, table: string) {
  const index = head.tables.findIndex(({ name }: any) => name === table);
  const before = head.tables.slice(0, index).reduce((sum: number, own: any) => sum + own.rows, 0);
  return {
    head: head.tables[index],
    first: before,
    rows: rows.slice(before, before + head.tables[index].rows),
  };
}

it('sends nothing that was due before, and keeps it in the lists', async () => {
  const { url } = await empty();
  expect(await run(['restore', path], url)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^The database is as it was at \S+\. What was due before now is not sent\.\n$/,
    ),
  });
  expect((await jobsOf(url)).stdout.split('\n').slice(1).join('')).toBe('');
  const states = (table: string) => select<any>(url, `SELECT state FROM ${table} ORDER BY state`);
  expect(await states('report_deliveries')).toEqual([{ state: 'failed' }, { state: 'unknown' }]);
  expect(await select(url, 'SELECT state, last_error FROM webhook_deliveries')).toEqual([
    { state: 'failed', last_error: 'not sent: the database was restored from a backup' },
  ]);
  const periods = await select<any>(url, 'SELECT every FROM report_periods ORDER BY every');
  expect(periods.map(({ every }) => every)).toEqual(['weekly', 'weekly']);
  const [alert] = await select<any>(url, 'SELECT judged_until, due_at, is_armed FROM alerts');
  expect([Number(alert.judged_until) > Date.now(), alert.is_armed]).toEqual([true, 0]);
  expect(await run(['stats', 'verify'], url)).toMatchObject({ code: 0 });
});

it('keeps the numbers of visitors, however old the backup is', async () => {
  const { url } = await empty();
  const old = changed((backup) => {
    const { head, rows } = rowsOf(backup, 'batch_visitors');
    for (const row of rows) row[head.columns.indexOf('forget_at')] = 1;
  });
  expect(await run(['restore', old], url)).toMatchObject({ code: 0 });
  const rows = await select<any>(url, FORGET_TIMES);
  expect(rows.length).toBeGreaterThan(0);
  for (const { forget_at } of rows) expect(Number(forget_at)).toBeGreaterThan(Date.now() + 47 * 3_600_000);
});

it('knows of each table whether backups have it', () => {
  const { head } = readBackup(path);
  expect(head.tables.map(({ name }: any) => name).sort()).toEqual(TABLES);
});

describe('refuses', () => {
  it('a backup of another kind of database', async () => {
    const kind = engine === 'sqlite' ? 'mysql' : 'sqlite';
    const other = changed(({ head }) => (head.kind = kind));
    const { url } = await empty();
    expect(await run(['restore', other], url)).toEqual(
      refusal(`the backup was made on ${kind === 'mysql' ? 'MySQL' : 'SQLite'}, and DATABASE_URL is of `),
    );
  });

  it('a backup of a newer version', async () => {
    const newer = changed(({ head }) => {
      head.version = '9.1.0';
      head.migrations.push('AddMore1999000000000');
    });
    const { url } = await empty();
    const problem = 'made by a newer version of Milepost (9.1.0, with AddMore1999000000000)';
    expect(await run(['restore', newer], url)).toEqual(refusal(problem));
    expect(await run(['backup', '--check', newer], url)).toEqual(refusal(problem));
  });

  it('a database that is not empty', async () => {
    const { url } = await empty();
    await run(['migrate'], url);
    expect(await run(['restore', path], url)).toEqual(
      refusal('the database is not empty: it has the table '),
    );
    expect(await run(['user', 'list'], url)).toMatchObject({ code: 0 });
  });

  it('while the service runs', async () => {
    const [one, other] = [await empty(), await empty()];
    const service = await startService({ DATABASE_URL: one.url, PORT: port });
    expect(await run(['restore', path], other.url)).toEqual(
      refusal(`the service runs at http://127.0.0.1:${port}; stop it first`),
    );
    await service.program.stop();
  });

  it('another secret, unless it is meant', async () => {
    const { url } = await empty();
    const other = { SECRET_FILE: join(folder, 'other secret') };
    expect(await run(['restore', path], url, other)).toEqual(refusal('other secret does not exist. Bring'));
    writeFileSync(other.SECRET_FILE, 'a'.repeat(64));
    expect(await run(['restore', path], url, other)).toEqual(refusal('has a secret that differs'));
    const ended = await run(['restore', path, '--new-secret'], url, other);
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the secrets of webhooks are void'),
    });
    const service = await startService({ DATABASE_URL: url, ...other });
    const api = new ApiClient(service.address, KEY);
    const { status, body } = await api.post(`/api/v1/webhooks/${webhook.id}/secret`);
    expect([status, body.data.url]).toEqual([200, webhook.url]);
    expect(body.data.secret).not.toBe(webhook.secret);
    await service.program.stop();
    expect(await run(['user', 'list'], url)).toEqual(refusal('a secret other than the one'));
  });
});

onServer('on a server', () => {
  it('refuses a database that another process uses', async () => {
    const { url } = await empty();
    const connection = await createConnection(url);
    expect(await run(['restore', path], url)).toEqual(refusal('other processes use the database'));
    await connection.end();
  });
});

it('restores a backup of an earlier version', async () => {
  const older = changed((backup) => {
    const { migrations, tables } = backup.head;
    expect(migrations.pop()).toMatch('AddHomes');
    for (const name of ['hit_homes', 'remote_versions'])
      tables.splice(
        tables.findIndex((own: any) => own.name === name),
        1,
      );
    expect(migrations.pop()).toMatch('AddWebhookFormats');
    const { head, first, rows } = rowsOf(backup, 'webhooks');
    const place = head.columns.indexOf('format');
    expect([rows.length, place > 0]).toEqual([1, true]);
    head.columns.splice(place, 1);
    backup.rows[first]!.splice(place, 1);
  });
  const { url } = await empty();
  expect(await run(['restore', older], url)).toMatchObject({ code: 0 });
  expect(await select(url, 'SELECT url, format FROM webhooks')).toEqual([
    { url: webhook.url, format: 'milepost' },
  ]);
  expect(await run(['user', 'list'], url)).toMatchObject({ code: 0 });
});

describe('interrupted', () => {
  let large: string;
  beforeAll(() => {
    large = changed((backup) => {
      const { head, first, rows } = rowsOf(backup, 'changed_domains');
      const added = Array.from({ length: MANY_ROWS }, (_, index) =>
        head.columns.map((name: string) => (name === 'version' ? 1000 + index : `d${index}.example`)),
      );
      backup.rows.splice(first + rows.length, 0, ...added);
      head.rows += added.length;
    });
  });

  it('by another restore, it ends, and the other one goes on', async () => {
    const { url } = await empty();
    const first = new Program('cli.js', ['restore', large], environmentOf(url));
    await first.tells(/restored: [1-9]/);
    first.signal('SIGSTOP');
    if (isOnServer)
      expect(await run(['restore', path], url)).toEqual(refusal('other processes use the database'));
    else expect(await run(['restore', path], url)).toMatchObject({ code: 0 });
    first.signal('SIGCONT');
    const { code, stderr } = await first.end();
    if (isOnServer) expect(code).toBe(0);
    else expect([code, stderr]).toEqual([1, expect.stringContaining('another command has begun to fill')]);
    expect(await run(['user', 'list'], url)).toMatchObject({ code: 0 });
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('by %s, it leaves a database that says so', async (signal) => {
    const { url } = await empty();
    const program = new Program('cli.js', ['restore', large], environmentOf(url));
    await program.tells(/restored: [1-9]/);
    const { code, stderr } = await program.stop(signal);
    if (signal === 'SIGINT')
      expect([code, stderr]).toEqual([1, expect.stringContaining('error: interrupted; the database is not')]);
    const problem = 'the database was left incomplete by a restore or a move that did not end';
    expect(await cli(['user', 'list'], environmentOf(url))).toEqual(refusal(problem));
    expect(await new Program('main.js', [], environmentOf(url)).end()).toEqual(refusal(problem));
    // The server ends the connections of a process that was killed.
    await until(async () => (await run(['restore', large], url)).code === 0);
    expect(await run(['user', 'list'], url)).toMatchObject({ code: 0 });
    const [row] = await select<any>(url, 'SELECT COUNT(*) AS rows_there FROM changed_domains');
    expect(Number(row.rows_there)).toBeGreaterThan(MANY_ROWS);
  });
});

describe('damaged files', () => {
  const check = (file: string) => run(['backup', '--check', file], databases[0]!.url);
  const named = (name: string, bytes: Buffer) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  it('are refused in one sentence, wherever they are cut off or changed', async () => {
    const whole = readFileSync(path);
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const file = named('cut.backup', whole.subarray(0, Math.floor(part * whole.length)));
      expect(await check(file)).toMatchObject({ code: 1, stderr: expect.stringMatching(/cut off\n$/) });
      const changed = Buffer.from(whole);
      changed[Math.floor(part * whole.length)]! ^= 0x55;
      expect(await check(named('changed.backup', changed))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /error: \S+changed\.backup is (damaged|cut off|not a backup of Milepost)\n$/,
        ),
      });
    }
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('milepost-check-'))).toEqual([]);
  });

  it.each([
    ['an empty file', Buffer.alloc(0), 'is cut off|is not a backup'],
    ['text', Buffer.from('SELECT 1'), 'is not a backup'],
    ['another archive', gzipSync('SELECT 1\n'), 'is not a backup'],
    ['a line without an end', gzipSync(Buffer.alloc(40_000_000, 0x5b)), 'is damaged'],
    ['a head of nothing', gzipSync('{"milepostBackup":1}\n'), 'is not a backup'],
    ['null', gzipSync('null\n'), 'is not a backup'],
  ])('are no backup if they are %s', async (_, bytes, problem) => {
    const ended = await check(named('no.backup', bytes));
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^error: \\S+ (${problem}).*\n$`)),
    });
  });

  it('are refused if they are missing', async () => {
    expect(await check(join(folder, 'none'))).toEqual(refusal('none cannot be read (ENOENT)'));
  });

  const first = ({ head }: Backup) => head.tables.find(({ rows }: any) => rows > 0);
  it.each<[string, (backup: Backup) => unknown]>([
    ['a table of others', (backup) => (first(backup).name = 'sqlite_master')],
    ['the table of migrations', (backup) => (first(backup).name = 'migrations')],
    ['a table that no backup has', (backup) => (first(backup).name = 'salts')],
    [
      'a table less',
      ({ head }) =>
        head.tables.splice(
          head.tables.findIndex(({ rows }: any) => rows === 0),
          1,
        ),
    ],
    ['a statement as a table', (backup) => (first(backup).name = 'users; DROP TABLE users')],
    ['a column of others', (backup) => (first(backup).columns[0] = 'nothing')],
    ['a statement as a column', (backup) => (first(backup).columns[0] = 'id) SELECT 1 --')],
    ['a column twice', (backup) => (first(backup).columns[1] = first(backup).columns[0])],
    ['a short row', ({ rows }) => rows[0]!.pop()],
    ['an object', ({ rows }) => (rows[0]![0] = { length: 1 } as never)],
    ['a list of numbers', ({ rows }) => (rows[0]![0] = [1] as never)],
    ['a text for a number', ({ rows }) => (rows[0]![0] = 'one')],
    ['nothing where something must be', (backup) => (backup.rows[0] = backup.rows[0]!.map(() => null))],
    ['a row twice', (backup) => first(backup).rows++ && backup.rows.unshift(backup.rows[0]!)],
    ['a row too many', ({ rows }) => rows.push(rows[0]!)],
    ['a row too few', ({ rows }) => rows.pop()],
    ['a row of no list', ({ rows }) => (rows[0] = { length: rows[0]!.length } as never)],
  ])('with %s leave a database that is not used', async (_, change) => {
    const { url } = await empty();
    const hostile = changed(change);
    const ended = await run(['restore', hostile], url);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /error: \S+\.backup is (damaged|cut off)(: its rows do not fit the table \w+ \(\w+\))?\n$/,
      ),
    });
    expect(await run(['user', 'list'], url)).toEqual(refusal('the database was left incomplete'));
  });
});

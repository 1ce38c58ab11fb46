import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '../../support/api-client';
import { CommandHost } from '../../support/command-host';
import { change } from '../../support/database-access';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { cli, environmentOf, type Service, startService } from '../../support/programs';

const BUILT = join(__dirname, '../../../dist/src');

let database: FreshDatabase;
let service: Service;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  service = await startService({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: 'first-key-of-the-service' });
});
afterAll(async () => {
  await host.stop();
  await service.program.stop();
  await database.drop();
});

const run = (...words: string[]) => host.run(words, { DATABASE_URL: database.url });
const runAlone = (...words: string[]) => cli(words, { DATABASE_URL: database.url });
const KEY_ALONE = /^mp_[\w-]{32}\n$/;
const status = async (key: string) =>
  (await new ApiClient(service.address, key).get('/api/v1/websites')).status;
const listed = async (email: string) =>
  (await run('key', 'list', email)).stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/));

it('makes a user and prints the key alone', async () => {
  const { code, stdout, stderr } = await run('user', 'create', 'Ann@Example.com');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.stringMatching(KEY_ALONE), stderr: '' });
  expect(await status(stdout.trim())).toBe(200);
  expect((await run('user', 'list')).stdout).toMatch(
    /^ID +EMAIL +LANGUAGE +CREATED\n1 +admin@localhost +en .+\n2 +ann@example.com +en .+\n$/,
  );
});

it('makes, lists, rotates and revokes keys', async () => {
  await run('user', 'create', 'bob@example.com');
  const made = await run(
    'key',
    'create',
    'bob@example.com',
    '--scope',
    'read',
    '--name',
    'for the report',
    '--expires',
    '30d',
  );
  expect(made.stdout).toMatch(KEY_ALONE);
  expect(await status(made.stdout.trim())).toBe(200);
  const [, row] = await listed('bob@example.com');
  expect(row).toEqual([
    expect.any(String),
    `${made.stdout.slice(0, 8)}…`,
    'read',
    'valid',
    expect.stringMatching(/Z$/),
    expect.stringMatching(/Z$/),
    'all',
    'for the report',
  ]);

  const rotated = await run('key', 'rotate', row![0]!);
  expect(rotated.stdout).toMatch(KEY_ALONE);
  expect(await status(made.stdout.trim())).toBe(401);
  expect(await status(rotated.stdout.trim())).toBe(200);
  const [, before, after] = await listed('bob@example.com');
  expect([before![3], after![2], after![3], after![4], after![7]]).toEqual([
    'revoked',
    'read',
    'valid',
    row![4],
    'for the report',
  ]);

  expect(await run('key', 'revoke', after![0]!)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await status(rotated.stdout.trim())).toBe(401);
});

it('makes a key that is limited to websites', async () => {
  const key = (await run('user', 'create', 'joe@example.com')).stdout.trim();
  const api = new ApiClient(service.address, key);
  const { body } = await api.post('/api/v1/websites', { form: { domain: 'joe.example' } });
  await api.post('/api/v1/websites', { form: { domain: 'joe.test.example' } });
  const create = ['key', 'create', 'joe@example.com', '--scope', 'read', '--website', 'WWW.joe.example'];
  const made = await run(...create);
  expect(made.stdout).toMatch(KEY_ALONE);
  const limited = new ApiClient(service.address, made.stdout.trim());
  expect((await limited.get('/api/v1/websites')).body.meta.total).toBe(1);
  expect((await listed('joe@example.com')).at(-1)![6]).toBe(String(body.data.id));
  const wrong = await run(...create, '--website', 'nobodys.example');
  expect([wrong.code, wrong.stderr]).toEqual([1, 'error: the user has no website nobodys.example\n']);
});

it('lists an expired key as such, and rotates it only with a new time', async () => {
  await run('user', 'create', 'eve@example.com');
  const old = await run('key', 'create', 'eve@example.com', '--expires', '30d');
  expect(await status(old.stdout.trim())).toBe(200);
  await change(
    database.url,
    `UPDATE api_keys SET expires_at = ${Date.now() - 1000} WHERE user_id = (SELECT id FROM users WHERE email = 'eve@example.com')
    AND expires_at IS NOT NULL`,
  );
  expect(await status(old.stdout.trim())).toBe(401);
  const [, row] = await listed('eve@example.com');
  expect(row![3]).toBe('expired');
  expect((await run('key', 'rotate', row![0]!)).stderr).toMatch(/^error: .*--expires\n$/);
  const renewed = await run('key', 'rotate', row![0]!, '--expires', '2999-01-01T00:00:00Z');
  expect(await status(renewed.stdout.trim())).toBe(200);
});

it.each([
  ['bogus'],
  ['user', 'create'],
  ['user', 'create', 'no address'],
  ['user', 'create', 'admin@localhost'],
  ['user', 'create', 'a@b.example', 'more'],
  ['key', 'create', 'nobody@example.com'],
  ['key', 'create', 'admin@localhost', '--scope', 'write'],
  ['key', 'create', 'admin@localhost', '--expires', 'soon'],
  ['key', 'create', 'admin@localhost', '--expires', '2999-02-30'],
  ['key', 'create', 'admin@localhost', '--expires', '2020-01-01'],
  ['key', 'create', 'admin@localhost', '--name', ''],
  ['key', 'list', 'nobody@example.com'],
  ['key', 'revoke', '999'],
  ['key', 'revoke', '01'],
  ['key', 'rotate', '999'],
  ['migrate', '--wrong'],
])('says in one line what is wrong with: %s %s', async (...words) => {
  const { code, stdout, stderr } = await run(...words);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: .+\n$/),
  });
});

it.each([
  [],
  ['user'],
  ['user', 'create'],
  ['user', 'list'],
  ['key'],
  ['key', 'create'],
  ['key', 'list'],
  ['key', 'revoke'],
  ['key', 'rotate'],
  ['migrate'],
])('explains itself: %s %s --help', async (...words) => {
  const { code, stdout, stderr } = await run(...words, '--help');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: milepost/);
});

it('names the command that a mistyped one is nearest to', async () => {
  expect((await run('bakup')).stderr).toBe("error: unknown command 'bakup'\n(Did you mean backup?)\n");
});

it('lists its commands on one screen', async () => {
  const { code, stdout } = await run('help');
  expect(code).toBe(0);
  expect(stdout.split('\n').length).toBeLessThan(36);
});

it('ends with the same status where it runs by itself', async () => {
  for (const [words, code] of [
    [['bogus'], 1],
    [['key', 'revoke', '999'], 1],
    [['key', '--help'], 0],
  ] as const)
    expect((await runAlone(...words)).code).toBe(code);
});

it('names a setting that it cannot use', async () => {
  const ended = await cli(['user', 'list'], { DATABASE_URL: 'nonsense' });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/^error: DATABASE_URL: .+\n$/)]);
});

it('ends quietly where nobody reads on', async () => {
  const script = `set -o pipefail; "${process.execPath}" "${join(BUILT, 'cli.js')}" user list | true`;
  const environment = environmentOf({ DATABASE_URL: database.url });
  const { stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], { env: environment });
  expect(stderr).toBe('');
});

it('refuses a file that does not exist, which a mistyped path is, and says where one is made', async () => {
  const path = `${database.url.slice('sqlite:'.length)}-mistyped/a.sqlite`;
  const environment = { DATABASE_URL: `sqlite:${path}` };
  const ended = await host.run(['user', 'list'], environment);
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^error: DATABASE_URL: .+ does not exist; .+\n$/),
  ]);
  expect(existsSync(path)).toBe(false);
  const { stderr } = await host.run(['migrate'], environment);
  expect(stderr).toContain(`Created the database ${path}, which did not exist`);
  expect((await host.run(['user', 'list'], environment)).code).toBe(0);
  expect((await host.run(['migrate'], environment)).stderr).toBe('');
});

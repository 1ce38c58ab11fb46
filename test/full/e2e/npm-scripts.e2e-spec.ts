import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../support/child';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { MILEPOST } from '../../support/programs';
import { SECRET_FILE } from '../../support/secret-file';

const ROOT = join(__dirname, '../../..');

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

const environment = (port: number) => ({
  PATH: process.env.PATH,
  DATABASE_URL: database.url,
  SECRET_FILE,
  PORT: String(port),
});

it.each(['start', 'start:prod'])('npm run %s ends the service on SIGTERM', async (script) => {
  const port = await freePort();
  const npm = new Child('npm', ['run', '-s', script], {
    cwd: ROOT,
    env: environment(port),
  });
  await npm.prints(/is ready at/);
  await npm.stop();
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});

it.each([
  [['run', '-s', 'cli'], 0, /^Usage: milepost/],
  [['run', '-s', 'cli', '--', 'key', 'create', 'no one'], 1, /^$/],
])('npm %j is a command, not the service', async (words, code, stdout) => {
  const ended = await new Child('npm', words, { cwd: ROOT, env: environment(0) }).end();
  expect([ended.code, ended.stdout]).toEqual([code, expect.stringMatching(stdout)]);
});

describe('bin/milepost', () => {
  it('becomes the service, with limits of memory, also where npm links to it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-bin-'));
    const link = join(folder, 'milepost');
    symlinkSync(MILEPOST, link);
    const service = new Child(link, [], { cwd: folder, env: environment(0) });
    await service.prints(/is ready at/);
    const ofProcess = (name: string) => readFileSync(`/proc/${service.pid}/${name}`, 'utf8').split('\0');
    expect(ofProcess('cmdline')).toEqual(
      expect.arrayContaining(['--max-semi-space-size=16', '--heap-growing-percent=20']),
    );
    expect(ofProcess('environ')).toContain('MALLOC_ARENA_MAX=2');
    expect((await service.stop()).code).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['help'], 0],
    [['key', 'revoke', '999'], 1],
  ])('ends like its command: %j', async (words, code) => {
    expect((await new Child(MILEPOST, words, { env: environment(0) }).end()).code).toBe(code);
  });
});

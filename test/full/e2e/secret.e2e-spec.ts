import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Salts } from '../../../src/intake/salts';
import { CommandHost } from '../../support/command-host';
import { change } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { Program, startService } from '../../support/programs';
import { visit, website } from '../../support/sending';
import { startApp } from '../../support/test-app';

const host = new CommandHost();
afterAll(() => host.stop());

const TODAY = Math.floor(Date.now() / 86_400_000);

describe('the secret of an installation', () => {
  let folder: string;
  let database: FreshDatabase;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'milepost-secrets-'));
    database = await freshDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const environmentWith = (secret: string) => ({
    DATABASE_URL: database.url,
    SECRET_FILE: join(folder, secret),
  });

  it('is made by the first process, and used by all', async () => {
    const both = await Promise.all([1, 2].map(() => startService(environmentWith('data/secret'))));
    for (const { program } of both) expect((await program.stop()).code).toBe(0);
    expect(statSync(join(folder, 'data/secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'data')).filter((name) => name !== 'first-key')).toEqual(['secret']);
    expect(await host.run(['migrate'], environmentWith('data/secret'))).toMatchObject({ code: 0 });
  });

  it('stops a process that has another one, with one line', async () => {
    const line = /^(error: )?SECRET_FILE: \S+another contains a secret other than the one [^\n]+\n$/;
    const ended = await new Program('main.js', [], { PORT: '0', ...environmentWith('another') }).end();
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(line)]);
    const command = await host.run(['user', 'list'], { ...environmentWith('another'), LOG_LEVEL: 'error' });
    expect([command.code, command.stderr]).toEqual([1, expect.stringMatching(line)]);
  });

  it('is taken anew once the operator removed what the old one encrypted', async () => {
    await change(database.url, 'DELETE FROM secret_check');
    await change(database.url, 'DELETE FROM salts');
    const service = await startService(environmentWith('another'));
    expect((await service.program.stop()).code).toBe(0);
  });
});

it('keeps no salt in clear', async () => {
  const service = await startApp();
  expect((await visit(service.api, await website(service.api))).status).toBe(202);
  const salt = await service.app.get(Salts).of(TODAY);
  const rows = await service.database.read((manager) =>
    manager.query<{ salt: Buffer }[]>('SELECT salt FROM salts'),
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row.salt.includes(salt)).toBe(false);
  expect(rows.map((row) => row.salt.length)).toEqual(rows.map(() => 60));
  await service.stop();
});

if (engine === 'sqlite')
  it('leaves files that nobody else on the machine can read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'milepost-modes-'));
    const service = await startService({ DATABASE_URL: `sqlite:${folder}/data/milepost.sqlite` });
    const modes = readdirSync(join(folder, 'data')).map((name) => [
      name,
      statSync(join(folder, 'data', name)).mode & 0o777,
    ]);
    expect(modes.sort()).toEqual([
      ['first-key', 0o600],
      ['milepost.sqlite', 0o600],
      ['milepost.sqlite-shm', 0o600],
      ['milepost.sqlite-wal', 0o600],
    ]);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    await service.program.stop();
    rmSync(folder, { recursive: true });
  });

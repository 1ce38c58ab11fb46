import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '../../support/api-client';
import { CommandHost } from '../../support/command-host';
import { change, select } from '../../support/database-access';
import { blockWith } from '../../support/documentation';
import { engine } from '../../support/fresh-database';
import { CLIENTS_PATH, DatabaseServer, serverKind } from '../../support/database-server';
import { type Service, startService } from '../../support/programs';
import { visitedWebsite } from '../../support/visited-website';

const KEY = 'the-key-of-the-backups-000';
const PAGE = 'docs/deployment.md';

/** The commands name the database, so the test needs a server without another database of that name. */
const server = engine === 'server' ? new DatabaseServer() : undefined;
const host = new CommandHost();
let folder: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-backups-'));
  mkdirSync(join(folder, 'data'));
  await server?.start();
  url = server ? `${server.url}milepost` : `sqlite:${folder}/data/milepost.sqlite`;
  if (!server) return;
  await change(server.url, 'CREATE DATABASE milepost');
  const { username, password, hostname, port } = new URL(server.url);
  writeFileSync(
    join(folder, '.my.cnf'),
    `[client]\nuser=${username}\npassword=${password}\nhost=${hostname}\nport=${port}\n`,
  );
});
afterAll(async () => {
  await host.stop();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const run = (script: string) =>
  promisify(execFile)('bash', ['--norc', '-euc', script], {
    cwd: folder,
    env: { PATH: CLIENTS_PATH, HOME: folder },
  });

const start = () => startService({ DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY, TIMEZONE: 'UTC' });
const numbersOf = async ({ address }: Service) => {
  const { body } = await new ApiClient(address, KEY).get(
    '/api/v1/stats/1/summary?names=visitor,page,country,event&from=1970-01-01&to=9999-12-31',
  );
  return body.data as unknown;
};
const saltRows = async () => {
  const [row] = await select<{ n: number }>(url, 'SELECT COUNT(*) AS n FROM salts');
  return Number(row!.n);
};

const DUMP = server && serverKind() === 'mariadb' ? 'mariadb-dump' : 'mysqldump';
const [BACK_UP, RESTORE] = { sqlite: ['.backup', 'cp copy.sqlite'], server: [DUMP, 'mysql milepost'] }[
  engine
];

it('backups have all numbers, nothing to recognise a visitor by, and can be restored twice', async () => {
  let service = await start();
  await visitedWebsite(new ApiClient(service.address, KEY));
  const numbers = await numbersOf(service);
  // The second backup is restored over the first one.
  for (let round = 0; round < 2; round++) {
    await run(blockWith(PAGE, 'sh', BACK_UP!));
    await service.program.stop();
    await run(blockWith(PAGE, 'sh', RESTORE!));
    expect(await saltRows()).toBe(0);
    service = await start();
    expect(await numbersOf(service)).toEqual(numbers);
    expect(await host.run(['stats', 'verify'], { DATABASE_URL: url, TIMEZONE: 'UTC' })).toMatchObject({
      code: 0,
    });
  }
  await service.program.stop();
});

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../support/api-client';
import { CommandHost } from '../../support/command-host';
import { expectCountedOnce, timezoneAtNoon, untilCounted } from '../../support/counted';
import { change, select } from '../../support/database-access';
import { blockWith, runBlock } from '../../support/documentation';
import { engine } from '../../support/fresh-database';
import { CLIENTS_PATH, DatabaseServer } from '../../support/database-server';
import { LoadClients } from '../../support/load-clients';
import { Program, type Service, startService } from '../../support/programs';
import { record, type Site, website } from '../../support/sending';
import { textsOfBackup } from '../../support/backup-file';
import { hashesOf, sealedDays } from '../../support/store-hooks';
import { until } from '../../support/until';
import { at, visitedWebsite } from '../../support/visited-website';
import { goal, savedFilter } from '../../support/website-resources';

const KEY = 'the-key-of-the-backups-000';
const PAGE = 'docs/deployment.md';
const NAMES =
  'visitor,pageview,page,event,referrer,campaign,browser,operating_system,device,language,screen_resolution,' +
  'continent,country,city';

const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const RANGE = `from=${dayAt(-10)}&to=${dayAt(10)}`;

const ON_PRICING = [['is', 'page', ['/pricing']]];

/** The commands name the database, so the test needs a server without another database of that name. */
const server = engine === 'server' ? new DatabaseServer() : undefined;
const host = new CommandHost();
let folder: string;
let url: string;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-backups-'));
  mkdirSync(join(folder, 'data'));
  await server?.start();
  url = server ? `${server.url}milepost` : `sqlite:${folder}/data/milepost.sqlite`;
  const secret = join(folder, 'data/secret');
  environment = { DATABASE_URL: url, TIMEZONE: timezoneAtNoon(), SECRET_FILE: secret, PORT: '0' };
  if (!server) return;
  await change(server.url, 'CREATE DATABASE milepost CHARACTER SET utf8mb4');
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
  runBlock(script, folder, { PATH: CLIENTS_PATH, HOME: folder, ...environment });
const EMPTY = { sqlite: 'mv data/milepost.sqlite*', server: 'DROP DATABASE' }[engine];
const backUp = () => run(blockWith(PAGE, 'sh', 'backup --to'));
const restore = async () => {
  await run(blockWith(PAGE, 'sh', EMPTY));
  return run(blockWith(PAGE, 'sh', 'restore "$('));
};
const backups = () => readdirSync(join(folder, 'backups'));
const clear = () => rmSync(join(folder, 'backups'), { recursive: true, force: true });

const start = () => startService({ ...environment, BOOTSTRAP_API_KEY: KEY });

/** What the owner of a website may ask, without moments of the answers. */
async function answersOf({ address }: Service, { id }: Site): Promise<unknown> {
  const api = new ApiClient(address, KEY);
  const ask = async (path: string, json?: object) => {
    const { status, body, text } = await (json ? api.post(path, { json }) : api.get(path));
    expect([status, text]).toEqual([200, text]);
    return JSON.parse(JSON.stringify(body ?? text).replaceAll(/"as_of":"[^"]*"/g, '"as_of":""')) as unknown;
  };
  const stats = `/api/v1/stats/${id}`;
  const counted = ['visitors', 'visits', 'pageviews', 'events', 'bounces', 'seconds', 'value'];
  const query = (dimensions: string[], filters: unknown[] = [], metrics = counted) =>
    ask(`${stats}/query`, { metrics, dimensions, filters, range: '30d' });
  const website = `/api/v1/websites/${id}`;
  const lists = ['goals', 'saved-filters', 'annotations', 'exclusions', 'funnels', 'alerts'];
  return [
    await ask(`${stats}/summary?names=${NAMES}&${RANGE}`),
    await query(['day']),
    await query(['page', 'country']),
    await query(['goal'], [], ['conversions', 'converters', 'value']),
    await query(['entry_page'], [['is', 'goal', ['Priced']]]),
    await ask(`${stats}?name=visitor&${RANGE}&filter=page==/pricing`),
    await ask(`${stats}/funnel`, {
      steps: ['/', '/pricing'].map((page) => ({ filters: [['is', 'page', [page]]] })),
      range: 'all',
    }),
    await ask(website),
    ...(await Promise.all(lists.map((list) => ask(`${website}/${list}`)))),
  ];
}

async function expectNoHashes(site: Site, texts: string): Promise<void> {
  const salts = await select<{ salt: Buffer }>(url, 'SELECT salt FROM salts');
  const secret = salts.map(({ salt }) => salt.toString('hex'));
  for (const query of hashesOf(site.id))
    for (const { hashes } of await select<{ hashes: Buffer }>(url, query)) {
      const own = hashes.subarray(4).toString('hex').match(/.{16}/g) ?? [];
      secret.push(...own.filter((hash) => /[^0]/.test(hash)));
    }
  expect(secret.length).toBeGreaterThan(salts.length);
  expect(secret.filter((hash) => texts.includes(hash))).toEqual([]);
}

/** A visit of yesterday, so that a visitor can come back after that day was sealed. */
const visitOf = (site: Site, path: string) => ({
  ...{ occurred_at: at('yesterday', 0), ip: '192.0.2.7' },
  url: `https://${site.domain}${path}`,
});

/** A website whose old days are rows. */
async function rowsOfDays(api: ApiClient): Promise<Site> {
  const words = ['demo', '--domain', 'rows.example', '--events', '500', '--days', '6'];
  expect(await host.run(words, environment)).toMatchObject({ code: 0 });
  const inRows = { ...environment, HITS_URL: 'rows' };
  expect((await host.run(['hits', 'move', '--domain', 'rows.example'], inRows)).stdout).toMatch(
    /[1-9]\d* hits/,
  );
  const [site] = (await api.get('/api/v1/websites?search=rows.example')).body.data as Site[];
  await goal(api, site!.id, 'Priced', ON_PRICING);
  return site!;
}

it('have all numbers, nothing to recognise a visitor by, and can be restored twice', async () => {
  let service = await start();
  let api = new ApiClient(service.address, KEY);
  const site = await visitedWebsite(api);
  await record(api, site, [visitOf(site, '/')]);
  await untilCounted(api, site.id);
  await service.program.stop();
  // It looks for days to seal when it starts, and then each minute.
  service = await start();
  await until(async () => (await select(url, sealedDays(site.id))).length > 0);
  api = new ApiClient(service.address, KEY);
  await record(api, site, [visitOf(site, '/late')]);
  await untilCounted(api, site.id);
  await goal(api, site.id, 'Priced', ON_PRICING);
  await savedFilter(api, site.id, 'Docs', [['contains', 'page', ['ocs']]]);
  const ofRows = await rowsOfDays(api);
  const last = await website(api);
  await api.delete(`/api/v1/websites/${last.id}`);
  const all = async () => [await answersOf(service, site), await answersOf(service, ofRows)];
  const before = await all();
  const tagOf = async ({ address }: Service) =>
    (await new ApiClient(address, KEY).get(`/api/v1/stats/${site.id}?name=page&${RANGE}`)).headers.get(
      'ETag',
    );
  const tags = [await tagOf(service)];
  for (let round = 0; round < 2; round++) {
    clear();
    const { stdout } = await backUp();
    expect(stdout).toContain(`keep a copy of ${environment.SECRET_FILE} apart`);
    const [file] = backups();
    await expectNoHashes(site, textsOfBackup(join(folder, 'backups', file!)));
    expect((await run(blockWith(PAGE, 'sh', 'backup --check'))).stdout).toMatch(
      /The rollups agree with the hits\.\n.* is whole\. It was made at /,
    );
    await service.program.stop();
    rmSync(join(folder, 'before'), { recursive: true, force: true });
    await restore();
    service = await start();
    expect(await all()).toEqual(before);
    tags.push(await tagOf(service));
    for (const group of ['stats', 'hits'])
      expect(await host.run([group, 'verify'], environment)).toMatchObject({ code: 0 });
  }
  // Later counts may have had the versions that now come again.
  expect(new Set(tags).size).toBe(3);
  const restored = new ApiClient(service.address, KEY);
  expect((await website(restored)).id).toBe(last.id + 1);
  const visitors = async () =>
    (await restored.get(`/api/v1/stats/${site.id}?name=visitor&${RANGE}`)).body.meta.sum;
  const sum = await visitors();
  // The visitor of yesterday counts once more, and then is known.
  for (const path of ['/later', '/latest']) await record(restored, site, [visitOf(site, path)]);
  await untilCounted(restored, site.id);
  expect(await visitors()).toBe(sum + 1);
  await service.program.stop();
});

it('lack nothing that was acknowledged before, while events come in', async () => {
  clear();
  rmSync(join(folder, 'before'), { recursive: true, force: true });
  let service = await start();
  const site = await website(new ApiClient(service.address, KEY));
  const crowd = new LoadClients(site, KEY, () => service.address);
  crowd.start(8);
  await until(() => crowd.acknowledged.size > 200);
  const acknowledged = new Set(crowd.acknowledged);
  await backUp();
  await until(() => crowd.acknowledged.size > acknowledged.size + 50);
  await crowd.stop();
  await service.program.stop();
  await restore();
  service = await start();
  const later = [...crowd.acknowledged, ...crowd.unanswered].filter((event) => !acknowledged.has(event));
  await expectCountedOnce(new ApiClient(service.address, KEY), site.id, {
    acknowledged,
    unanswered: new Set(later),
  });
  await service.program.stop();
});

it('are for their owner alone, and never replace a file', async () => {
  const to = join(folder, 'a folder/of mine');
  const path = join(to, 'copy.backup');
  expect(await host.run(['backup', '--to', path], environment)).toMatchObject({ code: 0 });
  expect([to, path].map((own) => statSync(own).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(await host.run(['backup', '--to', path], environment)).toMatchObject({
    code: 1,
    stderr: `error: ${path} exists already\n`,
  });
  expect(readdirSync(to)).toEqual(['copy.backup']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'leave nothing under their name after %s',
  async (signal) => {
    const to = join(folder, signal);
    const program = new Program('cli.js', ['backup', '--to', join(to, 'copy.backup')], environment);
    await program.tells(/backed up: [1-9]/);
    const ended = await program.stop(signal);
    const left = readdirSync(to);
    if (signal === 'SIGKILL') return expect(left).not.toContain('copy.backup');
    expect([ended.code, ended.stderr, left]).toEqual([
      1,
      expect.stringMatching(/error: interrupted; nothing was written\n$/),
      [],
    ]);
  },
);

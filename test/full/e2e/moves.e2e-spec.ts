import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../../support/api-client';
import { CommandHost } from '../../support/command-host';
import { blockWith, runBlock } from '../../support/documentation';
import { timezoneAtNoon, untilCounted } from '../../support/counted';
import { change } from '../../support/database-access';
import { freshDatabase, onServer } from '../../support/fresh-database';
import { Program, type Service, startService } from '../../support/programs';
import { record, type Site } from '../../support/sending';
import { at, visitedWebsite } from '../../support/visited-website';

const KEY = 'the-key-of-what-is-moved-000';
const MANY_ROWS = 20_000;
const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const RANGE = `from=${dayAt(-10)}&to=${dayAt(10)}`;
/** By one visitor each time. */
const VISIT = { occurred_at: at('today', -1), ip: '192.0.2.1' };

const host = new CommandHost();
let folder: string;
let environment: Record<string, string>;
let site: Site;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-moves-'));
  environment = {
    ...{ DATABASE_URL: `sqlite:${folder}/milepost.sqlite`, SECRET_FILE: join(folder, 'secret') },
    ...{ TIMEZONE: timezoneAtNoon(), PORT: '0' },
  };
  const service = await start();
  const api = new ApiClient(service.address, KEY);
  site = await visitedWebsite(api);
  await record(api, site, [VISIT]);
  await untilCounted(api, site.id);
  await service.program.stop();
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (url = environment.DATABASE_URL!) =>
  startService({ ...environment, DATABASE_URL: url, BOOTSTRAP_API_KEY: KEY });
const move = (to: string) => host.run(['move', '--to-env', 'NEW_URL'], { ...environment, NEW_URL: to });
const refusal = (problem: string) => ({ code: 1, stdout: '', stderr: expect.stringContaining(problem) });

it.each([
  [{}, 'the variable NEW_URL is not set'],
  [{ NEW_URL: 'sqlite:other.sqlite' }, 'the new database of MySQL or MariaDB'],
  [{ NEW_URL: 'nothing' }, 'is not a database address'],
])('refuses to move to %j', async (more, problem) => {
  expect(await host.run(['move', '--to-env', 'NEW_URL'], { ...environment, ...more })).toEqual(
    refusal(problem),
  );
});

onServer('to a server', () => {
  async function answersOf({ address }: Service): Promise<unknown> {
    const api = new ApiClient(address, KEY);
    const names = 'visitor,pageview,page,event,referrer,campaign,browser,country,city';
    const metrics = ['visitors', 'visits', 'pageviews', 'bounces', 'seconds', 'value'];
    const answers = [
      await api.get(`/api/v1/stats/${site.id}/summary?names=${names}&${RANGE}`),
      await api.post(`/api/v1/stats/${site.id}/query`, {
        json: { metrics, dimensions: ['page', 'country'], range: '30d' },
      }),
      await api.get(`/api/v1/websites/${site.id}`),
      await api.get(`/api/v1/keys`),
    ];
    return answers.map(({ status, text }) => {
      expect([status, text]).toEqual([200, text]);
      return text.replaceAll(/"(as_of|last_used_at)":"[^"]*"/g, '');
    });
  }

  it('moves everything, so that visitors are still known', async () => {
    const before = await start();
    const answers = await answersOf(before);
    await before.program.stop();
    const database = await freshDatabase();
    const block = blockWith('docs/deployment.md', 'sh', 'move --to-env');
    const NEW_URL = database.url;
    const ended = await runBlock(block, folder, { PATH: process.env.PATH, ...environment, NEW_URL });
    expect(ended.stdout).toMatch(/^All [\d,]+ rows are there\. Set DATABASE_URL to the address in NEW_URL/);
    expect(ended.stderr).toMatch(/copied: .*\n(.*\n)*compared: /);
    expect(await move(database.url)).toEqual(refusal('the database is not empty'));
    expect(await host.run(['stats', 'verify'], { ...environment, DATABASE_URL: database.url })).toMatchObject(
      {
        code: 0,
      },
    );
    const service = await start(database.url);
    expect(await answersOf(service)).toEqual(answers);
    const api = new ApiClient(service.address, KEY);
    const visitors = async () =>
      (await api.get(`/api/v1/stats/${site.id}?name=visitor&${RANGE}`)).body.meta.sum;
    const sum = await visitors();
    await record(api, site, [VISIT]);
    await untilCounted(api, site.id);
    expect(await visitors()).toBe(sum);
    await service.program.stop();
    await database.drop();
  });

  it('refuses a file that another process has open', async () => {
    const [service, database] = [await start(), await freshDatabase()];
    expect(await move(database.url)).toEqual(refusal('milepost.sqlite open; stop the service first'));
    await service.program.stop();
    await database.drop();
  });

  it('leaves a database that says so if it is interrupted', async () => {
    await change(
      environment.DATABASE_URL!,
      `INSERT INTO changed_domains (version, domain) WITH RECURSIVE n(i) AS (
        SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < ${1000 + MANY_ROWS}) SELECT i, 'd.example' FROM n`,
    );
    const database = await freshDatabase();
    const program = new Program('cli.js', ['move', '--to-env', 'NEW_URL'], {
      ...environment,
      NEW_URL: database.url,
    });
    await program.tells(/copied: [1-9]/);
    const { code, stderr } = await program.stop('SIGINT');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('error: interrupted; the new database is not'),
    ]);
    expect(await host.run(['user', 'list'], { ...environment, DATABASE_URL: database.url })).toEqual(
      refusal('left incomplete by a restore or a move'),
    );
    expect(await move(database.url)).toMatchObject({ code: 0 });
    await database.drop();
  });
});

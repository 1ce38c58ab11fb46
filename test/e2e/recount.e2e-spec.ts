import { createHash } from 'node:crypto';
import { DIMENSIONS } from '../../src/storage/dimensions';
import { ApiClient } from '../support/api-client';
import { CommandHost } from '../support/command-host';
import { untilCounted } from '../support/counted';
import { change } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { cli, type Ended, Program, type Service, startService } from '../support/programs';
import { size } from '../support/sizes';
import { until } from '../support/until';

const KEY = 'a-key-for-what-is-counted-again';
const EVENTS = 2000;
const KILLS = size('COMMAND_KILLS', 3, 30);

let database: FreshDatabase;
let service: Service;
let api: ApiClient;
const host = new CommandHost();
beforeAll(async () => {
  database = await freshDatabase();
  service = await startService({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY });
  api = new ApiClient(service.address, KEY);
});
afterAll(async () => {
  await host.stop();
  await service.program.stop();
  await database.drop();
});

const run = (...words: string[]): Promise<Ended> => host.run(words, { DATABASE_URL: database.url });
const runAlone = (...words: string[]): Promise<Ended> => cli(words, { DATABASE_URL: database.url });
const DEMO = ['demo', '--events', String(EVENTS), '--days', '3'];

async function sums(domain: string): Promise<Record<string, number>> {
  const { body } = await api.get(`/api/v1/websites?search=${domain}`);
  const sums: Record<string, number> = {};
  for (const name of ['pageview', 'page', 'event', 'visitor', 'country', 'browser', 'referrer', 'campaign']) {
    const query = `name=${name}&from=2026-01-01&to=2999-12-31`;
    sums[name] = (await api.get(`/api/v1/stats/${body.data[0].id}?${query}`)).body.meta.sum;
  }
  return sums;
}

it('fills a website with traffic that is counted when the command ends', async () => {
  const ended = await runAlone(...DEMO, '--domain', 'one.example');
  expect([ended.code, ended.stdout]).toEqual([
    0,
    expect.stringMatching(/^one\.example now has 2,000 additional events\. Its website id is 1\./),
  ]);
  expect(ended.stderr).toContain('sent to one.example: 2,000 of 2,000');
  const [path] = /\/api\/v1\/stats[^"]+/.exec(ended.stdout)!;
  const [visitors] = (await api.get(path)).body.data;
  expect(visitors.entries).toHaveLength(3);
  const counted = await sums('one.example');
  expect(counted.pageview! + counted.event!).toBe(EVENTS);
  expect(counted.page).toBe(counted.pageview);
  expect(counted.country).toBe(counted.visitor);
  expect(counted.browser).toBe(counted.visitor);
});

it('makes the same traffic of the same seed, and other traffic of another', async () => {
  await run(...DEMO, '--domain', 'same.example');
  await run(...DEMO, '--domain', 'other.example', '--seed', '2');
  expect(await sums('same.example')).toEqual(await sums('one.example'));
  expect(await sums('other.example')).not.toEqual(await sums('one.example'));
});

it.each([
  ['--events', '0'],
  ['--days', 'x'],
  ['--domain', 'no domain'],
  ['--seed', '-1'],
])('refuses demo %s %s', async (...words) => {
  expect(await run('demo', ...words)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: .+\n$/),
  });
});

it('leaves nothing wrong where it is killed while it counts and packs', async () => {
  const words = ['demo', '--domain', 'killed.example', '--events', String(EVENTS), '--days', '70'];
  for (let kill = 0; kill < KILLS; kill++) {
    const program = new Program('cli.js', words, { DATABASE_URL: database.url });
    // Lines of progress, in turn: after the first one, in the middle, and with most days counted and packed.
    const lines = [2, 5, 9][kill % 3];
    await program.tells(new RegExp(`(sent to killed\\.example: .*\\n){${lines}}`));
    expect((await program.stop('SIGKILL')).code).toBeNull();
  }
  expect(await run('stats', 'verify', '--domain', 'killed.example')).toMatchObject({ code: 0 });
  expect((await run(...words)).code).toBe(0);
  expect(await run('stats', 'verify', '--domain', 'killed.example')).toMatchObject({ code: 0 });
  const counted = await sums('killed.example');
  expect(counted.pageview! + counted.event!).toBeGreaterThan(EVENTS);
  expect([counted.page, counted.country]).toEqual([counted.pageview, counted.visitor]);
});

describe('segments that are damaged', () => {
  const damage = (span: number) =>
    change(
      database.url,
      `UPDATE stat_segments SET data = X'01ffffffff0001' WHERE span = ${span} AND name = 3 AND website_id =
      (SELECT id FROM websites WHERE domain = 'killed.example')`,
    );

  it.each([
    ['days', 1],
    ['months', 2],
  ])('are named by verify, and put right by rebuild: %s', async (_, span) => {
    const right = await sums('killed.example');
    await damage(span);
    const found = await run('stats', 'verify', '--domain', 'killed.example');
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(
      span === 1
        ? /^killed\.example: The packed counters of page in the days from \d{4}-\d\d-\d\d .* are damaged\. /m
        : /^killed\.example: The month from \d{4}-\d\d-01 of page is not the sum of its days\.$/m,
    );
    const rebuilt = await run('stats', 'rebuild', '--domain', 'killed.example', '--from', '2999-01-01');
    expect(rebuilt.stderr).not.toContain('error');
    expect(await run('stats', 'verify', '--domain', 'killed.example')).toMatchObject({ code: 0 });
    expect(await sums('killed.example')).toEqual(right);
  });
});

describe('counters that are wrong', () => {
  it('are found by verify, and put right by rebuild while the service runs', async () => {
    const right = await sums('one.example');
    expect(await run('stats', 'verify')).toMatchObject({
      code: 0,
      stdout: 'The counters agree with the archive.\n',
    });

    await change(
      database.url,
      `UPDATE stat_counters SET hits = hits + 1 WHERE website_id = 1 AND name = 3 AND value_id =
      (SELECT one FROM (SELECT MIN(value_id) AS one FROM stat_counters WHERE website_id = 1 AND name = 3) AS first)`,
    );
    await change(database.url, 'DELETE FROM stat_counters WHERE website_id = 1 AND name = 13');
    const found = await run('stats', 'verify', '--domain', 'one.example');
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^one\.example \d{4}-\d\d-\d\d page "[^"]+": counted (\d+), archived \d+$/m);
    expect(found.stdout).toMatch(/^one\.example \d{4}-\d\d-\d\d country "[^"]+": counted 0, archived \d+$/m);
    expect(found.stderr).toMatch(/^error: \d+ counters differ from the archive$/m);
    expect(await run('stats', 'verify', '--domain', 'same.example')).toMatchObject({ code: 0 });

    expect(await runAlone('stats', 'rebuild', '--domain', 'one.example')).toMatchObject({ code: 0 });
    expect(await run('stats', 'verify')).toMatchObject({ code: 0 });
    expect(await sums('one.example')).toEqual(right);
  });

  it('are counted again where values of them are missing', async () => {
    const pages = '/api/v1/stats/1?name=page&from=2026-01-01&to=2999-12-31&sort=asc';
    const right = (await api.get(pages)).body.data;
    expect(right.length).toBeGreaterThan(5);
    await change(database.url, 'DELETE FROM stat_values WHERE website_id = 1 AND name = 3 AND value_id < 9');
    expect((await run('stats', 'verify', '--domain', 'one.example')).code).toBe(1);
    expect((await run('stats', 'rebuild', '--domain', 'one.example')).code).toBe(0);
    expect(await run('stats', 'verify', '--domain', 'one.example')).toMatchObject({ code: 0 });
    expect((await api.get(pages)).body.data).toEqual(right);
  });

  it('are counted on correctly after a rebuild', async () => {
    const before = await sums('one.example');
    const headers = {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
    };
    const send = () =>
      api.as(undefined).post('/api/v1/events', { json: { url: 'https://one.example/after' }, headers });
    expect((await send()).status).toBe(202);
    await run('stats', 'rebuild', '--domain', 'one.example');
    expect((await send()).status).toBe(202);
    await until(async () => (await sums('one.example')).pageview! >= before.pageview! + 2);
    const after = await sums('one.example');
    expect(after.pageview).toBe(before.pageview! + 2);
    expect(after.visitor).toBe(before.visitor! + 1);
    expect(await run('stats', 'verify')).toMatchObject({ code: 0 });
  });
});

describe('values beyond the first million', () => {
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' };
  const pages = (id: number) => `/api/v1/stats/${id}?name=page&from=2026-01-01&to=2999-12-31`;

  async function visit(id: number, ...paths: string[]): Promise<void> {
    for (const path of paths) {
      const json = { url: `https://many.example${path}` };
      expect((await api.as(undefined).post('/api/v1/events', { json, headers })).status).toBe(202);
    }
    await untilCounted(api, id);
  }

  const counts = async (id: number) => (await api.get(pages(id))).body.data.map(countOf);
  const countOf = ({ value, count }: { value: string; count: number }) => [value, count];

  it('are counted together, and verified and rebuilt like that', async () => {
    const { id } = (await api.post('/api/v1/websites', { form: { domain: 'many.example' } })).body.data;
    const text = Buffer.from('/old');
    const hash = createHash('sha256').update(text).digest();
    const row = [
      id,
      DIMENSIONS.page.code,
      999_999,
      ...[hash, text, text].map((it) => `X'${it.toString('hex')}'`),
    ];
    await change(database.url, `INSERT INTO stat_values VALUES (${row.join(', ')}, NULL)`);

    await visit(id, '/old', '/last', '/more');
    await visit(id, '/old', '/last', '/more', '/much-more', '/much-more');
    const expected = [
      ['(other)', 4],
      ['/last', 2],
      ['/old', 2],
    ];
    expect(await counts(id)).toEqual(expected);
    expect(await run('stats', 'verify', '--domain', 'many.example')).toMatchObject({ code: 0 });
    expect(await run('stats', 'rebuild', '--domain', 'many.example')).toMatchObject({ code: 0 });
    await visit(id, '/much-more');
    expect(await counts(id)).toEqual([['(other)', 5], ...expected.slice(1)]);
    expect(await run('stats', 'verify', '--domain', 'many.example')).toMatchObject({ code: 0 });
  });
});

it.each([
  ['--domain', 'nobody.example'],
  ['--from', '2026-02-30'],
])('refuses stats rebuild %s %s', async (...words) => {
  expect(await run('stats', 'rebuild', ...words)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: .+\n$/),
  });
});

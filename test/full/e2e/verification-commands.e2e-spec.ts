import { dayText } from '../../../engine/ground/time/days';
import { DIMENSIONS } from '../../../engine/hits/stat-names';
import { SPANS } from '../../../engine/columns/rollups/rollup-format';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import type { Ended } from '../../support/child';
import { CommandHost } from '../../support/command-host';
import { CountingProcess } from '../../support/counting';
import { change, select } from '../../support/database-access';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { cli, Program, type Service, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import { spoilRollup } from '../../support/store-hooks';
import { until } from '../../support/until';

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
  const [, id] = /\/\?website=(\d+)$/m.exec(ended.stdout)!;
  const json = { metrics: ['visitors'], dimensions: ['day'], range: 'all' };
  expect((await api.post(`/api/v1/stats/${id}/query`, { json })).body.data).toHaveLength(3);
  const counted = await sums('one.example');
  expect(counted.pageview! + counted.event!).toBe(EVENTS);
  expect(counted.page).toBe(counted.pageview);
  expect(counted.country).toBe(counted.visitor);
  expect(counted.browser).toBe(counted.visitor);
});

it('gives a new website three goals with conversions, and an old one none', async () => {
  const words = [...DEMO, '--domain', 'goals.example'];
  await run(...words);
  const { id } = (await api.get('/api/v1/websites?search=goals.example')).body.data[0];
  const metrics = ['conversions', 'value'];
  const json = { metrics, dimensions: ['goal'], range: 'all', order_by: [['goal', 'asc']] };
  const { data } = (await api.post(`/api/v1/stats/${id}/query`, { json })).body;
  expect(data.map(({ goal }: any) => goal)).toEqual(['Pricing viewed', 'Signed up', 'Team plan bought']);
  expect(data[2].value).toBe(String(49 * data[2].conversions));
  const goals = async () => (await api.get(`/api/v1/websites/${id}/goals`)).body.data;
  await api.delete(`/api/v1/websites/${id}/goals/${(await goals())[0].id}`);
  await run(...words);
  expect(await goals()).toHaveLength(2);
});

it('gives a new website a funnel, and annotations, two of them for viewers', async () => {
  const words = [...DEMO, '--domain', 'defined.example'];
  await run(...words);
  const { id } = (await api.get('/api/v1/websites?search=defined.example')).body.data[0];
  const { data } = (
    await api.post(`/api/v1/stats/${id}/funnel`, {
      json: { funnel: 'From any page to signup', range: 'all' },
    })
  ).body;
  const [any, pricing, signup] = data.steps.map(({ visitors }: any) => visitors);
  expect([any > pricing, pricing > 0, signup >= 0]).toEqual([true, true, true]);
  const list = async (kind: string) => (await api.get(`/api/v1/websites/${id}/${kind}`)).body.data;
  // Scrolling down the page is an event on it.
  expect((await list('funnels'))[0].steps[1].filters).toContainEqual(['is', 'event', [null]]);
  const annotations = await list('annotations');
  expect(annotations.map(({ text, public: own }: any) => [text, own])).toEqual(
    expect.arrayContaining([
      ['Version 2 released', 1],
      ['Newsletter sent', 1],
      ['Moved to a faster server', 0],
    ]),
  );
  for (const kind of ['annotations', 'funnels'])
    for (const one of await list(kind)) await api.delete(`/api/v1/websites/${id}/${kind}/${one.id}`);
  await run(...words);
  expect([...(await list('annotations')), ...(await list('funnels'))]).toEqual([]);
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

it('leaves nothing wrong where it is killed while it counts and closes days', async () => {
  const words = ['demo', '--domain', 'killed.example', '--events', String(3 * EVENTS), '--days', '70'];
  for (let kill = 0; kill < KILLS; kill++) {
    const program = new Program('cli.js', words, { DATABASE_URL: database.url });
    // Progress lines, in turn: after the first one, in the middle, and with most days counted and closed.
    const lines = [2, 5, 9][kill % 3];
    await program.tells(new RegExp(`(sent to killed\\.example: .*\\n){${lines}}`));
    // On a busy machine it may end before it is killed.
    expect([null, 0]).toContain((await program.stop('SIGKILL')).code);
  }
  expect(await run('stats', 'verify', '--domain', 'killed.example')).toMatchObject({ code: 0 });
  expect((await run(...words)).code).toBe(0);
  expect(await run('stats', 'verify', '--domain', 'killed.example')).toMatchObject({ code: 0 });
  const counted = await sums('killed.example');
  expect(counted.pageview! + counted.event!).toBeGreaterThan(EVENTS);
  expect([counted.page, counted.country]).toEqual([counted.pageview, counted.visitor]);
});

/** Its days have rollups of their own. */
const LARGE = 'large.example';
const idOf = async (domain: string) =>
  (await select<{ id: number }>(database.url, `SELECT id FROM websites WHERE domain = '${domain}'`))[0]!.id;
const verify = (domain: string) => run('stats', 'verify', '--domain', domain);
const agrees = { code: 0, stdout: expect.stringContaining('The rollups agree with the hits.\n') };

it('rolls up what has enough hits', async () => {
  expect((await run('demo', '--events', String(10 * EVENTS), '--days', '3', '--domain', LARGE)).code).toBe(0);
  const spansOf = async (domain: string, span: number) =>
    select<{ day: number }>(
      database.url,
      `SELECT day FROM rollup_spans WHERE website_id = ${await idOf(domain)} AND span = ${span}`,
    );
  expect((await spansOf(LARGE, SPANS.day)).length).toBeGreaterThan(0);
  expect((await spansOf('killed.example', SPANS.month)).length).toBeGreaterThan(0);
});

describe('rollups that are damaged', () => {
  it.each([
    ['days', LARGE, SPANS.day],
    ['months', 'killed.example', SPANS.month],
  ])('are named by verify, and put right by rebuild: %s', async (_, domain, span) => {
    const right = await sums(domain);
    const id = await idOf(domain);
    await change(
      database.url,
      `UPDATE rollups SET data = X'01ffffffff0001' WHERE website_id = ${id} AND number IN
      (SELECT number FROM rollup_spans WHERE website_id = ${id} AND span = ${span})`,
    );
    const found = await verify(domain);
    expect(found).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: \d+ rollups are damaged$/m),
    });
    expect(found.stdout).toMatch(/^\S+: The rollup of .* is damaged \(website \d+, part 0\)\. /m);
    const rebuilt = await run('stats', 'rebuild', '--domain', domain, '--from', '2026-01-01');
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(await verify(domain)).toMatchObject(agrees);
    expect(await sums(domain)).toEqual(right);
  });

  it('are made anew where texts of them are missing', async () => {
    const id = await idOf(LARGE);
    const pages = `/api/v1/stats/${id}?name=page&from=2026-01-01&to=2999-12-31&sort=asc`;
    const right = (await api.get(pages)).body.data;
    expect(right.length).toBeGreaterThan(5);
    await change(
      database.url,
      `DELETE FROM value_texts WHERE website_id = ${id} AND name = ${DIMENSIONS.page.code}`,
    );
    expect((await verify(LARGE)).code).toBe(1);
    expect((await run('stats', 'rebuild', '--domain', LARGE)).code).toBe(0);
    expect(await verify(LARGE)).toMatchObject(agrees);
    expect((await api.get(pages)).body.data).toEqual(right);
    const spans = await select(database.url, `SELECT day FROM rollup_spans WHERE website_id = ${id}`);
    expect(spans.length).toBeGreaterThan(0);
  });
});

describe('rollups that are wrong', () => {
  it('are found by verify, and put right by rebuild while the service runs', async () => {
    const right = await sums(LARGE);
    const id = await idOf(LARGE);
    expect(await run('stats', 'verify')).toMatchObject(agrees);
    const [{ day }] = (await select(
      database.url,
      `SELECT MIN(day) AS day FROM rollup_spans WHERE website_id = ${id} AND span = ${SPANS.day}`,
    )) as [{ day: number }];
    const process = await CountingProcess.start(database.url);
    await spoilRollup(process.database, id, { name: 'page', day, value: '/', hits: 1 });
    await spoilRollup(process.database, id, { name: 'country', day, value: 'nowhere', hits: 7 });
    await process.stop();
    expect(await sums(LARGE)).toMatchObject({ page: right.page! + 1, country: right.country! + 7 });
    const found = await verify(LARGE);
    expect(found).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: 2 counts differ from the hits$/m),
    });
    expect(found.stdout).toMatch(
      /^large\.example \d{4}-\d\d-\d\d page "\/": rolled up \d+, in the hits \d+$/m,
    );
    expect(found.stdout).toMatch(
      /^large\.example \d{4}-\d\d-\d\d country "nowhere": rolled up 7, in the hits 0$/m,
    );
    expect(await verify('same.example')).toMatchObject(agrees);

    expect(await runAlone('stats', 'rebuild', '--domain', LARGE)).toMatchObject({
      code: 0,
      stdout: 'The rollups agree with the hits now.\n',
    });
    expect(await run('stats', 'verify')).toMatchObject(agrees);
    expect(await sums(LARGE)).toEqual(right);
  });

  it('are counted on correctly after a rebuild', async () => {
    const before = await sums(LARGE);
    const headers = { 'User-Agent': FIREFOX };
    const send = () =>
      api.as(undefined).post('/api/v1/events', { json: { url: `https://${LARGE}/after` }, headers });
    expect((await send()).status).toBe(202);
    await run('stats', 'rebuild', '--domain', LARGE);
    expect((await send()).status).toBe(202);
    await until(async () => (await sums(LARGE)).pageview! >= before.pageview! + 2);
    const after = await sums(LARGE);
    expect(after.pageview).toBe(before.pageview! + 2);
    expect(after.visitor).toBe(before.visitor! + 1);
    expect(await run('stats', 'verify')).toMatchObject(agrees);
  });
});

it('verify names hits that are damaged, and says which rollups are the only copy', async () => {
  const id = await idOf(LARGE);
  const before = await sums(LARGE);
  const [{ day }] = (await select(
    database.url,
    `SELECT MIN(day) AS day FROM rollup_spans WHERE website_id = ${id} AND span = ${SPANS.day}`,
  )) as [{ day: number }];
  const segment = `(SELECT segment FROM hit_days WHERE website_id = ${id} AND day = ${day})`;
  await change(
    database.url,
    `UPDATE hit_columns SET data = X'01' WHERE website_id = ${id} AND segment = ${segment}`,
  );
  const found = await verify(LARGE);
  expect(found).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: the hits of \d+ days are damaged$/m),
  });
  expect(found.stdout).toContain(dayText(day));
  await change(database.url, `DELETE FROM hit_days WHERE website_id = ${id} AND day <= ${day}`);
  const only = await verify(LARGE);
  expect(only.stdout).toMatch(/^large\.example: days whose rollups are the only copy: \d+\.$/m);
  expect(await sums(LARGE)).toEqual(before);
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

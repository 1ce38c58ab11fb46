import { dayText } from '../../../engine/ground/time/days';
import { SPANS } from '../../../engine/columns/rollups/rollup-format';
import { FIREFOX } from '../../support/agents';
import { ApiClient } from '../../support/api-client';
import type { Ended } from '../../support/child';
import { CommandHost } from '../../support/command-host';
import { untilCounted } from '../../support/counted';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import { change, select } from '../../support/database-access';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { counted } from '../../support/numbers';
import { cli, Program, type Service, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import {
  damageHits,
  damageRollups,
  loseDays,
  loseTexts,
  rollupsOf,
  spoilRollup,
} from '../../support/store-hooks';
import { until } from '../../support/until';

const KEY = 'a-key-for-what-is-counted-again';
const EVENTS = 2000;
const KILLS = size('COMMAND_KILLS', 3, 30);

/** Of the website that is rebuilt while its events arrive. */
const REBUILT_DAYS = 40;
const HITS_OF_DAY = size('HITS_OF_DAY', 90, 5000);
/** Some days have enough hits for a rollup. */
const LARGE_DAYS = 3;
const HITS_OF_LARGE_DAY = 2500;
const VISITORS = 4001;

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

/** Hits of many visitors of a day. */
const hitsOf = (day: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...pageViewOn(day, `/p${index % 500}`, 'a'),
    visitor: Buffer.from(String(index % VISITORS).padStart(8, '0')).toString('base64url'),
  }));

/** Its days have rollups of their own. */
const LARGE = 'large.example';
const idOf = async (domain: string) =>
  (await select<{ id: number }>(database.url, `SELECT id FROM websites WHERE domain = '${domain}'`))[0]!.id;
/** The days, or first days of months, that are rolled up. */
async function rolledUp(id: number, span: number): Promise<number[]> {
  const rows = await select<{ span: number; day: number }>(database.url, rollupsOf(id));
  return rows.filter((row) => row.span === span).map(({ day }) => day);
}
const verify = (domain: string) => run('stats', 'verify', '--domain', domain);
const agrees = { code: 0, stdout: expect.stringContaining('The rollups agree with the hits.\n') };

it('rolls up what has enough hits', async () => {
  expect((await run('demo', '--events', String(10 * EVENTS), '--days', '3', '--domain', LARGE)).code).toBe(0);
  expect(await rolledUp(await idOf(LARGE), SPANS.day)).not.toEqual([]);
  expect(await rolledUp(await idOf('killed.example'), SPANS.month)).not.toEqual([]);
});

it('counts every day in SQL as well, and leaves no rows of hits', async () => {
  const words = ['stats', 'verify', '--in-sql', '--domain', LARGE];
  const ended = await Promise.all([runAlone(...words), runAlone(...words)]);
  const [done, others] = [ended.filter(({ code }) => code === 0), ended.filter(({ code }) => code !== 0)];
  expect(done.length).toBeGreaterThan(0);
  for (const own of done) expect(own).toMatchObject(agrees);
  // Both would write the same rows, unless one has ended before the other begins.
  for (const { stderr } of others) expect(stderr).toContain('another process counts days in SQL');
  const [left] = await select<{ rows: number }>(database.url, 'SELECT COUNT(*) AS `rows` FROM hits');
  expect(Number(left!.rows)).toBe(0);
});

describe('rollups that are damaged', () => {
  it.each([
    ['days', LARGE, SPANS.day],
    ['months', 'killed.example', SPANS.month],
  ])('are named by verify, and put right by rebuild: %s', async (_, domain, span) => {
    const right = await sums(domain);
    const id = await idOf(domain);
    await change(database.url, damageRollups(id, span));
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
    await change(database.url, loseTexts(id));
    expect((await verify(LARGE)).code).toBe(1);
    expect((await run('stats', 'rebuild', '--domain', LARGE)).code).toBe(0);
    expect(await verify(LARGE)).toMatchObject(agrees);
    expect((await api.get(pages)).body.data).toEqual(right);
    expect(await rolledUp(id, SPANS.day)).not.toEqual([]);
  });
});

describe('rollups that are wrong', () => {
  it('are found by verify, and put right by rebuild while the service runs', async () => {
    const right = await sums(LARGE);
    const id = await idOf(LARGE);
    expect(await run('stats', 'verify')).toMatchObject(agrees);
    const [day] = (await rolledUp(id, SPANS.day)) as [number];
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

it('rebuilds a large website while its events come in, and tells its progress', async () => {
  const id = 1;
  const domain = `counted${id}.example`;
  const filled = await freshDatabase();
  const process = await CountingProcess.start(filled.url);
  await process.register(id);
  const large = Array.from({ length: LARGE_DAYS }, (_, index) => TODAY - 10 - index);
  for (let ago = REBUILT_DAYS - 1; ago >= 0; ago--) {
    const day = TODAY - ago;
    await process.count(id, hitsOf(day, large.includes(day) ? HITS_OF_LARGE_DAY : HITS_OF_DAY));
  }
  await process.closeDays(id, TODAY);
  for (const day of large)
    await spoilRollup(process.database, id, { name: 'page', day, value: '/p0', hits: 3 });
  await process.stop();

  const environment = { DATABASE_URL: filled.url, BOOTSTRAP_API_KEY: KEY };
  const service = await startService(environment);
  const api = new ApiClient(service.address, KEY);
  let acknowledged = 0;
  const refused: number[] = [];
  let over = false;
  const sending = (async () => {
    const json = { url: `https://${domain}/live` };
    const headers = { 'User-Agent': FIREFOX };
    while (!over) {
      const { status } = await api.as(undefined).post('/api/v1/events', { json, headers });
      if (status === 202) acknowledged++;
      else refused.push(status);
    }
  })();
  const run = (command: string) => host.run(['stats', command, '--domain', domain], environment);
  const spoiled = await run('verify');
  const rebuilt = await run('rebuild');
  const verified = await run('verify');
  over = true;
  await sending;
  expect(spoiled).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('3 counts differ from the hits'),
  });
  expect(rebuilt).toMatchObject({ code: 0, stdout: 'The rollups agree with the hits now.\n' });
  expect(rebuilt.stderr).toMatch(/rebuilt: 0 of [^]+rebuilt: [1-9][\d,]+ of /);
  expect(verified).toMatchObject({ code: 0, stdout: 'The rollups agree with the hits.\n' });
  await untilCounted(api, id);
  const pages = await counted(api, id, 'page');
  expect([acknowledged > 0, new Set(refused)]).toEqual([true, new Set()]);
  expect(pages.entries.find(({ value }) => value === '/live')?.count).toBe(acknowledged);
  const hits = (REBUILT_DAYS - LARGE_DAYS) * HITS_OF_DAY + LARGE_DAYS * HITS_OF_LARGE_DAY;
  expect(pages.sum).toBe(hits + acknowledged);
  const visitors = (size: number) => Math.min(VISITORS, size);
  expect((await counted(api, id, 'visitor')).sum).toBe(
    (REBUILT_DAYS - LARGE_DAYS) * visitors(HITS_OF_DAY) + LARGE_DAYS * visitors(HITS_OF_LARGE_DAY) + 1,
  );
  await service.program.stop();
  await filled.drop();
});

it('verify names hits that are damaged, and says which rollups are the only copy', async () => {
  const id = await idOf(LARGE);
  const before = await sums(LARGE);
  const [day] = (await rolledUp(id, SPANS.day)) as [number];
  await change(database.url, damageHits(id, day));
  const found = await verify(LARGE);
  expect(found).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: the hits of \d+ days are damaged$/m),
  });
  expect(found.stdout).toContain(dayText(day));
  await change(database.url, loseDays(id, day));
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

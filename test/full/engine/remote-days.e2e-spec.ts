import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { SMALL_DAY_HITS } from '../../../engine/columns/seal/sealing-times';
import { dayText } from '../../../engine/ground/time/days';
import type { Hit } from '../../../engine/hits/hit';
import { ApiClient } from '../../support/api-client';
import { Clickhouse, PASSWORD } from '../../support/clickhouse';
import { CommandHost } from '../../support/command-host';
import { closeDays } from '../../support/counted';
import { CountingProcess, mixedHitsOn, pageViewOn, rolledUpBefore, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { MARKED } from '../../../engine/columns/homes/home-upkeep';
import { InFront } from '../../support/in-front';
import { addHits, visitorsOn } from '../../support/past-days';
import { Program, startService } from '../../support/programs';
import { type Site, website } from '../../support/sending';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

/** Their salts are gone. */
const OLD_DAYS = [9, 5, 4].map((ago) => TODAY - ago);
/** It is over at any time of day, and its salt is still there. */
const RECENT = TODAY - 2;
const [FROM, TO] = [dayText(TODAY - 20), dayText(TODAY)];
const RANGE = [FROM, TO];
const STEPS = [{ filters: [['is', 'page', ['/2']]] }, { filters: [['starts', 'page', ['/of']]] }];
const LATER_MS = 3 * 3_600_000;
/** Far less than ClickHouse may take. */
const FAST_MS = 5000;

/** What anybody may ask, with the answer's path and, where it is asked by POST, its body. */
const OF_HITS: [path: string, json?: unknown][] = [
  [
    '/api/v1/stats/ID/query',
    { metrics: ['visitors', 'visits', 'bounce_rate', 'value'], dimensions: ['page'], range: RANGE },
  ],
  [
    '/api/v1/stats/ID/query',
    {
      metrics: ['visitors'],
      dimensions: ['entry_page'],
      range: RANGE,
      filters: [['contains', 'page', ['OF/Z']]],
    },
  ],
  ['/api/v1/stats/ID/funnel', { steps: STEPS, range: RANGE }],
  ['/api/v1/stats/ID/journey', { from: 'entry', range: RANGE }],
  [`/api/v1/stats/ID/hits?from=${FROM}&to=${TO}`],
];
const PLAIN: [path: string, json?: unknown][] = ['page', 'visitor', 'event', 'country', 'referrer'].map(
  (name) => [`/api/v1/stats/ID?name=${name}&from=${FROM}&to=${TO}`],
);

let clickhouse: Clickhouse;
/** By whether requests to ClickHouse are lost. */
let isAway = false;
/** Requests to ClickHouse get no answer before the other is called. */
let held = Promise.resolve();
let release = () => undefined as void;
/** Those that wait, and those that were given up meanwhile. */
let [waiting, left] = [0, 0];
const inFront = new InFront(() => `http://127.0.0.1:${clickhouse.port}`);
let databases: FreshDatabase[];
let settings: Record<string, string>;
/** One keeps old days in columns, the other in ClickHouse. */
let services: [columns: TestApp, remote: TestApp];
let sites: [Site, Site];
const host = new CommandHost();
beforeAll(async () => {
  jest.replaceProperty(MARKED, 'ms', 0);
  clickhouse = await Clickhouse.start();
  const proxy = await inFront.answer(async (request, response) => {
    if (isAway) return void request.socket.destroy();
    waiting++;
    request.socket.once('close', () => void (left += response.writableEnded ? 0 : 1));
    await held;
    waiting--;
    if (request.socket.destroyed) return;
    const { status, text } = await inFront.forward(request);
    response.writeHead(status).end(text);
  });
  databases = [await freshDatabase(), await freshDatabase()];
  settings = { DATABASE_URL: databases[1]!.url, ...clickhouse.settingsFor(Number(new URL(proxy).port)) };
  services = [await startApp({ DATABASE_URL: databases[0]!.url }), await startApp(settings)];
  const domain = 'moved.example';
  sites = [await website(services[0].api, { domain }), await website(services[1].api, { domain })];
  await add(OLD_DAYS.flatMap(mixedHitsOn));
  await add([pageViewOn(RECENT, '/2', 'a'), pageViewOn(RECENT, '/of/today', 'a')]);
});
afterEach(() => {
  isAway = false;
  release();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await host.stop();
  for (const service of services) await service.stop();
  for (const database of databases) await database.drop();
  inFront.close();
  await clickhouse.stop();
});

async function add(hits: Hit[]): Promise<void> {
  for (const [index, service] of services.entries()) await addHits(service, sites[index]!.id, hits);
}

async function answersOf(index: 0 | 1, questions = [...PLAIN, ...OF_HITS]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [path, json] of questions) {
    const own = path.replace('ID', String(sites[index].id));
    const { api } = services[index];
    const { status, body, text } = json
      ? await api.post(own, { json })
      : await api.get(own, { headers: { Accept: 'application/json, application/x-ndjson' } });
    answers.push([path, status, body?.data ?? text]);
  }
  return answers;
}

function hold(): void {
  held = new Promise((resolve) => (release = resolve));
  [waiting, left] = [0, 0];
}

async function expectSameAnswers(): Promise<void> {
  const columns = await answersOf(0);
  expect(columns.map((answer) => (answer as unknown[])[1])).not.toContain(503);
  expect(await answersOf(1)).toEqual(columns);
}

const rows = <Row>(sql: string) => services[1].database.query<Row[]>(sql);
const table = () => new URL(settings.HITS_URL!).searchParams.get('table')!;
const inClickhouse = <Row extends unknown[]>(what: string, rest = '') =>
  clickhouse.query<Row>(`SELECT ${what} FROM default.${table()} ${rest} FORMAT JSONCompactEachRow`);
const countOf = async () => Number((await inClickhouse('count()'))[0]![0]);
const run = (...words: string[]) => host.run(words, settings);
const moved = () =>
  rows<{ day: number; segment: number }>('SELECT day, segment FROM hit_days WHERE home > 2 ORDER BY day');
const upkeep = () => services[1].counting.upkeep!;

it('has a row of ClickHouse for each hit of old days, under the version that the day names', async () => {
  const { length } = mixedHitsOn(TODAY);
  await until(async () => (await moved()).length === OLD_DAYS.length);
  const named = (await moved()).map(({ day, segment }) => [Number(day), Number(segment), length]);
  const stored = await inClickhouse<[number, string, string]>(
    'toUInt16(day) AS own, version, count()',
    'GROUP BY own, version ORDER BY own',
  );
  expect(stored.map((row) => row.map(Number))).toEqual(named);
  expect(await rows('SELECT * FROM hits')).toEqual([]);
  expect(await rows('SELECT day FROM hit_days WHERE home = 0')).toHaveLength(1);
});

it('answers everything as from columns', expectSameAnswers);

it('shows no queries of rows in the console', async () => {
  expect((await services[1].api.get('/console')).text).not.toContain('data-hits');
});

it('adds hits that come later, which move with their day under another version', async () => {
  const before = (await moved()).map(({ segment }) => segment);
  await add([
    pageViewOn(OLD_DAYS[0]!, '/late', '', { country: 'ES' }),
    pageViewOn(OLD_DAYS[1]!, '/late', ''),
  ]);
  await expectSameAnswers();
  const hits = OLD_DAYS.length * mixedHitsOn(TODAY).length + 2;
  await until(async () => (await moved()).length === OLD_DAYS.length);
  expect((await moved()).filter(({ segment }) => before.includes(segment))).toHaveLength(1);
  // What was named before stays for questions that began earlier.
  expect(await countOf()).toBeGreaterThan(hits);
  await upkeep().look(Date.now());
  expect(await countOf()).toBeGreaterThan(hits);
  await upkeep().look(Date.now() + LATER_MS);
  expect(await countOf()).toBe(hits);
  await expectSameAnswers();
});

it('leaves exclusions out of moved days, and their rows where they are', async () => {
  const before = await countOf();
  const json = { name: 'Spam', filters: [['starts', 'page', ['/of']]] };
  const locations: string[] = [];
  for (const [index, { api }] of services.entries()) {
    const { status, headers } = await api.post(`/api/v1/websites/${sites[index]!.id}/exclusions`, { json });
    expect(status).toBe(201);
    locations.push(headers.get('Location')!);
  }
  await expectSameAnswers();
  expect(await countOf()).toBe(before);
  for (const [index, { api }] of services.entries()) await api.delete(locations[index]!);
  await expectSameAnswers();
});

it('counts its rows, compares rollups with them, and tries what is needed', async () => {
  const endOf = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words);
    return [code, stdout, /^error.*/m.exec(stderr)];
  };
  expect(await endOf('hits', 'verify')).toEqual([0, 'All rows are there.\n', null]);
  expect(await endOf('stats', 'verify', '--in-sql')).toEqual([0, 'The rollups agree with the hits.\n', null]);
  expect(await endOf('hits', 'check')).toEqual([0, 'The table of ClickHouse can keep hits as rows.\n', null]);
  const folder = mkdtempSync(join(tmpdir(), 'milepost-remote-'));
  expect((await run('backup', '--to', folder)).code).toBe(0);
  const [file] = readdirSync(folder);
  expect((await run('backup', '--check', join(folder, file!))).code).toBe(0);
  rmSync(folder, { recursive: true });
});

it('exports moved days without a thread of plain answers', async () => {
  // Rollups are made anew after exclusions.
  await closeDays(services[1].counting, sites[1].id, Infinity);
  hold();
  const { api } = services[1];
  const path = `/api/v1/stats/${sites[1].id}`;
  const headers = { Accept: 'application/x-ndjson' };
  const exports = Array.from({ length: 9 }, () => api.get(`${path}/hits?from=${FROM}&to=${TO}`, { headers }));
  await until(() => waiting > 0);
  const since = performance.now();
  for (const [, status] of (await answersOf(1, PLAIN)) as unknown[][]) expect(status).toBe(200);
  expect(performance.now() - since).toBeLessThan(FAST_MS);
  release();
  // An owner has few exports at once.
  const statuses = (await Promise.all(exports)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
});

/** With one thread, all questions wait for each other. */
(availableParallelism() > 1 ? it : it.skip)(
  'leaves a thread to other questions while some wait for ClickHouse',
  async () => {
    hold();
    const { api } = services[1];
    const path = `/api/v1/stats/${sites[1].id}/query`;
    const ask = (text: string, range: string[]) => {
      const filters = [['contains', 'page', [text]]];
      return api.post(path, { json: { metrics: ['visitors'], dimensions: ['exit_page'], filters, range } });
    };
    const held = ['1', '2', '3', '4'].map((text) => ask(text, RANGE));
    await until(() => waiting > 0);
    // Others would have a thread by now.
    await sleep(500);
    const since = performance.now();
    expect((await ask('2', [dayText(RECENT), TO])).status).toBe(200);
    expect(performance.now() - since).toBeLessThan(FAST_MS);
    release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  },
);

it('answers only what needs no old hits while ClickHouse is away, and says so', async () => {
  isAway = true;
  for (const [, status] of (await answersOf(1, PLAIN)) as unknown[][]) expect(status).toBe(200);
  const { api } = services[1];
  // Whatever was counted before is cached.
  const query = { metrics: ['visits'], dimensions: ['browser'], range: RANGE };
  for (const [path, json] of [['/api/v1/stats/ID/query', query] as const, ...OF_HITS.slice(2, 4)]) {
    const { status, body, headers } = await api.post(path.replace('ID', String(sites[1].id)), { json });
    expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'warehouse_unavailable', '10']);
    expect(body.detail).not.toContain(PASSWORD);
  }
  const today = { ...query, range: [dayText(RECENT), TO] };
  expect(await api.post(`/api/v1/stats/${sites[1].id}/query`, { json: today })).toMatchObject({
    status: 200,
  });
  await upkeep().look(Date.now() - 61_000);
  const { body } = await api.get('/health/ready');
  expect(body.warnings).toEqual([
    { code: 'warehouse_away', detail: expect.stringMatching(/^The warehouse .* since .*: ECONNRESET\./) },
  ]);
  expect(await run('hits', 'check')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not answer'),
  });
  expect(await run('hits', 'verify')).toMatchObject({ code: 1 });
  isAway = false;
  await upkeep().look(Date.now());
  expect((await api.get('/health/ready')).body.warnings).toBeUndefined();
  await expectSameAnswers();
});

it('does not start with another warehouse, nor without one, nor with the table of another', async () => {
  const start = async (own: Record<string, string>) => {
    const environment = { PORT: '0', DATABASE_URL: databases[1]!.url, ...own };
    const { code, stderr } = await new Program('main.js', [], environment).end();
    return [code, stderr];
  };
  const refused = (what: RegExp) => [1, expect.stringMatching(what)];
  const elsewhere = refused(
    /HITS_URL: 3 days are in the table hits_\w+ of clickhouse at 127\.0\.0\.1:\d+, .*--back/,
  );
  expect(await start({})).toEqual(elsewhere);
  expect(await start({ HITS_URL: 'rows' })).toEqual(elsewhere);
  expect(await start(clickhouse.settingsFor())).toEqual(elsewhere);
  const other = await freshDatabase();
  const ofOthers = { ...settings, DATABASE_URL: other.url };
  expect(await start(ofOthers)).toEqual(refused(/HITS_URL: the table hits_\w+ already has rows of another/));
  isAway = true;
  expect(await start(ofOthers)).toEqual(refused(/HITS_URL: ClickHouse at 127\.0\.0\.1 does not answer: /));
  await other.drop();
});

it('starts while its warehouse is away, because events need none', async () => {
  isAway = true;
  const known = new Program('main.js', [], { PORT: '0', ...settings, BOOTSTRAP_API_KEY: FIRST_KEY });
  await known.prints(/Milepost is ready/);
  expect((await known.stop()).code).toBe(0);
});

it('gives no answer from a day whose rows are not all there, nor from one that has some twice', async () => {
  const [, day] = OLD_DAYS;
  const { api } = services[1];
  const ask = () => api.post(OF_HITS[2]![0].replace('ID', String(sites[1].id)), { json: OF_HITS[2]![1] });
  const detail = `The warehouse does not have all hits of ${dayText(day!)}.`;
  const copy = `default.${table()}_copy`;
  await clickhouse.query(
    `CREATE TABLE ${copy} ENGINE = Memory AS SELECT * FROM default.${table()} WHERE place = 3 AND day = toDate(${day})`,
  );
  await clickhouse.query(`DELETE FROM default.${table()} WHERE place = 3 AND day = toDate(${day})`);
  expect(await ask()).toMatchObject({ status: 503, body: { code: 'warehouse_unavailable', detail } });
  expect(await run('hits', 'verify')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      new RegExp(`^moved\\.example ${dayText(day!)}: \\d+ rows instead of \\d+\n$`),
    ),
  });
  const back = await run('hits', 'move', '--back');
  expect([back.code, back.stdout]).toEqual([1, expect.stringContaining(`moved.example: ${detail}`)]);
  // The others are home, and none moves away again.
  expect((await moved()).map((own) => Number(own.day))).toEqual([day]);
  await clickhouse.query(`INSERT INTO default.${table()} SELECT * FROM ${copy}`);
  expect((await ask()).status).toBe(200);
  await expectSameAnswers();
  await clickhouse.query(`INSERT INTO default.${table()} SELECT * FROM ${copy}`);
  expect((await ask()).status).toBe(200 + 303);
  await clickhouse.query(`DELETE FROM default.${table()} WHERE place = 3 AND day = toDate(${day})`);
  await clickhouse.query(`INSERT INTO default.${table()} SELECT * FROM ${copy}`);
  await expectSameAnswers();
});

it('moves back by a command, and again by another', async () => {
  const hits = OLD_DAYS.length * mixedHitsOn(TODAY).length + 2;
  const back = await run('hits', 'move', '--back');
  expect([back.code, back.stdout]).toEqual([0, expect.stringMatching(/^\d+ hits were moved\.\n$/)]);
  const again = await run('hits', 'move');
  expect(again.code).toBe(0);
  await until(async () => (await moved()).length === OLD_DAYS.length);
  await upkeep().look(Date.now() + LATER_MS);
  expect(await countOf()).toBe(hits);
  await expectSameAnswers();
});

it('gives up a day whose rows are lost, whose hits then need no warehouse, and are never left out', async () => {
  await clickhouse.query(`DELETE FROM default.${table()} WHERE place = 1 AND day = toDate(${OLD_DAYS[1]})`);
  const back = await run('hits', 'move', '--back', '--give-up');
  expect([back.code, back.stdout]).toEqual([
    0,
    expect.stringContaining(`${dayText(OLD_DAYS[1]!)}. They are given up.`),
  ]);
  expect([await moved(), await countOf()]).toEqual([[], 0]);
  const { api } = services[1];
  for (const [path, json] of OF_HITS.slice(0, 4))
    expect(await api.post(path.replace('ID', String(sites[1].id)), { json })).toMatchObject({
      status: 500,
      body: { code: 'damaged_columns', detail: expect.stringContaining(dayText(OLD_DAYS[1]!)) },
    });
  expect(await answersOf(1, PLAIN)).toEqual(await answersOf(0, PLAIN));
  const alone = new Program('main.js', [], { PORT: '0', DATABASE_URL: databases[1]!.url });
  await alone.prints(/Milepost is ready/);
  await alone.stop();
  expect((await run('hits', 'move')).code).toBe(0);
  await until(async () => (await moved()).length === OLD_DAYS.length - 1);
});

it('finds and removes what no day names, and the rows of a deleted website', async () => {
  const [first] = await inClickhouse<[number]>('version', 'LIMIT 1');
  await clickhouse.query(
    `INSERT INTO default.${table()} SELECT * REPLACE (999 AS website) FROM default.${table()} WHERE version = ${first![0]}`,
  );
  const hits = await countOf();
  const ofNobody = Number((await inClickhouse('count()', 'WHERE website = 999'))[0]![0]);
  expect(ofNobody).toBeGreaterThan(0);
  const dayLater = Date.now() + 25 * 3_600_000;
  await upkeep().look(dayLater);
  expect(await countOf()).toBe(hits);
  // A look sweeps a month, and removes what earlier ones found.
  for (let look = 0; look < 3; look++) await upkeep().look(dayLater + LATER_MS);
  expect(await countOf()).toBe(hits - ofNobody);
  await services[1].api.delete(`/api/v1/websites/${sites[1].id}`);
  await services[1].app.get(Housekeeping).tidy();
  await upkeep().look(dayLater + 2 * LATER_MS);
  expect(await countOf()).toBe(0);
  expect(await rows('SELECT * FROM remote_versions')).toEqual([]);
});

it('seals the days of other websites while ClickHouse takes long', async () => {
  await services[1].stop();
  const process = await CountingProcess.start(databases[1]!.url);
  const [first, second, other] = [901, 902, 903];
  for (const id of [first, second, other]) await process.register(id);
  for (const id of [first, second]) {
    await process.count(id, mixedHitsOn(OLD_DAYS[0]!));
    await process.workOnColumns(id, rolledUpBefore(TODAY));
  }
  // Smaller days are sealed together, before all other work.
  await process.count(other, visitorsOn(dayText(RECENT), SMALL_DAY_HITS));
  await process.stop();
  hold();
  services[1] = await startApp(settings);
  const daysOf = (id: number) => rows(`SELECT day FROM hit_days WHERE website_id = ${id} AND home = 0`);
  await until(async () => (await daysOf(other)).length === 1);
  expect([waiting > 0, left, (await daysOf(first)).length]).toEqual([true, 0, 1]);
  release();
  for (const id of [first, second]) await until(async () => (await daysOf(id)).length === 0);
});

it('gives up all days once ClickHouse is lost, if the operator adopts the empty table', async () => {
  await clickhouse.query(`DROP TABLE default.${table()}`);
  const refused = await run('hits', 'move', '--back', '--give-up');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--adopt')]);
  expect(await rows('SELECT day FROM hit_days WHERE home > 2')).toHaveLength(2);
  const { code, stdout } = await run('hits', 'move', '--back', '--give-up', '--adopt');
  expect([code, stdout.split('They are given up.').length]).toEqual([0, 3]);
  expect(await rows('SELECT day FROM hit_days WHERE home > 2')).toEqual([]);
  expect(await rows('SELECT day FROM remote_versions')).toEqual([]);
});

it('tells nobody the password', () => {
  expect(services[1].logs.join('\n')).not.toContain(PASSWORD);
});

describe('without HITS_URL', () => {
  it('asks nothing of the tables of a warehouse', async () => {
    const [{ app, api, database, logs }] = services;
    for (const name of ['hit_homes', 'remote_versions']) await database.execute(`DROP TABLE ${name}`, []);
    const before = logs.length;
    const later = [OLD_DAYS[0]!, RECENT].map((day) => pageViewOn(day, '/later', 'b'));
    await addHits(services[0], sites[0].id, later);
    for (const [, status] of (await answersOf(0)) as unknown[][]) expect(status).toBe(200);
    await api.delete(`/api/v1/websites/${sites[0].id}`);
    await app.get(Housekeeping).tidy();
    expect([(await api.get('/health/ready')).body.warnings, logs.slice(before)]).toEqual([undefined, []]);
  });

  it('loads no package of a warehouse', async () => {
    const fresh = await freshDatabase();
    const own = { DATABASE_URL: fresh.url, NODE_DEBUG: 'module', BOOTSTRAP_API_KEY: FIRST_KEY };
    const isLoadedWith = async (more: Record<string, string>) => {
      const { program, address } = await startService({ ...own, ...more });
      const api = new ApiClient(address, FIRST_KEY);
      const { id } = await website(api);
      const json = { metrics: ['visits'], dimensions: ['page'], range: RANGE };
      expect((await api.post(`/api/v1/stats/${id}/query`, { json })).status).toBe(200);
      const { stderr } = await program.stop();
      return ['typeorm', '@clickhouse'].map((name) => stderr.includes(`/node_modules/${name}/`));
    };
    expect(await isLoadedWith({})).toEqual([true, false]);
    expect(await isLoadedWith(clickhouse.settingsFor())).toEqual([true, true]);
    await fresh.drop();
  });
});

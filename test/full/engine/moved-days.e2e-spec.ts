import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import { OF_STATEMENT } from '../../../engine/columns/read/moved-days';
import { filterOf } from '../../../engine/questions/parse/filter';
import { Zone } from '../../../engine/questions/plan/buckets';
import type { HitQuery } from '../../../engine/questions/plan/hit-query';
import { RowCounts } from '../../../engine/rows/counted-rows';
import { withStatements } from '../../../src/stats/dimensions/hit-aggregation';
import { Housekeeping } from '../../../src/retention/housekeeping';
import { dayText } from '../../../engine/ground/time/days';
import type { Hit } from '../../../engine/hits/hit';
import { CommandHost } from '../../support/command-host';
import { CountingProcess, mixedHitsOn, pageViewOn, rolledUpBefore, TODAY } from '../../support/counting';
import { change } from '../../support/database-access';
import { engine, type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { blocksOf } from '../../support/documentation';
import { ownerAsks } from '../../support/owner-asks';
import { closeDays } from '../../support/counted';
import { addHits, countHits } from '../../support/past-days';
import { Program } from '../../support/programs';
import { type Site, website } from '../../support/sending';
import { damageHits } from '../../support/store-hooks';
import { startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';
import { ROW_STATEMENTS } from '../../../web/src/console/website/options/row-statements';

/** Their salts are gone. */
const OLD_DAYS = [9, 5, 4].map((ago) => TODAY - ago);
const FROM = dayText(TODAY - 20);
const TO = dayText(TODAY);
const RANGE = [FROM, TO];
const SIGNED_UP = [['is', 'event', ['buy']]];
const STEPS = [{ filters: [['is', 'page', ['/2']]] }, { filters: [['starts', 'page', ['/of']]] }];

/** What anybody may ask, with the answer's path and, where it is asked by POST, its body. */
const QUESTIONS: [path: string, json?: unknown][] = [
  ...['page', 'visitor', 'event', 'country', 'referrer'].map(
    (name) => [`/api/v1/stats/ID?name=${name}&from=${FROM}&to=${TO}`] as [string],
  ),
  [
    '/api/v1/stats/ID/query',
    { metrics: ['visitors', 'visits', 'bounce_rate'], dimensions: ['page'], range: RANGE },
  ],
  [
    '/api/v1/stats/ID/query',
    { metrics: ['visitors', 'events', 'value'], dimensions: ['day'], range: RANGE, filters: SIGNED_UP },
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

let databases: FreshDatabase[];
/** One keeps old days in columns, the other as rows. */
let services: [columns: TestApp, rows: TestApp];
let sites: [Site, Site];
const host = new CommandHost();
beforeAll(async () => {
  databases = [await freshDatabase(), await freshDatabase()];
  services = [
    await startApp({ DATABASE_URL: databases[0]!.url }),
    await startApp({ DATABASE_URL: databases[1]!.url, HITS_URL: 'rows' }),
  ];
  const domain = 'moved.example';
  sites = [await website(services[0].api, { domain }), await website(services[1].api, { domain })];
  await add(OLD_DAYS.flatMap(mixedHitsOn));
  await add([pageViewOn(TODAY - 1, '/2', 'a'), pageViewOn(TODAY - 1, '/of/today', 'a')]);
});
afterAll(async () => {
  await host.stop();
  for (const service of services) await service.stop();
  for (const database of databases) await database.drop();
});

async function add(hits: Hit[]): Promise<void> {
  for (const [index, service] of services.entries()) await addHits(service, sites[index]!.id, hits);
}

async function answersOf(index: 0 | 1): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [path, json] of QUESTIONS) {
    const own = path.replace('ID', String(sites[index].id));
    const { api } = services[index];
    const { status, body, text } = json
      ? await api.post(own, { json })
      : await api.get(own, { headers: { Accept: 'application/json, application/x-ndjson' } });
    answers.push([path, status, body?.data ?? text]);
  }
  return answers;
}

async function expectSameAnswers(): Promise<void> {
  const columns = await answersOf(0);
  expect(columns.map((answer) => (answer as unknown[])[1])).toEqual(QUESTIONS.map(() => 200));
  expect(await answersOf(1)).toEqual(columns);
}

const rows = <Row>(sql: string) => services[1].database.query<Row[]>(sql);
const countOf = async (table: string) =>
  Number((await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);
const run = (...words: string[]) => host.run(words, { DATABASE_URL: databases[1]!.url, HITS_URL: 'rows' });
const runWithout = (...words: string[]) => host.run(words, { DATABASE_URL: databases[1]!.url });

it('has a row for each hit of old days, under the version that the day names, and no columns of them', async () => {
  const stored = await rows<Record<'day' | 'hits', number>>(
    `SELECT hits.day AS day, COUNT(*) AS hits FROM hit_days JOIN hits ON hits.website = hit_days.website_id
      AND hits.day = hit_days.day AND hits.version = hit_days.segment WHERE hit_days.home = 1 GROUP BY hits.day ORDER BY day`,
  );
  const { length } = mixedHitsOn(TODAY);
  expect(stored.map(({ day, hits }) => [Number(day), Number(hits)])).toEqual(
    OLD_DAYS.map((day) => [day, length]),
  );
  expect(await countOf('hits')).toBe(OLD_DAYS.length * length);
  expect(await countOf('hit_properties')).toBe(OLD_DAYS.length);
  expect(await rows('SELECT day FROM hit_days WHERE home = 0')).toHaveLength(1);
});

it('answers everything as from columns', expectSameAnswers);

it('can be read as the console and the documentation say', async () => {
  const statements = Object.values(ROW_STATEMENTS).map((statement) => statement(sites[1].id));
  const documented = blocksOf('docs/scaling.md').filter(({ language }) => language === 'sql');
  expect(documented.map(({ text }) => text.trim())).toEqual(statements);
  const [pages, visitors, plans] = await Promise.all(
    statements.map((statement) => rows<any>(statement.replace(/;$/, ''))),
  );
  expect(pages!.map(({ pageviews }) => Number(pageviews))).toEqual(
    Array.from({ length: 10 }, () => OLD_DAYS.length),
  );
  expect(visitors!.map(({ day, visitors }) => [Number(day), Number(visitors)])).toEqual(
    OLD_DAYS.map((day) => [day, 4]),
  );
  expect(plans!.map(({ name, value, events }) => [name, value, Number(events)])).toEqual([
    ['plan', 'pro', OLD_DAYS.length],
  ]);
});

it('adds hits that come later, which move with their day', async () => {
  const late = pageViewOn(OLD_DAYS[0]!, '/late', '', { country: 'ES' });
  await add([late, pageViewOn(OLD_DAYS[1]!, '/late', '')]);
  await expectSameAnswers();
  expect(await rows('SELECT day FROM hit_days WHERE home = 0')).toHaveLength(1);
  expect(await countOf('hits')).toBe(OLD_DAYS.length * mixedHitsOn(TODAY).length + 2);
});

it('moves days while others want to', async () => {
  const late = pageViewOn(OLD_DAYS[2]!, '/later', '');
  await addHits(services[0], sites[0].id, [late]);
  await countHits(services[1], sites[1].id, [late]);
  const { counting } = services[1];
  await Promise.all(Array.from({ length: 3 }, () => closeDays(counting, sites[1].id, Infinity)));
  await expectSameAnswers();
  expect(await rows('SELECT day FROM hit_days WHERE home = 0')).toHaveLength(1);
});

it('leaves exclusions out of moved days, and their rows where they are', async () => {
  const before = await countOf('hits');
  const json = { name: 'Spam', filters: [['starts', 'page', ['/of']]] };
  const locations: string[] = [];
  for (const [index, { api }] of services.entries()) {
    const { status, headers } = await api.post(`/api/v1/websites/${sites[index]!.id}/exclusions`, { json });
    expect(status).toBe(201);
    locations.push(headers.get('Location')!);
  }
  await expectSameAnswers();
  expect(await countOf('hits')).toBe(before);
  for (const [index, { api }] of services.entries()) await api.delete(locations[index]!);
  await expectSameAnswers();
});

it('compares rollups with rows, and counts the rows', async () => {
  const endOf = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words);
    return [code, stdout, /^error.*/m.exec(stderr)];
  };
  expect(await endOf('stats', 'verify', '--in-sql')).toEqual([0, 'The rollups agree with the hits.\n', null]);
  expect(await endOf('hits', 'verify')).toEqual([0, 'All rows are there.\n', null]);
});

it('moves back by a command, once the setting is gone, and again by another', async () => {
  expect(await run('hits', 'move', '--back')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: HITS_URL is set/),
  });
  expect(await runWithout('hits', 'move')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: HITS_URL is not set/),
  });
  const hits = await countOf('hits');
  const back = await runWithout('hits', 'move', '--back');
  expect([back.code, back.stdout]).toEqual([0, `${hits} hits were moved.\n`]);
  expect(await rows('SELECT day FROM hit_days WHERE home = 1')).toEqual([]);
  await expectSameAnswers();
  const again = await run('hits', 'move');
  expect([again.code, again.stdout]).toEqual([0, `${hits} hits were moved.\n`]);
  await until(async () => (await countOf('hits')) === hits);
  await expectSameAnswers();
});

it('refuses a setting that it does not know', async () => {
  const { code, stderr } = await host.run(['hits', 'verify'], { HITS_URL: 'colums' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('HITS_URL')]);
});

it('counts queries in SQL, and reads no rows for walks unless a day has all of them', async () => {
  const [, day] = OLD_DAYS;
  await services[1].database.execute('DELETE FROM hits WHERE day = ? AND place = 3', [day]);
  const { api } = services[1];
  // A damaged day stops whoever reads its rows, so statements counted this.
  const json = { metrics: ['visitors'], dimensions: ['page'], range: RANGE, filters: SIGNED_UP };
  expect(await api.post(`/api/v1/stats/${sites[1].id}/query`, { json })).toMatchObject({ status: 200 });
  const walk = { steps: STEPS, range: RANGE };
  expect(await api.post(`/api/v1/stats/${sites[1].id}/funnel`, { json: walk })).toMatchObject({
    status: 500,
    body: { code: 'damaged_columns' },
  });
  const verified = await run('hits', 'verify');
  expect([verified.code, verified.stdout]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^moved\\.example ${dayText(day!)}: \\d+ rows instead of \\d+\n$`)),
  ]);
  const back = await runWithout('hits', 'move', '--back');
  expect([back.code, back.stderr]).toEqual([
    1,
    expect.stringContaining('error: the hits of 1 days are damaged\n'),
  ]);
  expect(back.stdout).toContain(dayText(day!));
  const left = await rows<{ day: number }>('SELECT day FROM hit_days WHERE home = 1');
  expect(left.map((own) => Number(own.day))).toEqual([day]);
});

describe('a query by statements', () => {
  const id = 901;
  let one: CountingProcess;
  let counts: jest.SpiedFunction<RowCounts['count']>;
  const pages = () => counts.mock.calls.map(([, , page]) => page!);
  const hitQuery: HitQuery = {
    range: { days: { from: OLD_DAYS[0]!, to: TODAY } },
    previous: undefined,
    filter: filterOf([['is_not', 'page', ['/7']]]),
    dimensions: ['page', 'browser'],
    metrics: ['visitors', 'pageviews', 'visits'],
    fill: false,
    order: [{ by: { metric: 'pageviews' }, direction: 'desc' }],
    skip: 0,
    take: 100,
  };
  const ask = (asked: HitQuery, check = () => undefined as void) => {
    const request = { asker: ownerAsks(1), websiteId: id, statsFrom: 0, hitQueries: [asked] };
    return new QueryAnswering(one.database, new ColumnCache(), new Zone('UTC')).answer(
      request,
      60_000,
      check,
    );
  };
  const byStatements = () => withStatements(one.database.writer, hitQuery, new Zone('UTC'));

  beforeAll(async () => {
    one = await CountingProcess.start(databases[0]!.url);
    await one.register(id);
    const visitor = Array.from({ length: 30 }, (_, page) => pageViewOn(OLD_DAYS[1]!, `/${page}`, 'one'));
    await one.count(id, [...OLD_DAYS.flatMap(mixedHitsOn), ...visitor]);
    await one.workOnColumns(id, { ...rolledUpBefore(TODAY), moves: { from: 0, home: undefined } });
    await one.makeDue(id);
    await one.workOnColumns(id, { ...rolledUpBefore(TODAY), moves: { from: 0, home: undefined } });
    counts = jest.spyOn(RowCounts.prototype, 'count');
  });
  afterEach(() => {
    counts.mockClear();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await one.stop();
  });

  it('has as many as needed for their hits and groups, whose groups are read in pages for one visitor', async () => {
    const { answers: blocks } = await ask(hitQuery);
    expect(pages()).toEqual([]);
    expect((await ask(byStatements())).answers).toEqual(blocks);
    expect(pages()).toHaveLength(3);
    counts.mockClear();
    const limits = jest.replaceProperty(OF_STATEMENT, 'groups', 9);
    expect((await ask(byStatements())).answers).toEqual(blocks);
    limits.restore();
    expect(pages().filter(({ skip = 0 }) => skip > 0)).not.toEqual([]);
    expect(Math.max(...pages().map(({ take }) => take))).toBe(10);
  });

  it('counts a visitor with very many hits without dimensions, too', async () => {
    const total = { ...hitQuery, dimensions: [] };
    const { answers: blocks } = await ask(total);
    const limits = jest.replaceProperty(OF_STATEMENT, 'hits', 10);
    expect((await ask(withStatements(one.database.writer, total, new Zone('UTC')))).answers).toEqual(blocks);
    limits.restore();
    expect(pages().filter(({ skip }) => skip !== undefined)).not.toEqual([]);
  });

  it('ends between two of them', async () => {
    const limits = jest.replaceProperty(OF_STATEMENT, 'hits', 10);
    const end = new Error('the caller left');
    await expect(
      ask(byStatements(), () => {
        if (pages().length > 1) throw end;
      }),
    ).rejects.toBe(end);
    limits.restore();
    expect(pages()).toHaveLength(2);
  });
});

it('moves the days beside one whose columns are damaged', async () => {
  const one = await CountingProcess.start(databases[0]!.url);
  const [id, [, damaged]] = [900, OLD_DAYS];
  await one.register(id);
  await one.count(id, OLD_DAYS.flatMap(mixedHitsOn));
  const over = rolledUpBefore(TODAY);
  const unmerged = { merge: { hits: 1, textBytes: 1 } };
  await one.workOnColumns(id, over, unmerged);
  await change(databases[0]!.url, damageHits(id, damaged!));
  await one.makeDue(id);
  await expect(
    one.workOnColumns(id, { ...over, moves: { from: 0, home: undefined } }, unmerged),
  ).rejects.toThrow('damaged');
  const left = await one.database.query<{ day: number }[]>(
    `SELECT day FROM hit_days WHERE website_id = ${id} AND home = 0`,
  );
  expect(left.map(({ day }) => Number(day))).toEqual([damaged]);
  await one.stop();
});

it('names what the database cannot do, and does not start then', async () => {
  const stored = await countOf('hits');
  const exact = await collationOfPages();
  const page = (collation: string) =>
    `ALTER TABLE hits MODIFY page MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE ${collation}`;
  const [spoils, mends] =
    engine === 'server'
      ? [page('utf8mb4_general_ci'), page(exact!)]
      : [
          `CREATE TRIGGER lowers AFTER INSERT ON hits BEGIN UPDATE hits SET page = LOWER(page)
          WHERE website = NEW.website AND visitor = NEW.visitor; END`,
          'DROP TRIGGER lowers',
        ];
  const { url } = databases[1]!;
  expect(await run('hits', 'check')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The database can/),
  });
  await change(url, spoils);
  const { code, stdout } = await run('hits', 'check');
  const environment = { PORT: '0', DATABASE_URL: url, HITS_URL: 'rows' };
  const start = await new Program('main.js', [], environment).end();
  await change(url, mends);
  const problem = 'the equality of texts by their bytes';
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${problem}\n`)]);
  expect([start.code, start.stderr]).toEqual([
    1,
    expect.stringMatching(`HITS_URL: .*${problem}.* Unset HITS_URL`),
  ]);
  expect(await run('hits', 'check')).toMatchObject({ code: 0 });
  expect(await countOf('hits')).toBe(stored);
});

/** Undefined on SQLite. */
async function collationOfPages(): Promise<string | undefined> {
  if (engine !== 'server') return undefined;
  const [page] = await rows<{ collation: string }>(
    `SELECT collation_name AS collation FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'hits' AND column_name = 'page'`,
  );
  return page!.collation;
}

it('removes the rows of a deleted website', async () => {
  await services[1].api.delete(`/api/v1/websites/${sites[1].id}`);
  await services[1].app.get(Housekeeping).tidy();
  expect([await countOf('hits'), await countOf('hit_properties'), await countOf('unnamed_versions')]).toEqual(
    [0, 0, 0],
  );
});

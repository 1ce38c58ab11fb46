import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { QueryAnswering } from '../../../engine/columns/answering/query-answering';
import { HomeMark } from '../../../engine/columns/homes/home-mark';
import { HomeUpkeep, MARKED } from '../../../engine/columns/homes/home-upkeep';
import { giveHome, RESTS } from '../../../engine/columns/homes/homes';
import { ColumnCache } from '../../../engine/columns/read/column-cache';
import type { Moves } from '../../../engine/database/hit-settings';
import { Zone } from '../../../engine/questions/plan/buckets';
import type { HitQuery } from '../../../engine/questions/plan/hit-query';
import { HomeAway } from '../../../engine/rows/row-home';
import { Clickhouse } from '../../support/clickhouse';
import { CountingProcess, mixedHitsOn, pageViewOn, rolledUpBefore, TODAY } from '../../support/counting';
import { type FreshDatabase, freshDatabase } from '../../support/fresh-database';
import { InFront } from '../../support/in-front';
import { Killer } from '../../support/killer';
import { ownerAsks } from '../../support/owner-asks';
import { size } from '../../support/sizes';
import { until } from '../../support/until';

const DAYS = [TODAY - 9, TODAY - 8];
const HOUR_MS = 3_600_000;
/** That of a website. */
const LEASE_MS = 4000;
const CHANGE = /^(?:INSERT|UPDATE|DELETE)\b.*\b(?:hit_days|remote_versions|hit_homes)\b/s;
/** A process is killed before each statement of this number. */
const ONE_IN = size('REMOTE_KILL_ONE_IN', 5, 1);
/** Each request of this number is lost. */
const LOST_ONE_IN = size('REMOTE_LOST_ONE_IN', 2, 1);
const HIT_QUERY: HitQuery = {
  range: { days: { from: DAYS[0]!, to: TODAY } },
  previous: undefined,
  filter: undefined,
  dimensions: ['day', 'page'],
  metrics: ['visitors', 'pageviews', 'visits', 'events'],
  fill: false,
  order: [{ by: { metric: 'pageviews' }, direction: 'desc' }],
  skip: 0,
  take: 1000,
};

let clickhouse: Clickhouse;
let database: FreshDatabase;
let one: CountingProcess;
let killer: Killer;
let moves: Moves;
let upkeep: HomeUpkeep;
let table: string;
let websiteId = 700;
/** What happens to a request; it counts those since it was set. */
let onRequest = (request: IncomingMessage, response: ServerResponse) => pass(request, response);
const inFront = new InFront(() => `http://127.0.0.1:${clickhouse.port}`);
beforeAll(async () => {
  jest.replaceProperty(RESTS, 'ms', 0);
  jest.replaceProperty(MARKED, 'ms', 0);
  clickhouse = await Clickhouse.start();
  const proxy = await inFront.answer((request, response) => onRequest(request, response));
  const home = clickhouse.freshTable(Number(new URL(proxy).port));
  ({ table } = home);
  moves = { from: 0, home };
  database = await freshDatabase();
  one = await CountingProcess.start(database.url);
  killer = new Killer(one.database, CHANGE);
  upkeep = new HomeUpkeep(one.database, giveHome(moves)!);
});
afterEach(() => void (onRequest = pass));
afterAll(async () => {
  jest.restoreAllMocks();
  await one.stop();
  await database.drop();
  inFront.close();
  await clickhouse.stop();
});

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, text } = await inFront.forward(request);
  if (!response.destroyed) response.writeHead(status).end(text);
}

async function begin(): Promise<void> {
  await one.register(++websiteId);
  await one.count(websiteId, DAYS.flatMap(mixedHitsOn));
  await one.workOnColumns(websiteId, rolledUpBefore(TODAY));
}

/** Later hits, which bring a day back and move it again. */
async function beginAgain(): Promise<void> {
  await begin();
  await move();
  await one.count(websiteId, [pageViewOn(DAYS[0]!, '/late', '')]);
}

async function move(): Promise<void> {
  await one.makeDue(websiteId);
  await one.workOnColumns(websiteId, { ...rolledUpBefore(TODAY), moves });
}

async function answers(): Promise<unknown> {
  const request = { asker: ownerAsks(1), websiteId, statsFrom: 0, hitQueries: [HIT_QUERY] };
  const answering = new QueryAnswering(one.database, new ColumnCache(), new Zone('UTC'));
  return (await answering.answer(request, 60_000, () => undefined)).answers;
}

function isInsert(request: IncomingMessage): boolean {
  return new URL(request.url!, 'http://here').searchParams.get('query')?.startsWith('INSERT') ?? false;
}

const stored = async () => {
  const [row] = await clickhouse.query<[string]>(
    `SELECT count() FROM default.${table} WHERE website = ${websiteId} FORMAT JSONCompactEachRow`,
  );
  return Number(row![0]);
};

/** All hits are in ClickHouse once, and nothing else of the website. */
async function expectMoved(hits: number, afterHours = 2): Promise<void> {
  await upkeep.look(Date.now() + afterHours * HOUR_MS);
  expect(await stored()).toBe(hits);
  const named = await one.database.query<{ home: number; hits: number }[]>(
    `SELECT home, hits FROM hit_days WHERE website_id = ${websiteId} ORDER BY day`,
  );
  expect(named.filter(({ home }) => Number(home) > 1)).toHaveLength(DAYS.length);
  expect(named.reduce((sum, own) => sum + Number(own.hits), 0)).toBe(hits);
  const listed = await one.database.query<{ due_at: unknown }[]>(
    `SELECT due_at FROM remote_versions WHERE website_id = ${websiteId}`,
  );
  expect(listed.map(({ due_at }) => due_at)).toEqual(DAYS.map(() => null));
}

const HITS = DAYS.length * mixedHitsOn(TODAY).length;

describe.each([
  ['days move', begin, HITS],
  ['a moved day is sealed again, and moves', beginAgain, HITS + 1],
])('while %s', (_, prepare, hits) => {
  it('loses and doubles nothing, whichever statement of SQL it was about to run', async () => {
    for (let isKilled = true, number = 0; isKilled; number += ONE_IN) {
      await prepare();
      const before = await answers();
      isKilled = await killer.during(number, move);
      const where = `killed before ${number + 1}. ${killer.statements.at(-1)}`;
      expect([where, await answers()]).toEqual([where, before]);
      await move();
      expect([where, await answers()]).toEqual([where, before]);
      await expectMoved(hits);
    }
    expect(killer.statements.length).toBeGreaterThan(5);
  });

  it.each(['before', 'after'])(
    'loses and doubles nothing, whichever request to ClickHouse was lost %s it had an effect',
    async (when) => {
      let requests = 0;
      for (let isLost = true, number = 1; isLost; number += LOST_ONE_IN) {
        await prepare();
        const before = await answers();
        requests = 0;
        isLost = false;
        onRequest = async (request, response) => {
          if (++requests < number) return pass(request, response);
          isLost = true;
          if (when === 'after' && requests === number) await inFront.forward(request);
          request.socket.destroy();
        };
        await move().catch((error: unknown) => expect(error).toBeInstanceOf(HomeAway));
        onRequest = pass;
        expect([number, await answers()]).toEqual([number, before]);
        await move();
        expect([number, await answers()]).toEqual([number, before]);
        await expectMoved(hits);
      }
      expect(requests).toBeGreaterThan(3);
    },
  );
});

it('removes what a frozen process wrote after another one had moved the day', async () => {
  await begin();
  const before = await answers();
  let release = () => undefined as void;
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  let inserts = 0;
  onRequest = async (request, response) => {
    if (isInsert(request) && ++inserts === 1) await isHeld;
    return pass(request, response);
  };
  const frozen = move();
  await until(() => inserts === 1);
  const other = await CountingProcess.start(database.url);
  await other.makeDue(websiteId);
  await other.workOnColumns(websiteId, { ...rolledUpBefore(TODAY), moves });
  await expectMoved(HITS);
  release();
  await frozen.catch(() => undefined);
  await until(async () => (await stored()) === 2 * HITS);
  expect(await answers()).toEqual(before);
  await upkeep.look(Date.now() + 27 * HOUR_MS);
  await upkeep.look(Date.now() + 27 * HOUR_MS);
  await expectMoved(HITS, 29);
  expect(await answers()).toEqual(before);
  await other.stop();
});

it('never names rows that are being removed', async () => {
  await begin();
  const before = await answers();
  let release = () => undefined as void;
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  let compared = 0;
  onRequest = async (request, response) => {
    let [isLast, isRemoval] = [false, false];
    const { status, text } = await inFront.forward(request, (body) => {
      isLast = body.includes('sum(place)') && ++compared === DAYS.length;
      isRemoval = body.toString().startsWith('DELETE');
      return body;
    });
    // Everything was read back, and only the naming is left.
    if (isLast) await isHeld;
    // Nobody knows whether the rows were removed.
    if (isRemoval) request.socket.destroy();
    else response.writeHead(status).end(text);
  };
  const moving = move();
  await until(() => compared === DAYS.length);
  await upkeep.look(Date.now() + 2 * HOUR_MS);
  await until(async () => (await stored()) === 0);
  release();
  await moving;
  onRequest = pass;
  expect(await answers()).toEqual(before);
  await move();
  await expectMoved(HITS, 3);
});

it('removes the rows of a day that has expired, and of no other', async () => {
  await begin();
  await move();
  const [expired] = DAYS;
  await one.database.execute('DELETE FROM hit_days WHERE website_id = ? AND day = ?', [websiteId, expired]);
  // What no day names is looked for every hour.
  const another = new HomeUpkeep(one.database, giveHome(moves)!);
  await another.look(Date.now());
  await another.look(Date.now() + 2 * HOUR_MS);
  expect(await stored()).toBe(HITS / DAYS.length);
});

const TABLES = ['hit_homes', 'remote_versions', 'hit_days'];

/** What a backup of the database has of homes, to be written back. */
async function backup(): Promise<(to: CountingProcess) => Promise<void>> {
  const saved = new Map<string, Record<string, unknown>[]>();
  for (const name of TABLES) saved.set(name, await one.database.query(`SELECT * FROM ${name}`));
  return async ({ database: to }) => {
    for (const [name, rows] of saved) {
      await to.execute(`DELETE FROM ${name}`, []);
      for (const row of rows) {
        const columns = Object.keys(row);
        await to.execute(
          `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
          Object.values(row),
        );
      }
    }
  };
}

/** Looks after all that a day and two hours make due. */
async function lookLater(own: HomeUpkeep): Promise<void> {
  for (const hours of [0, 27, 27, 30]) await own.look(Date.now() + hours * HOUR_MS);
}

const codes = (own: HomeUpkeep) => own.warnings().map(({ code }) => code);

it('removes nothing after the database was restored, nor ever what may be the only copy', async () => {
  await begin();
  await move();
  const restore = await backup();
  await one.count(websiteId, [pageViewOn(DAYS[0]!, '/late', '')]);
  await move();
  await expectMoved(HITS + 1, 31);
  await restore(one);
  const restored = new HomeUpkeep(one.database, giveHome(moves)!);
  await lookLater(restored);
  expect([codes(restored), await stored()]).toEqual([['warehouse_disputed'], HITS + 1]);
  await new HomeMark(one.database, giveHome(moves)!).adopt();
  const adopted = new HomeUpkeep(one.database, giveHome(moves)!);
  await lookLater(adopted);
  expect([codes(adopted), await stored()]).toEqual([[], HITS + 1]);
});

it('removes nothing while a copy of the database uses its table, and neither does the copy', async () => {
  await begin();
  await move();
  const own = new HomeUpkeep(one.database, giveHome(moves)!);
  await own.look(Date.now());
  const second = await freshDatabase();
  const copy = await CountingProcess.start(second.url);
  const restore = await backup();
  await restore(copy);
  // In the copy, the days have changed.
  await copy.database.execute('DELETE FROM hit_days', []);
  jest.replaceProperty(MARKED, 'ms', 60_000);
  const ofCopy = new HomeUpkeep(copy.database, giveHome(moves)!);
  await ofCopy.look(Date.now());
  await own.look(Date.now());
  await lookLater(ofCopy);
  expect([codes(own), codes(ofCopy), await stored()]).toEqual([
    ['warehouse_disputed'],
    ['warehouse_disputed'],
    HITS,
  ]);
  jest.replaceProperty(MARKED, 'ms', 0);
  await new HomeMark(one.database, giveHome(moves)!).adopt();
  await copy.stop();
  await second.drop();
});

it('removes in one process at a time, and does not try at once again after a failure', async () => {
  await begin();
  await move();
  const [first, second] = [0, 1].map(() => new HomeUpkeep(one.database, giveHome(moves)!)) as [
    HomeUpkeep,
    HomeUpkeep,
  ];
  for (const own of [first, second]) await own.look(Date.now());
  await one.database.execute('DELETE FROM hit_days WHERE website_id = ?', [websiteId]);
  let removals = 0;
  let release = () => undefined as void;
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  onRequest = async (request, response) => {
    let isRemoval = false;
    const { status, text } = await inFront.forward(request, (body) => {
      isRemoval = body.toString().startsWith('DELETE');
      return isRemoval ? 'SELECT throwIf(1)' : body;
    });
    if (isRemoval) removals++;
    if (isRemoval) await isHeld;
    response.writeHead(status).end(text);
  };
  const later = Date.now() + 2 * HOUR_MS;
  const looking = first.look(later);
  await until(() => removals === 1);
  await second.look(later);
  release();
  await looking;
  for (const minutes of [1, 5, 9]) await first.look(later + minutes * 60_000);
  expect(removals).toBe(1);
  await first.look(later + 11 * 60_000);
  expect(removals).toBe(2);
  onRequest = pass;
  await first.look(later + 22 * 60_000);
  expect(await stored()).toBe(0);
});

it('keeps the lease of the website while a statement takes longer than the lease', async () => {
  await begin();
  let inserts = 0;
  onRequest = async (request, response) => {
    if (isInsert(request) && ++inserts === 1) await sleep(LEASE_MS + 2000);
    return pass(request, response);
  };
  const moving = move();
  await until(() => inserts === 1);
  await sleep(LEASE_MS + 1000);
  const other = await CountingProcess.start(database.url);
  expect(await other.folderOf(websiteId)).toBeUndefined();
  await other.stop();
  await moving;
  await expectMoved(HITS, 40);
});

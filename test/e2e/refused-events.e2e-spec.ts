import { BACKLOG } from '../../src/counting/fold/waiting-events';
import type { ApiClient } from '../support/api-client';
import { change } from '../support/database-access';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { type Site, visit, website, WEBSITES } from '../support/sending';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const WINDOW_MS = BACKLOG.windowMs;
const MIB = 1024 * 1024;

let database: FreshDatabase;
let services: TestApp[];
beforeAll(async () => {
  // An event looks at most once a second, so each look is a window.
  BACKLOG.windowMs = 500;
  database = await freshDatabase();
  services = [await startApp({ DATABASE_URL: database.url }), await startApp({ DATABASE_URL: database.url })];
});
afterAll(async () => {
  BACKLOG.windowMs = WINDOW_MS;
  for (const service of services) await service.stop();
  await database.drop();
});

const apis = (): ApiClient[] => services.map(({ api }) => api);

const execute = (sql: string) => change(database.url, sql);

/** Waiting events of a website whose lease another process holds. They were accepted some seconds apart. */
async function backlog(seconds = 1, bytes = MIB, waitedMs = 60_000): Promise<Site> {
  const [api] = apis();
  const site = await website(api!);
  await execute(
    `INSERT INTO counting (website_id, owner, token, expires_at, folds, archived_from)
    VALUES (${site.id}, 'other', 1, ${Date.now() + 3_600_000}, 0, 0)`,
  );
  const begin = Date.now() - waitedMs;
  const rows = Array.from(
    { length: 20 },
    (_, row) => `(${site.id}, ${begin + row * seconds * 1000}, 1, ${bytes}, X'5b5d')`,
  );
  await execute(`INSERT INTO inbox (website_id, accepted_at, size, bytes, hits) VALUES ${rows.join()}`);
  return site;
}

/** Acts like a fold. */
const takeOldest = ({ id }: Site) =>
  execute(
    `DELETE FROM inbox WHERE id IN (SELECT id FROM (SELECT MIN(id) AS id FROM inbox WHERE website_id = ${id}) oldest)`,
  );

/** Sends an event over each route to each process. Returns the statuses. */
async function statuses(site: Site): Promise<number[]> {
  const all: number[] = [];
  for (const api of apis()) {
    all.push((await visit(api, site)).status);
    const events = [
      { id: crypto.randomUUID(), url: `https://${site.domain}/`, ip: '203.0.113.7', user_agent: 'x' },
    ];
    all.push((await api.post(`${WEBSITES}/${site.id}/events`, { json: { events } })).status);
  }
  return all;
}

/** The statuses after some windows. In each, an event is counted or not, and further events arrive. */
async function statusesAfter(
  windows: number,
  site: Site,
  { isCounting = true, bytes = 2 * MIB } = {},
): Promise<number[]> {
  let last: number[] = [];
  for (let window = 0; window < windows; window++) {
    last = await statuses(site);
    await execute(
      `INSERT INTO inbox (website_id, accepted_at, size, bytes, hits)
      VALUES (${site.id}, ${Date.now()}, 1, ${bytes}, X'5b5d')`,
    );
    await new Promise((resolve) => setTimeout(resolve, 1100));
    if (isCounting) await takeOldest(site);
  }
  return last;
}

const warningsOf = async ({ id }: Site) =>
  ((await apis()[0]!.get('/health/ready')).body.warnings as { code: string; website_id?: number }[])
    .filter(({ website_id }) => website_id === id)
    .map(({ code }) => code);

it('refuses events of a website that counting falls behind with, until little of it waits', async () => {
  const [flooded, other] = [await backlog(), await website(apis()[0]!)];
  expect(await statuses(flooded)).toEqual([202, 202, 202, 202]);
  expect(await statusesAfter(4, flooded)).toEqual([429, 429, 429, 429]);
  expect((await visit(apis()[0]!, flooded)).headers.get('Retry-After')).toBe('10');
  expect(await warningsOf(flooded)).toContain('events_refused');
  expect(await statuses(other)).toEqual([202, 202, 202, 202]);

  await execute(`UPDATE inbox SET bytes = 10 WHERE website_id = ${flooded.id}`);
  await until(async () => (await statuses(flooded)).every((status) => status === 202));
});

it('refuses none if a fault holds them back, counting catches up, few wait or arrive, or none waits for long', async () => {
  const sites = [
    await backlog(),
    await backlog(3),
    await backlog(1, 10),
    await backlog(),
    await backlog(0.4, MIB, 15_000),
  ] as const;
  const accepted = await Promise.all([
    statusesAfter(4, sites[0], { isCounting: false }),
    statusesAfter(4, sites[1]),
    statusesAfter(4, sites[2], { bytes: 10 }),
    statusesAfter(4, sites[3], { bytes: 10 }),
    statusesAfter(4, sites[4]),
  ]);
  for (const all of accepted) expect(all).toEqual([202, 202, 202, 202]);
});

it('refuses small events as well', async () => {
  const flooded = await backlog(1, 10);
  const row = `(${flooded.id}, ${Date.now() - 30_000}, 1, 10, X'5b5d')`;
  const add = (rows: number) =>
    execute(
      `INSERT INTO inbox (website_id, accepted_at, size, bytes, hits) VALUES ${Array<string>(rows).fill(row).join()}`,
    );
  for (let times = 0; times < 7; times++) await add(5000);
  expect(await statusesAfter(4, flooded)).toEqual([429, 429, 429, 429]);
});

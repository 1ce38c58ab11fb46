import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { dayText } from '../../engine/ground/time/days';
import { Salts } from '../../src/intake/salts';
import { Housekeeping } from '../../src/retention/housekeeping';
import { closeDays, timezoneAtNoon, untilCounted } from '../support/counted';
import { CountingProcess, forgottenAt, pageViewOn, TODAY } from '../support/counting';
import { engine, type FreshDatabase, freshDatabase } from '../support/fresh-database';
import { addDropped, addHits, hitsOn, visitorsOn } from '../support/past-days';
import { ACCEPTED, send, type Site, taken, visit, website } from '../support/sending';
import {
  ACCEPT_AGAIN,
  areSealed,
  forgetRollup,
  forgetVisitorsAt,
  letWait,
  REFUSE_SEALING,
} from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TIMEZONE = timezoneAtNoon();
const today = Math.floor(Date.now() / DAY_MS);

let service: TestApp;
beforeAll(async () => void (service = await startApp({ TIMEZONE, ARCHIVE_DAYS: '10', STATS_DAYS: '20' })));
afterAll(() => service.stop());

/** Removes expired rows. Tests add rows of old days, so earlier progress is discarded. */
async function tidy(now = Date.now()): Promise<void> {
  await query("DELETE FROM retention WHERE name <> 'clock'");
  await service.app.get(Housekeeping).tidy(now);
}

const query = <Row>(sql: string, parameters: unknown[] = []) =>
  service.database.write((manager) => manager.query<Row[]>(sql, parameters));
const rowsOf = async (table: string, websiteId: number) =>
  Number(
    (await query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE website_id = ?`, [websiteId]))[0]!
      .n,
  );

/** A website with one event, which is counted. */
async function countedWebsite(id: string = randomUUID()): Promise<Site> {
  const site = await website(service.api);
  expect(taken(await send(service.api, { url: `https://${site.domain}/`, id }))).toEqual(ACCEPTED);
  await untilCounted(service.api, site.id);
  return site;
}

describe('a deleted website', () => {
  const EVENT_ID = '5d3c1a52-8a59-4a3e-9a44-0a3a4f4c2f10';
  const TABLES = [
    'inbox',
    'rollup_spans',
    'rollups',
    'value_texts',
    'dropped_events',
    'event_ids',
    'hit_batches',
    'batch_visitors',
    'hit_days',
    'hit_columns',
    'counting',
    'goals',
    'saved_filters',
    'funnels',
    'alerts',
    'alert_firings',
    'alert_mails',
    'alert_recipients',
    'report_mails',
    'report_recipients',
  ];

  it('is gone at once, its rows in the background, and starts from nothing when it is registered again', async () => {
    const { id, domain } = await countedWebsite(EVENT_ID);
    const neighbour = await countedWebsite(EVENT_ID);
    const many = Array.from({ length: 5000 }, (_, index) =>
      visitorsOn(dayText(today - 15), 1, { campaign: `/p${index}` }),
    );
    await addHits(service, id, many.flat());
    await addDropped(service, id, [[dayText(today), 'bot', 1]]);

    const filters = [['is', 'page', ['/']]];
    for (const list of ['goals', 'saved-filters'])
      await service.api.post(`/api/v1/websites/${id}/${list}`, { json: { name: 'Home', filters } });
    await query(
      "INSERT INTO funnels (website_id, name, steps, step_order, within, created_at, updated_at) VALUES (?, 'Sale', '[]', 'open', 'visit', 0, 0)",
      [id],
    );

    const alert = { name: 'Busy', metric: 'visitors', condition: 'above', threshold: 5 };
    await service.api.post(`/api/v1/websites/${id}/alerts`, { json: alert });
    await addOfAlerts(id, Date.now());
    await addOfReports(id, Date.now());

    for (const table of [
      'dropped_events',
      'rollup_spans',
      'rollups',
      'value_texts',
      'hit_batches',
      'hit_days',
      'hit_columns',
      'goals',
      'alerts',
      'alert_mails',
      'report_mails',
      'report_recipients',
    ])
      expect([table, (await rowsOf(table, id)) > 0]).toEqual([table, true]);
    expect((await service.api.delete(`/api/v1/websites/${id}`)).status).toBe(200);
    const again = (await service.api.post('/api/v1/websites', { form: { domain } })).body.data;
    expect(again.id).toBeGreaterThan(id);
    const stats = `/api/v1/stats/${again.id}?name=pageview&from=2020-01-01&to=2999-12-31`;
    expect((await service.api.get(stats)).body.meta.sum).toBe(0);

    await tidy();
    for (const table of TABLES) expect([table, await rowsOf(table, id)]).toEqual([table, 0]);
    expect(await rowsOf('hit_batches', neighbour.id)).toBeGreaterThan(0);
    expect(await rowsOf('deleted_websites', id)).toBe(1);
    await tidy(Date.now() + 2 * 3_600_000);
    expect(await rowsOf('deleted_websites', id)).toBe(0);
  });
});

/** A firing, a mail about it, and an address that was asked. */
async function addOfAlerts(websiteId: number, at: number): Promise<void> {
  await query(
    `INSERT INTO alert_firings (website_id, alert_id, window_from, window_to, fired_at, value, alert, mails, webhooks)
    VALUES (?, 1, ?, ?, ?, '1', '{}', 0, 0)`,
    [websiteId, at, at, at],
  );
  await query(
    `INSERT INTO alert_mails (website_id, user_id, firing_id, asked_at, address, state, due_at, attempts, created_at,
    changed_at) VALUES (?, 1, 1, ?, 'a@example.com', 'sent', 0, 1, ?, 0)`,
    [websiteId, at, at],
  );
  await query(
    "INSERT INTO alert_recipients (website_id, address, state, pending_since) VALUES (?, ?, 'pending', ?)",
    [websiteId, `${at}@example.com`, at],
  );
}

/** A mail about reports, and an address that has not answered. */
async function addOfReports(websiteId: number, at: number): Promise<void> {
  await query(
    `INSERT INTO report_mails (website_id, user_id, every, first_day, asked_at, address, state, due_at, attempts,
    created_at, changed_at) VALUES (?, 1, 'weekly', 1, ?, 'a@example.com', 'sent', 0, 1, ?, 0)`,
    [websiteId, at, at],
  );
  await query(
    "INSERT INTO report_recipients (website_id, address, state, pending_since, place) VALUES (?, ?, 'pending', ?, 0)",
    [websiteId, `${at}@example.com`, at],
  );
}

it('forgets mails about reports after 100 days, and their unanswered addresses after 30', async () => {
  const { id } = await website(service.api);
  for (const days of [29, 32, 99, 102]) await addOfReports(id, (today - days) * DAY_MS);
  await query(
    "INSERT INTO report_recipients (website_id, address, state) VALUES (?, 'b@example.com', 'confirmed')",
    [id],
  );
  await tidy();
  expect(await Promise.all(['report_mails', 'report_recipients'].map((table) => rowsOf(table, id)))).toEqual([
    ...[3, 2],
  ]);
});

it('forgets firings after 90 days, and mails and unanswered addresses after 30', async () => {
  const { id } = await website(service.api);
  for (const days of [29, 32, 89, 92]) await addOfAlerts(id, (today - days) * DAY_MS);
  await query(
    "INSERT INTO alert_recipients (website_id, address, state) VALUES (?, 'b@example.com', 'confirmed')",
    [id],
  );
  await tidy();
  const left = ['alert_firings', 'alert_mails', 'alert_recipients'].map((table) => rowsOf(table, id));
  expect(await Promise.all(left)).toEqual([3, 1, 2]);
});

it('forgets salts 48 hours after their day', async () => {
  for (const ago of [1, 2, 3, 4]) {
    await query('DELETE FROM salts WHERE day = ?', [today - ago]);
    await query('INSERT INTO salts (day, salt) VALUES (?, ?)', [today - ago, Buffer.alloc(32)]);
  }
  await tidy();
  const days = (await query<{ day: number }>('SELECT day FROM salts ORDER BY day')).map((row) => row.day);
  expect(days).toEqual(expect.arrayContaining([today - 2, today - 1]));
  expect(Math.min(...days)).toBe(today - 2);
});

it('forgets the ids of events after 48 hours, and not before', async () => {
  const { id } = await countedWebsite();
  await tidy(Date.now() + 47 * 3_600_000);
  expect(await rowsOf('event_ids', id)).toBe(1);
  await tidy(Date.now() + 49 * 3_600_000);
  expect(await rowsOf('event_ids', id)).toBe(0);
});

it('keeps hits for ARCHIVE_DAYS and rollups for STATS_DAYS, and removes no hits that are not rolled up', async () => {
  const { id } = await website(service.api);
  const sealed = [9, 10, 11, 19, 20, 21];
  await addHits(
    service,
    id,
    [0, ...sealed].flatMap((ago) => hitsOn(dayText(today - ago), 1)),
  );
  const dropped = [19, 20, 21, 400];
  await addDropped(
    service,
    id,
    dropped.map((ago) => [dayText(today - ago), 'bot', 1]),
  );
  await forgetRollup(service.database, id, today - 11);
  const daysIn = async (table: string, column = 'day') => {
    const rows = await query<{ day: number }>(
      `SELECT DISTINCT ${column} AS day FROM ${table} WHERE website_id = ? ORDER BY day DESC`,
      [id],
    );
    return rows.map(({ day }) => today - day);
  };
  expect(await daysIn('dropped_events')).toEqual(dropped);
  await tidy();
  expect(await daysIn('hit_days')).toEqual(sealed);
  await closeDays(service.counting, id, Infinity);
  await tidy();
  expect(await daysIn('rollup_spans')).toEqual([9, 10, 11, 19, 20]);
  expect(await daysIn('dropped_events')).toEqual([19, 20]);
  expect(await daysIn('hit_days')).toEqual([9, 10]);
  // Columns of both days, whose segments were merged.
  expect(await daysIn('hit_columns', 'last_day')).toEqual([9]);
  const sumSince = async (ago: number) => {
    const range = `from=${dayText(today - ago)}&to=${dayText(today)}`;
    return (await service.api.get(`/api/v1/stats/${id}?name=page&${range}`)).body.meta.sum;
  };
  expect([await sumSince(19), await sumSince(20), await sumSince(500)]).toEqual([5, 6, 6]);
});

describe('visitors of a day that a fault kept unsealed', () => {
  const YESTERDAY = TODAY - 1;
  let database: FreshDatabase;
  let one: CountingProcess;
  const services: TestApp[] = [];
  const start = async () => {
    const service = await startApp({ DATABASE_URL: database.url });
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    jest.spyOn(Housekeeping.prototype, 'nudge').mockImplementation(() => undefined);
    database = await freshDatabase();
    one = await CountingProcess.start(database.url);
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await one.stop();
    await database.drop();
    jest.restoreAllMocks();
    Logger.overrideLogger(true);
  });

  it('are forgotten by all processes, and answers from before are not valid any more', async () => {
    const websiteId = 1;
    await one.execute(REFUSE_SEALING);
    await one.register(websiteId);
    const fold = async () => {
      await one.accept(websiteId, ...['a', 'b'].map((visitor) => pageViewOn(YESTERDAY, '/', visitor)));
      await one.execute(letWait(Date.now() - YESTERDAY * DAY_MS));
      await one.count(websiteId, []);
    };
    await fold();
    await fold();
    const later = forgottenAt(YESTERDAY) + HOUR_MS;
    for (const statement of forgetVisitorsAt(websiteId, later)) await one.execute(statement);
    await fold();
    const service = await start();
    const day = dayText(YESTERDAY);
    const ask = async ({ api }: TestApp, requested: string, tag = '') => {
      const path = `/api/v1/stats/${websiteId}?name=${requested}&from=${day}&to=${day}`;
      const { status, headers, body } = await api.get(path, { headers: { 'If-None-Match': tag } });
      const codes = body?.meta.warnings?.map(({ code }: { code: string }) => code);
      return { status, tag: headers.get('ETag')!, sum: body?.meta.sum as number, codes };
    };
    for (const requested of ['visitor', 'country', 'visitor&filter=country==DE']) {
      const before = await ask(service, requested);
      expect(before).toMatchObject({ status: 200, sum: 2, codes: undefined });
      expect((await ask(service, requested, before.tag)).status).toBe(304);
    }
    const tags = new Set<string>();
    for (const [now, sum] of [
      [later - HOUR_MS, 4],
      [later, 6],
    ] as const) {
      await service.app.get(Housekeeping).tidy(now);
      const other = await start();
      for (const requested of ['visitor', 'country', 'visitor&filter=country==DE']) {
        const now = await ask(service, requested);
        expect([requested, now]).toMatchObject([requested, { sum, codes: ['visitors_forgotten'] }]);
        expect([requested, await ask(other, requested)]).toEqual([requested, now]);
        tags.add(now.tag);
      }
    }
    expect([tags.size, await areSealed(one.database, websiteId, TODAY)]).toEqual([6, false]);
    await one.execute(ACCEPT_AGAIN);
  });

  it('are a warning where they are there an hour after their time', async () => {
    const websiteId = 2;
    await one.register(websiteId);
    await one.execute(REFUSE_SEALING);
    await one.count(websiteId, [pageViewOn(YESTERDAY, '/', 'a')]);
    for (const statement of forgetVisitorsAt(websiteId, Date.now() - 2 * HOUR_MS))
      await one.execute(statement);
    const { api } = await start();
    expect((await api.get('/health/ready')).body.warnings).toContainEqual({
      code: 'visitors_not_forgotten',
      website_id: websiteId,
      detail: expect.stringContaining(dayText(YESTERDAY)),
    });
    await one.execute(ACCEPT_AGAIN);
  });
});

if (engine === 'sqlite')
  it('leaves no byte of a salt in any file of the database', async () => {
    const database = await freshDatabase();
    const own = await startApp({ DATABASE_URL: database.url });
    const files = () => {
      const folder = dirname(database.url.slice('sqlite:'.length));
      return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    };
    expect((await visit(own.api, await website(own.api))).status).toBe(202);
    const plain = await own.app.get(Salts).of(TODAY);
    const [row] = await own.database.read((manager) =>
      manager.query<{ salt: Buffer }[]>('SELECT salt FROM salts WHERE day = ?', [TODAY]),
    );
    expect([files().includes(row!.salt), files().includes(plain)]).toEqual([true, false]);
    await own.app.get(Housekeeping).tidy(Date.now() + 4 * DAY_MS);
    expect([files().includes(row!.salt), files().includes(plain)]).toEqual([false, false]);
    await own.stop();
    await database.drop();
  });

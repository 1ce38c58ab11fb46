import { randomUUID } from 'node:crypto';
import { dayText } from '../../engine/ground/time/days';
import { Housekeeping } from '../../src/retention/housekeeping';
import { closeDays, timezoneAtNoon, untilCounted } from '../support/counted';
import { addHits, hitsOn, visitorsOn } from '../support/past-days';
import { ACCEPTED, send, type Site, taken, website } from '../support/sending';
import { forgetRollup } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';

const DAY_MS = 86_400_000;
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
    await query("INSERT INTO dropped_events (website_id, day, reason, count) VALUES (?, 0, 'bot', 1)", [id]);

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
  for (const ago of [19, 20, 21, 400])
    await query("INSERT INTO dropped_events (website_id, day, reason, count) VALUES (?, ?, 'bot', 1)", [
      id,
      today - ago,
    ]);
  await forgetRollup(service.database, id, today - 11);
  const daysIn = async (table: string, column = 'day') => {
    const rows = await query<{ day: number }>(
      `SELECT DISTINCT ${column} AS day FROM ${table} WHERE website_id = ? ORDER BY day DESC`,
      [id],
    );
    return rows.map(({ day }) => today - day);
  };
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

import { randomUUID } from 'node:crypto';
import { Housekeeping } from '../../src/retention/housekeeping';
import { day } from '../../src/validation/parsers';
import { timezoneAtNoon, untilCounted } from '../support/counted';
import { type Count, fillCounters } from '../support/fill-counters';
import { ACCEPTED, send, type Site, taken, website } from '../support/sending';
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
  ];

  it('is gone at once, its rows in the background, and starts from nothing when it is registered again', async () => {
    const { id, domain } = await countedWebsite(EVENT_ID);
    const neighbour = await countedWebsite(EVENT_ID);
    const counted = new Date((today - 15) * DAY_MS).toISOString().slice(0, 10);
    const many = Array.from({ length: 5000 }, (_, index): Count => [counted, `/p${index}`, 1]);
    await fillCounters(service.database, id, 'campaign', many);

    await query(
      'INSERT INTO hit_days (website_id, day, segment, first_part, last_part, hits) VALUES (?, 0, 1, 0, 0, 0)',
      [id],
    );
    for (let part = 0; part < 9; part++)
      await query(
        'INSERT INTO hit_columns (website_id, segment, part, kind, piece, last_day, data) VALUES (?, 1, ?, 0, 0, 0, ?)',
        [id, part, Buffer.alloc(1)],
      );
    for (let part = 0; part < 9; part++)
      await query('INSERT INTO rollups (website_id, number, name, part, data) VALUES (?, 1, 3, ?, ?)', [
        id,
        part,
        Buffer.alloc(1),
      ]);
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

    for (const table of [
      'rollup_spans',
      'rollups',
      'value_texts',
      'hit_batches',
      'goals',
      'alerts',
      'alert_mails',
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
  const { id } = await countedWebsite();
  for (const table of ['hit_batches', 'batch_visitors'])
    await query(`DELETE FROM ${table} WHERE website_id = ?`, [id]);
  const insertInto = (columns: string, values: unknown[]) =>
    query(`INSERT INTO ${columns} VALUES (${values.map(() => '?').join(', ')})`, values);
  for (const ago of [9, 10, 11, 30]) {
    const day = today - ago;
    const data = Buffer.alloc(1);
    await insertInto('hit_batches (website_id, day, first_hit, size, bytes, stored_bytes, last_at, data)', [
      ...[id, day, 0, 0, 0, 0, 0],
      data,
    ]);
    await insertInto('hit_days (website_id, day, segment, first_part, last_part, hits)', [
      id,
      day,
      day,
      0,
      0,
      0,
    ]);
    await insertInto('hit_columns (website_id, segment, part, kind, piece, last_day, data)', [
      ...[id, day, 0, 0, 0],
      ...[day, data],
    ]);
  }
  await fillCounters(
    service.database,
    id,
    'page',
    [0, 19, 20, 21, 400].map((ago) => [dayOf(today - ago), '/', 1]),
  );
  for (const ago of [19, 20, 21, 400]) {
    await insertInto('rollup_spans (website_id, span, day, number, hits, limited)', [
      ...[id, 2, today - ago],
      ...[ago, 1, 0],
    ]);
    await insertInto('dropped_events (website_id, day, reason, count)', [id, today - ago, 'bot', 1]);
  }
  await tidy();
  expect(await rowsOf('hit_batches', id)).toBe(4);
  await fillCounters(service.database, id, 'event', [[dayOf(today - 11), 'rolled up', 1]]);
  for (const ago of [19, 20])
    await insertInto('rollup_spans (website_id, span, day, number, hits, limited)', [
      ...[id, 2, today - ago],
      ...[ago, 1, 0],
    ]);
  await tidy();
  for (const [table, kept] of Object.entries({
    rollup_spans: [0, 11, 19, 19, 20, 20],
    dropped_events: [19, 20],
  })) {
    const rows = await query<{ day: number }>(
      `SELECT day FROM ${table} WHERE website_id = ? ORDER BY day DESC`,
      [id],
    );
    expect([table, rows.map(({ day }) => today - day)]).toEqual([table, kept]);
  }
  for (const table of ['hit_batches', 'hit_days', 'hit_columns']) {
    const column = table === 'hit_columns' ? 'last_day' : 'day';
    const kept = await query<{ day: number }>(
      `SELECT ${column} AS day FROM ${table} WHERE website_id = ? ORDER BY day DESC`,
      [id],
    );
    expect([table, kept.map((row) => today - row.day)]).toEqual([table, [9, 10]]);
    await query(`DELETE FROM ${table} WHERE website_id = ?`, [id]);
  }
  await query('DELETE FROM rollup_spans WHERE website_id = ? AND span = 2', [id]);
  const sumSince = async (ago: number) => {
    const range = `from=${dayOf(today - ago)}&to=${dayOf(today)}`;
    return (await service.api.get(`/api/v1/stats/${id}?name=page&${range}`)).body.meta.sum;
  };
  expect([await sumSince(19), await sumSince(20), await sumSince(500)]).toEqual([2, 3, 3]);
});

function dayOf(days: number): string {
  const text = new Date(days * DAY_MS).toISOString().slice(0, 10);
  expect(day(text)).toBe(days);
  return text;
}

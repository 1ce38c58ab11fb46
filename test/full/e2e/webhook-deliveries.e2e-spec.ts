import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Housekeeping } from '../../../src/retention/housekeeping';
import type { WholeDeliveryView } from '../../../src/webhooks/deliveries/delivery.dto';
import { DeliveriesService } from '../../../src/webhooks/deliveries/deliveries.service';
import { WebhooksService } from '../../../src/webhooks/webhooks.service';
import { WebsitesService } from '../../../src/websites/websites.service';
import { DatabaseProxy } from '../../support/database-proxy';
import { engine, type FreshDatabase } from '../../support/fresh-database';
import { untilLocksAreAwaited } from '../../support/lock-waits';
import { PATIENCE_MS, until } from '../../support/until';
import {
  Endpoint,
  endLeases,
  isSigned,
  type Sender,
  SITE,
  startSender,
  webhooksDatabase,
} from '../../support/webhooks';

const MINUTE_MS = 60_000;
const PAUSES = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);
const USERS = 12;
/** Of the deliveries of a webhook that wait, and of those that ended. */
const MOST_BYTES = 16 * 1024 * 1024;

let fresh: FreshDatabase;
let sender: Sender;
let endpoint: Endpoint;
let now: number;
beforeEach(async () => {
  fresh = await webhooksDatabase(USERS);
  sender = await startSender({ DATABASE_URL: fresh.url });
  // What is said at the start.
  sender.logs.length = 0;
  endpoint = await Endpoint.start();
  // Later than what the test adds meanwhile.
  now = Date.now() + 10 * MINUTE_MS;
});
afterEach(async () => {
  endpoint.close();
  await sender.stop();
  await fresh.drop();
});

const failWith = (status: number) =>
  void (endpoint.answer = (response) => response.writeHead(status).end('no'));

/** Does something between the look for the next webhook and its claim. */
function afterNextLook(work: () => Promise<unknown>): void {
  const { database } = sender;
  const query = database.query.bind(database);
  database.query = async <T>(sql: string, parameters?: unknown[]): Promise<T> => {
    const rows = await query<T>(sql, parameters);
    if (!sql.includes('FROM webhooks hook JOIN')) return rows;
    database.query = query;
    await work();
    return rows;
  };
}

describe('a delivery', () => {
  it('is a signed post with its id', async () => {
    const { id, secret } = await sender.webhook(`${endpoint.url}hooks?a=b`);
    await sender.add('one', { content: { value: 3, text: 'Grüße 🙂' } });
    await sender.send(now);
    const [delivery] = await sender.deliveries(id);
    const [posted] = endpoint.posted;
    expect(posted!.path).toBe('/hooks?a=b');
    expect(posted!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Milepost\/\d+\.\d+\.\d+$/),
      'milepost-delivery': String(delivery!.id),
      'milepost-event': 'alert',
    });
    expect(isSigned(posted!, secret)).toBe(true);
    expect(isSigned(posted!, `${secret}x`)).toBe(false);
    expect(endpoint.bodies()).toEqual([
      {
        id: String(delivery!.id),
        event: 'alert',
        created_at: delivery!.created_at,
        website: SITE,
        value: 3,
        text: 'Grüße 🙂',
      },
    ]);
    expect(await sender.delivery(id, Number(delivery!.id))).toMatchObject({
      ...{ state: 'delivered', attempts: 1, website_id: 1, next_attempt_at: null, last_status: 200 },
      ...{ last_error: null, ended_at: expect.any(String), body: posted!.body },
      answers: [{ status: 200, answer: 'ok', error: null, duration_ms: expect.any(Number) }],
    });
  });

  it('is added once for a webhook and an occasion, to those with the event that are enabled', async () => {
    const one = await sender.webhook(endpoint.url);
    const both = await sender.webhook(endpoint.url, { events: ['report', 'alert'] });
    await sender.webhook(endpoint.url, { events: ['report', 'goal.reached'] });
    await sender.webhook(endpoint.url, { enabled: 0 });
    await sender.webhook(endpoint.url, {}, 2);
    expect(await Promise.all([sender.add('same'), sender.add('same')])).toContain(2);
    expect(await sender.add('same')).toBe(0);
    expect(await sender.add('other')).toBe(2);
    expect([(await sender.deliveries(one.id)).length, (await sender.deliveries(both.id)).length]).toEqual([
      2, 2,
    ]);
    await sender.send(now);
    expect(endpoint.posted).toHaveLength(4);
  });

  it('is not added where its transaction fails', async () => {
    const { id } = await sender.webhook(endpoint.url);
    const failing = sender.database.write(async (manager) => {
      await manager.query('UPDATE webhooks SET served_at = 1');
      throw new Error('afterwards');
    });
    await expect(failing).rejects.toThrow('afterwards');
    expect(await sender.deliveries(id)).toEqual([]);
  });

  it('is tried again after growing pauses, with the same id and text, and fails then', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    failWith(500);
    let at = now;
    for (const [attempts, pauseMs] of PAUSES.entries()) {
      await sender.send(at);
      const [delivery] = await sender.deliveries(id);
      expect(delivery).toMatchObject({
        ...{ state: 'waiting', attempts: attempts + 1, last_status: 500 },
        last_error: 'the answer has the status 500',
      });
      const next = Date.parse(delivery!.next_attempt_at!);
      expect(next).toBeGreaterThanOrEqual(at + pauseMs);
      await sender.send(next - 1000);
      expect(endpoint.posted).toHaveLength(attempts + 1);
      at = next;
    }
    await sender.send(at);
    expect(await sender.deliveries(id)).toMatchObject([
      { state: 'failed', attempts: 8, next_attempt_at: null },
    ]);
    await sender.send(at + 30 * DAY_MS);
    expect(endpoint.posted).toHaveLength(8);
    expect(new Set(endpoint.posted.map(({ body }) => body)).size).toBe(1);
  });

  it('that was refused a while is delivered later', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    failWith(503);
    await sender.send(now);
    endpoint.answer = (response) => response.writeHead(204).end();
    await sender.send(now + 2 * MINUTE_MS);
    const [delivery] = await sender.deliveries(id);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 2, last_status: 204, last_error: null });
    const { answers } = await sender.delivery(id, Number(delivery!.id));
    expect(answers.map(({ status, answer }) => [status, answer])).toEqual([
      [503, 'no'],
      [204, ''],
    ]);
  });

  it('keeps the start of an answer of any size', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    endpoint.answer = (response) => {
      response.on('error', () => undefined);
      const more = () => !response.destroyed && response.write('ü'.repeat(100_000), () => setImmediate(more));
      more();
    };
    await sender.send(now);
    const [delivery] = await sender.deliveries(id);
    expect(delivery!.state).toBe('delivered');
    expect((await sender.delivery(id, Number(delivery!.id))).answers[0]!.answer).toBe('ü'.repeat(500));
  });

  it('is not sent on by a redirect', async () => {
    const other = await Endpoint.start();
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    endpoint.answer = (response) => response.writeHead(307, { Location: other.url }).end();
    await sender.send(now);
    other.close();
    expect(other.posted).toEqual([]);
    expect(await sender.deliveries(id)).toMatchObject([{ state: 'waiting', last_status: 307 }]);
  });

  it('tells why there was no answer, and quotes no address', async () => {
    const closed = await Endpoint.start();
    closed.close();
    const refused = await sender.webhook(closed.url);
    const broken = await sender.webhook(endpoint.url);
    await sender.add('one');
    endpoint.answer = (response) => response.socket!.destroy();
    await sender.send(now);
    expect(await sender.deliveries(refused.id)).toMatchObject([
      { state: 'waiting', last_status: null, last_error: 'the connection was refused (ECONNREFUSED)' },
    ]);
    expect(await sender.deliveries(broken.id)).toMatchObject([
      { last_error: 'the connection was closed without an answer (ECONNRESET)' },
    ]);
  });
});

describe('an address', () => {
  it.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://[::1]',
    'http://2130706433',
    'http://0x7f.1',
    'http://[::ffff:7f00:1]',
    'http://169.254.169.254',
  ])('that is not on the internet gets nothing, like %s', async (host) => {
    const strict = await startSender({ DATABASE_URL: fresh.url, WEBHOOK_ALLOW: '192.0.2.1' });
    const url = `${host}:${new URL(endpoint.url).port}/`;
    await expect(strict.webhook(url)).rejects.toMatchObject({ errors: { url: [expect.any(String)] } });
    // As if it was stored while the address was allowed.
    const { id } = await sender.webhook(endpoint.url);
    await sender.database.execute('UPDATE webhooks SET url = ? WHERE id = ?', [url, id]);
    await strict.add('one');
    await strict.send(now);
    expect(endpoint.posted).toEqual([]);
    expect(await strict.deliveries(id)).toMatchObject([
      { state: 'waiting', attempts: 1, last_status: null, last_error: expect.stringMatching(/address/) },
    ]);
    await strict.stop();
  });
});

describe('a webhook', () => {
  it('whose endpoint is gone is disabled, and what waits fails', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    await sender.add('two');
    failWith(410);
    await sender.send(now);
    expect(await sender.service(WebhooksService).show(1, id, 'full')).toMatchObject({ enabled: 0 });
    expect(await sender.deliveries(id)).toMatchObject([
      { state: 'failed', attempts: 0, last_error: 'the endpoint is gone (410)' },
      { state: 'failed', attempts: 1, last_status: 410 },
    ]);
    expect(await sender.add('three')).toBe(0);
    expect(endpoint.posted).toHaveLength(1);
  });

  if (engine === 'server')
    it('that an attempt disables is not enabled again by a change at the same moment', async () => {
      const { id } = await sender.webhook(endpoint.url);
      let changing: Promise<unknown> | undefined;
      await sender.database.write(async (manager) => {
        await manager.query('UPDATE webhooks SET enabled = 0 WHERE id = ?', [id]);
        changing = sender.service(WebhooksService).update(1, id, { events: ['report'] });
        await untilLocksAreAwaited(fresh.url, 'UPDATE webhooks');
      }, PATIENCE_MS);
      await changing;
      expect(await sender.service(WebhooksService).show(1, id, 'full')).toMatchObject({
        events: ['report'],
        enabled: 0,
      });
    });

  it('that is disabled or deleted while it is served ends its delivery', async () => {
    for (const end of ['disable', 'delete'] as const) {
      const { id } = await sender.webhook(endpoint.url);
      await sender.add(end);
      endpoint.answer = (response) => {
        const webhooks = sender.service(WebhooksService);
        const ended = end === 'disable' ? webhooks.update(1, id, { enabled: 0 }) : webhooks.delete(1, id);
        void ended.then(() => response.writeHead(500).end());
      };
      await sender.send(now);
      const rows = await sender.database.query<object[]>(
        'SELECT state, last_error FROM webhook_deliveries WHERE webhook_id = ?',
        [id],
      );
      if (end === 'disable') expect(rows).toMatchObject([{ state: 'failed' }]);
      await sender.send(now + 60 * MINUTE_MS);
    }
    expect(endpoint.posted).toHaveLength(2);
  });

  it.each([
    ['is gone', 410],
    ['fails', 500],
  ])('that gets another address while its old one %s goes on with the new one', async (_, status) => {
    const other = await Endpoint.start();
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    await sender.add('two');
    endpoint.answer = (response) =>
      void sender
        .service(WebhooksService)
        .update(1, id, { url: other.url })
        .then(() => response.writeHead(status).end());
    await sender.send(now);
    await sender.send(now + 2 * MINUTE_MS);
    other.close();
    expect([endpoint.posted.length, other.posted.length]).toEqual([1, 2]);
    expect(await sender.states(id)).toEqual(['delivered', 'delivered']);
    expect(await sender.service(WebhooksService).show(1, id, 'full')).toMatchObject({ enabled: 1 });
  });

  it('does not answer for the failure of the address that it had before', async () => {
    const other = await Endpoint.start();
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    endpoint.answer = (response) =>
      void sender
        .service(WebhooksService)
        .update(1, id, { url: other.url })
        .then(() => response.writeHead(500).end());
    await sender.send(now);
    other.close();
    expect(await sender.database.query('SELECT failures, paused_until FROM webhooks', [])).toEqual([
      { failures: 0, paused_until: null },
    ]);
  });

  it('is called at the address and with the secret that it has at the claim', async () => {
    const other = await Endpoint.start();
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    const webhooks = sender.service(WebhooksService);
    let secret = '';
    afterNextLook(async () => {
      await webhooks.update(1, id, { url: other.url });
      ({ secret } = await webhooks.renewSecret(1, id));
    });
    await sender.send(now);
    other.close();
    expect([endpoint.posted.length, other.posted.length]).toEqual([0, 1]);
    expect(isSigned(other.posted[0]!, secret)).toBe(true);
  });

  it('gets the rest where one ends during the look for others', async () => {
    const { id } = await sender.webhook(endpoint.url);
    for (const occasion of ['one', 'two']) await sender.add(occasion);
    const { database } = sender;
    const query = database.query.bind(database);
    database.query = async <T>(sql: string, parameters?: unknown[]): Promise<T> => {
      const rows = await query<T>(sql, parameters);
      if (!sql.includes('FROM webhooks hook JOIN') || (rows as object[]).length > 0) return rows;
      database.query = query;
      await until(async () => (await sender.states(id)).includes('delivered'));
      return rows;
    };
    await sender.send(now);
    expect(await sender.states(id)).toEqual(['delivered', 'delivered']);
  });

  it('goes by the clock of the database', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + DAY_MS);
    const { id, created_at: createdAt } = await sender.webhook(endpoint.url);
    await sender.add('one');
    const changed = await sender.service(WebhooksService).update(1, id, { enabled: 0 });
    clock.mockRestore();
    const [delivery] = await sender.deliveries(id);
    for (const moment of [createdAt, changed.updated_at, delivery!.ended_at!])
      expect(Date.parse(moment)).toBeLessThan(now);
  });

  it('that is disabled before the claim gets nothing', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    afterNextLook(() => sender.service(WebhooksService).update(1, id, { enabled: 0 }));
    await sender.send(now);
    expect([endpoint.posted.length, await sender.states(id)]).toEqual([0, ['failed']]);
  });

  describe('with many waiting deliveries', () => {
    const MANY = 120;
    const LARGE = MOST_BYTES / 16;
    /** The most deliveries that one transaction has ended or removed. */
    let most: number;
    let id: number;
    const waiting = async () => {
      const [row] = await sender.database.query<{ waiting: number }[]>(
        "SELECT COUNT(*) AS waiting FROM webhook_deliveries WHERE state = 'waiting'",
        [],
      );
      return Number(row!.waiting);
    };
    beforeEach(async () => {
      ({ id } = await sender.webhook(endpoint.url));
      for (let number = 0; number < MANY; number++) await sender.add(`occasion ${number}`);
      await sender.database.execute('UPDATE webhook_deliveries SET size_bytes = ? WHERE occasion IN (?, ?)', [
        ...[LARGE, 'occasion 3', 'occasion 7'],
      ]);
      const { database } = sender;
      const write = database.write.bind(database);
      most = 0;
      database.write = async (work, ...rest) => {
        const before = await waiting();
        const result = await write(work, ...rest);
        most = Math.max(most, before - (await waiting()));
        return result;
      };
    });

    it.each<[string, () => Promise<unknown>]>([
      ['is disabled', () => sender.service(WebhooksService).update(1, id, { enabled: 0 })],
      ['is deleted', () => sender.service(WebhooksService).delete(1, id)],
      ['loses its website', () => sender.service(WebsitesService).delete(1, SITE.id)],
      [
        'has failed for a day',
        () =>
          sender.database.execute('UPDATE webhooks SET failures = 9, paused_until = ?', [now + 2 * DAY_MS]),
      ],
    ])('%s: they end in small steps', async (_, end) => {
      await end();
      await sender.send(now + DAY_MS);
      expect([await waiting(), most, endpoint.posted.length]).toEqual([0, 50, 0]);
    });

    it('is gone: they end in small steps', async () => {
      failWith(410);
      await sender.send(now);
      expect([await waiting(), most, endpoint.posted.length]).toEqual([0, 50, 1]);
      const { rows } = await sender.service(DeliveriesService).page(1, id, { page: 1, per_page: 100 });
      expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['failed']));
    });

    it('is disabled for moments alone: the rest is sent', async () => {
      await sender.service(WebhooksService).update(1, id, { enabled: 0 });
      expect(await waiting()).toBe(MANY - 50);
      await sender.service(WebhooksService).update(1, id, { enabled: 1 });
      await sender.send(now);
      expect([await waiting(), endpoint.posted.length]).toEqual([0, MANY - 50]);
    });
  });

  it('that was deleted leaves no delivery', async () => {
    const { id } = await sender.webhook(endpoint.url);
    for (let number = 0; number < 250; number++) await sender.add(`occasion ${number}`);
    await sender.service(WebhooksService).delete(1, id);
    await sender.send(now);
    const count = async (table: string) =>
      Number((await sender.database.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);
    expect([await count('webhook_deliveries'), await count('webhooks')]).toEqual([0, 0]);
    expect(endpoint.posted).toEqual([]);
  });

  it('has at most 1,000 waiting deliveries; others fail at once', async () => {
    const { id } = await sender.webhook(endpoint.url);
    const row = (number: number) =>
      `(${id}, 'old ${number}', 'alert', 'waiting', ${now + DAY_MS}, 0, 0, '[]', '{"a":1}')`;
    const insert = (rows: string[]) =>
      sender.database.execute(
        `INSERT INTO webhook_deliveries (webhook_id, occasion, event, state, due_at, attempts, created_at, answers, body)
        VALUES ${rows.join(', ')}`,
        [],
      );
    await insert(Array.from({ length: 999 }, (_, number) => row(number)));
    await sender.add('last');
    await sender.add('too many');
    const [refused, last] = await sender.deliveries(id);
    expect([refused, last]).toMatchObject([
      { state: 'failed', attempts: 0, last_error: 'there were 1,000 waiting deliveries already' },
      { state: 'waiting' },
    ]);
    expect((await sender.delivery(id, Number(refused!.id))).body).toBe(`{"id":"${refused!.id}"}`);
    const deliveries = sender.service(DeliveriesService);
    await sender.database.execute("UPDATE webhook_deliveries SET size_bytes = ? WHERE occasion = 'old 1'", [
      MOST_BYTES,
    ]);
    for (let test = 0; test < 9; test++)
      expect(await deliveries.test(1, id)).toMatchObject({ state: 'waiting' });
    await insert([row(1000)]);
    await expect(deliveries.test(1, id)).rejects.toMatchObject({ code: 'conflict' });
    await sender.database.execute("DELETE FROM webhook_deliveries WHERE state = 'waiting'", []);
    await expect(deliveries.sendAgain(1, id, Number(refused!.id))).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('has at most 16 MiB of waiting deliveries; others fail at once', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('fits');
    await sender.database.execute('UPDATE webhook_deliveries SET size_bytes = ?', [MOST_BYTES - 3000]);
    await sender.add('large', { content: { text: 'x'.repeat(3000) } });
    await sender.add('small');
    expect(await sender.deliveries(id)).toMatchObject([
      { state: 'waiting' },
      { state: 'failed', last_error: 'there were 16 MiB of waiting deliveries already' },
      { state: 'waiting' },
    ]);
    await sender.database.execute("UPDATE webhook_deliveries SET body = ? WHERE state = 'failed'", [
      `{"a":"${'x'.repeat(3000)}"}`,
    ]);
    const [, failed] = await sender.deliveries(id);
    await expect(
      sender.service(DeliveriesService).sendAgain(1, id, Number(failed!.id)),
    ).rejects.toMatchObject({
      code: 'conflict',
      detail: 'The webhook has 16 MiB of waiting deliveries already.',
    });
  });

  it('keeps the latest 16 MiB of its deliveries that ended', async () => {
    await sender.webhook(endpoint.url);
    for (let number = 0; number < 25; number++) await sender.add(`occasion ${number}`);
    await sender.send(now);
    const sizes = async () =>
      sender.database.query<{ size: number }[]>(
        'SELECT size_bytes AS size FROM webhook_deliveries ORDER BY id',
        [],
      );
    await sender.database.execute('UPDATE webhook_deliveries SET size_bytes = ?', [MOST_BYTES / 4]);
    await sender.add('twenty go');
    expect(await sizes()).toHaveLength(6);
    await sender.add('one goes');
    expect(await sizes()).toHaveLength(6);
    await sender.add('none goes');
    expect(await sizes()).toHaveLength(7);
  });

  it('keeps its latest 2,000 deliveries that ended; an addition removes at most 20', async () => {
    const { id } = await sender.webhook(endpoint.url);
    const { id: other } = await sender.webhook(endpoint.url, {}, 2);
    const insert = (webhookId: number, first: number, state: string, count: number) => {
      const rows = Array.from(
        { length: count },
        (_, index) =>
          `(${first + index}, ${webhookId}, '${first + index}', 'alert', '${state}', ${now}, 0, 0, ${now}, '[]', '{"a":1}')`,
      );
      return sender.database.execute(
        `INSERT INTO webhook_deliveries (id, webhook_id, occasion, event, state, due_at, attempts, created_at, ended_at, answers, body)
        VALUES ${rows.join(', ')}`,
        [],
      );
    };
    await insert(other, 1, 'failed', 5);
    await insert(id, 101, 'waiting', 5);
    await insert(id, 201, 'delivered', 1000);
    await insert(id, 1201, 'failed', 1025);
    const left = async (webhookId: number) => {
      const rows = await sender.database.query<{ id: number | string }[]>(
        'SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY id',
        [webhookId],
      );
      return rows.map((row) => Number(row.id));
    };
    await sender.add('one');
    expect((await left(id)).slice(0, 6)).toEqual([101, 102, 103, 104, 105, 221]);
    for (const occasion of ['two', 'two', 'three']) await sender.add(occasion);
    const ids = await left(id);
    expect([ids.slice(0, 6), ids.length]).toEqual([[101, 102, 103, 104, 105, 226], 5 + 2000 + 3]);
    expect(await left(other)).toHaveLength(5);
  });
});

describe('an ended delivery', () => {
  it('is sent again on request, with the same id and text and its attempts from the start', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    await sender.send(now);
    const [delivery] = await sender.deliveries(id);
    const again = await sender.service(DeliveriesService).sendAgain(1, id, Number(delivery!.id));
    expect(again).toMatchObject({ state: 'waiting', attempts: 0, ended_at: null, last_status: null });
    await expect(
      sender.service(DeliveriesService).sendAgain(1, id, Number(delivery!.id)),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    await sender.send(now);
    expect(endpoint.posted.map(({ body }) => body)).toEqual(Array(2).fill(endpoint.posted[0]!.body));
    const { answers, attempts } = await sender.delivery(id, Number(delivery!.id));
    expect([attempts, answers.length]).toEqual([1, 2]);
  });

  it('keeps its last 20 answers', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    const [delivery] = await sender.deliveries(id);
    endpoint.answer = (response) => response.end(String(endpoint.posted.length));
    for (let time = 0; time < 22; time++) {
      await sender.send(now);
      await sender.service(DeliveriesService).sendAgain(1, id, Number(delivery!.id));
    }
    const { answers } = await sender.delivery(id, Number(delivery!.id));
    expect(answers.map(({ answer }) => Number(answer))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 3),
    );
  });

  it('has the size of its text and its answers', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one', { content: { text: 'Grüße 🙂' } });
    const sizes = () =>
      sender.database.query<Record<'size' | 'bytes', number>[]>(
        'SELECT size_bytes AS size, OCTET_LENGTH(body) + OCTET_LENGTH(answers) AS bytes FROM webhook_deliveries WHERE webhook_id = ?',
        [id],
      );
    for (const answer of ['ü', '"']) {
      const [row] = await sizes();
      expect([row!.size, row!.size > 100]).toEqual([Number(row!.bytes), true]);
      endpoint.answer = (response) => response.writeHead(500).end(answer.repeat(900));
      await sender.send(now + endpoint.posted.length * 10 * MINUTE_MS);
    }
    const [row] = await sizes();
    expect([row!.size, row!.size > 2800]).toEqual([Number(row!.bytes), true]);
  });

  it('is kept for 30 days; one that waits stays', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    await sender.send(now);
    failWith(500);
    await sender.add('two');
    await sender.send(now);
    await sender.service(Housekeeping).tidy(now + 29 * DAY_MS);
    expect(await sender.states(id)).toEqual(['waiting', 'delivered']);
    await sender.service(Housekeeping).tidy(now + 31 * DAY_MS);
    expect(await sender.states(id)).toEqual(['waiting']);
  });
});

describe('a slow endpoint', () => {
  /** The posts that wait for their answer. */
  let open: (() => void)[];
  let most: number;
  beforeEach(() => {
    open = [];
    most = 0;
    endpoint.answer = (response) => {
      open.push(() => response.end());
      most = Math.max(most, open.length);
    };
  });
  const answerAll = () => open.splice(0).forEach((answer) => answer());

  it('gets one delivery at a time, and a user two', async () => {
    for (let webhook = 0; webhook < 3; webhook++) await sender.webhook(endpoint.url);
    for (let number = 0; number < 3; number++) await sender.add(`occasion ${number}`);
    const sending = sender.send(now);
    const answering = setInterval(answerAll, 50);
    await sending;
    clearInterval(answering);
    expect([endpoint.posted.length, most]).toEqual([9, 2]);
  });

  it('does not keep others waiting, however many deliveries it has', async () => {
    const fast = await Endpoint.start();
    for (let user = 1; user < USERS; user++) {
      for (let webhook = 0; webhook < 3; webhook++) await sender.webhook(endpoint.url, {}, user);
      for (let number = 0; number < 5; number++) await sender.add(`occasion ${number}`, { userId: user });
    }
    await sender.database.execute('UPDATE webhooks SET is_slow = 1', []);
    await sender.webhook(fast.url, {}, USERS);
    await sender.add('fast', { userId: USERS });
    const sending = sender.send(now);
    await until(() => fast.posted.length === 1 && open.length === 10);
    const answering = setInterval(answerAll, 5);
    await sending;
    clearInterval(answering);
    expect(endpoint.posted).toHaveLength((USERS - 1) * 3 * 5);
    fast.close();
  });
});

describe('a webhook that fails again and again', () => {
  const FAILURES = 5;
  const AT_ONCE = 4;
  const pausedUntil = async (id: number): Promise<number | null> => {
    const [row] = await sender.database.query<{ paused_until: number | string | null }[]>(
      'SELECT paused_until FROM webhooks WHERE id = ?',
      [id],
    );
    return row!.paused_until === null ? null : Number(row!.paused_until);
  };
  const addMany = async (count: number, from = 0) => {
    for (let number = from; number < from + count; number++) await sender.add(`occasion ${number}`);
  };

  it('gets one delivery after growing pauses, and the others wait behind it', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(20);
    failWith(500);
    await sender.send(now);
    expect(endpoint.posted).toHaveLength(FAILURES);
    let at = now;
    for (const [index, minutes] of [1, 5, 15, 60, 60, 60].entries()) {
      const until = (await pausedUntil(id))!;
      expect(until).toBeGreaterThanOrEqual(at + minutes * MINUTE_MS);
      for (const { state, next_attempt_at: next } of await sender.deliveries(id)) {
        expect(state).toBe('waiting');
        expect(Date.parse(next!)).toBeGreaterThanOrEqual(until);
      }
      await sender.send(until - 1000);
      expect(endpoint.posted).toHaveLength(FAILURES + index);
      await sender.add(`new ${index}`);
      await sender.send(until - 1000);
      expect(endpoint.posted).toHaveLength(FAILURES + index);
      await sender.send(until);
      expect(endpoint.posted).toHaveLength(FAILURES + index + 1);
      at = until;
    }
  });

  it('gets the rest at once after a success, also what was to be tried again later', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(20);
    failWith(500);
    await sender.send(now);
    await sender.send((await pausedUntil(id))!);
    endpoint.answer = (response) => response.end('ok');
    await sender.send((await pausedUntil(id))!);
    expect([await sender.states(id), sender.logs]).toEqual([Array(20).fill('delivered'), []]);
    expect(await pausedUntil(id)).toBeNull();
    failWith(500);
    await sender.add('later');
    await sender.send(now + DAY_MS / 2);
    expect([await sender.states(id), await pausedUntil(id)]).toMatchObject([{ 0: 'waiting' }, null]);
  });

  it('is tried at once after failures by a clock that was ahead', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now + (DAY_MS * 5) / 6);
    expect(endpoint.posted).toHaveLength(FAILURES);
    endpoint.answer = (response) => response.end('ok');
    await sender.add('later');
    await sender.send(now);
    expect([await sender.states(id), await pausedUntil(id)]).toEqual([Array(11).fill('delivered'), null]);
  });

  it('keeps no delivery longer than a day, though a clock was ahead when it was added', async () => {
    await sender.webhook(endpoint.url);
    await addMany(10);
    await sender.database.execute('UPDATE webhook_deliveries SET expires_at = ?', [now + 365 * DAY_MS]);
    failWith(500);
    await sender.send(now);
    const [{ latest }] = await sender.database.query<[{ latest: number | string }]>(
      'SELECT MAX(expires_at) AS latest FROM webhook_deliveries',
    );
    expect(Number(latest)).toBeLessThan(now + DAY_MS + MINUTE_MS);
  });

  it('gets what its owner asks for at once: a test, and what is sent again', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    const test = await sender.service(DeliveriesService).test(1, id);
    await sender.send(now);
    expect(endpoint.posted.slice(FAILURES).map(({ headers }) => headers['milepost-delivery'])).toEqual([
      String(test.id),
    ]);
    const [last] = await sender.database.query<{ id: number }[]>(
      "SELECT MIN(id) AS id FROM webhook_deliveries WHERE state = 'waiting'",
    );
    await sender.database.execute("UPDATE webhook_deliveries SET state = 'failed' WHERE id = ?", [last!.id]);
    await sender.service(DeliveriesService).sendAgain(1, id, Number(last!.id));
    endpoint.answer = (response) => response.end('ok');
    await sender.send(now);
    expect(endpoint.posted[FAILURES + 1]!.headers['milepost-delivery']).toBe(String(last!.id));
    expect(await sender.states(id)).toEqual(Array(11).fill('delivered'));
  });

  it('gets all that its owner asks for together, in this order, and nothing else before the end of the pause', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    const deliveries = sender.service(DeliveriesService);
    const [first] = (await sender.deliveries(id)).reverse();
    await sender.database.execute("UPDATE webhook_deliveries SET state = 'failed' WHERE id = ?", [first!.id]);
    const asked: WholeDeliveryView[] = [];
    for (const ask of ['test', 'again', 'test']) {
      asked.push(
        ask === 'test' ? await deliveries.test(1, id) : await deliveries.sendAgain(1, id, Number(first!.id)),
      );
      // Those of one millisecond are tried in the order of their ids.
      await sleep(2);
    }
    const listed = new Map((await sender.deliveries(id)).map((delivery) => [delivery.id, delivery]));
    for (const delivery of asked)
      expect([delivery.next_attempt_at, Date.parse(delivery.next_attempt_at!) < now]).toEqual([
        listed.get(delivery.id)!.next_attempt_at,
        true,
      ]);
    await sender.send(now);
    await sender.send((await pausedUntil(id))! - 1000);
    const posted = endpoint.posted.slice(FAILURES).map(({ headers }) => headers['milepost-delivery']);
    expect(posted).toEqual(asked.map((delivery) => String(delivery.id)));
    const next = (await sender.deliveries(id)).map((delivery) => Date.parse(delivery.next_attempt_at!));
    for (const moment of next) expect(moment).toBeGreaterThanOrEqual((await pausedUntil(id))!);
  });

  it('goes on with its pause after a failure of what its owner asked for, however often', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    const end = (await pausedUntil(id))!;
    const deliveries = sender.service(DeliveriesService);
    const [first] = (await sender.deliveries(id)).reverse();
    await sender.database.execute("UPDATE webhook_deliveries SET state = 'failed' WHERE id = ?", [first!.id]);
    const ask = [
      ...Array.from({ length: 4 }, () => () => deliveries.test(1, id)),
      () => deliveries.sendAgain(1, id, Number(first!.id)),
    ];
    for (const [index, asked] of ask.entries()) {
      expect(Date.parse((await asked()).next_attempt_at!)).toBeLessThan(now);
      await sender.send(now);
      expect([endpoint.posted.length, await pausedUntil(id)]).toEqual([FAILURES + index + 1, end]);
    }
    const waiting = (await sender.deliveries(id)).filter(({ attempts }) => attempts === 0);
    expect(waiting.map(({ next_attempt_at: next }) => Date.parse(next!))).toEqual(Array(5).fill(end));
    await sender.send(end);
    expect(endpoint.posted).toHaveLength(FAILURES + ask.length + 1);
    expect((await pausedUntil(id))! - end).toBeGreaterThanOrEqual(5 * MINUTE_MS);
    expect((await pausedUntil(id))! - end).toBeLessThan(15 * MINUTE_MS);
  });

  it('gets what its owner asked for again at once, if its process ended meanwhile', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    endpoint.answer = () => undefined;
    await sender.service(DeliveriesService).test(1, id);
    // It looks for others after the stop.
    const sending = sender.send(now).catch(() => undefined);
    await until(() => endpoint.posted.length === FAILURES + 1);
    await sender.stop();
    await sending;
    // Within the pause, and after the moment at which the other process stopped.
    const later = now + MINUTE_MS / 2;
    sender = await startSender({ DATABASE_URL: fresh.url });
    await endLeases(sender);
    failWith(500);
    await sender.send(later);
    expect(endpoint.posted).toHaveLength(FAILURES + 2);
    await sender.database.execute(
      `UPDATE webhook_deliveries SET state = 'sending', asked = 1, owner = 'gone', due_at = 1 WHERE event = 'test'`,
      [],
    );
    await sender.send(later);
    expect(endpoint.posted).toHaveLength(FAILURES + 3);
    expect((await sender.deliveries(id))[0]).toMatchObject({ event: 'test', attempts: 3 });
  });

  it('is tried at once with another address', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    const other = await Endpoint.start();
    await sender.service(WebhooksService).update(1, id, { url: other.url });
    await sender.send(now);
    expect([endpoint.posted.length, other.posted.length]).toEqual([FAILURES, 10 - FAILURES]);
    other.close();
  });

  it('gains no turn by another address: its user waits as before, for a place among the slow ones', async () => {
    const { id } = await sender.webhook(endpoint.url);
    const { id: unused } = await sender.webhook(endpoint.url, { events: ['report'] });
    const turns = () =>
      sender.database.query('SELECT served_at > 0 AS served, is_slow FROM webhooks ORDER BY id', []);
    await sender.add('one');
    await sender.send(now);
    for (const one of [id, unused])
      await sender.service(WebhooksService).update(1, one, { url: `${endpoint.url}other` });
    expect(await turns()).toEqual([
      { served: 1, is_slow: 1 },
      { served: 0, is_slow: 0 },
    ]);
    await sender.add('two');
    await sender.send(now);
    expect(await turns()).toMatchObject([{ served: 1, is_slow: 0 }, {}]);
  });

  it('pauses also after a restart and in other processes', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    await sender.stop();
    sender = await startSender({ DATABASE_URL: fresh.url });
    await sender.send(now + MINUTE_MS / 2);
    expect(endpoint.posted).toHaveLength(FAILURES);
    await sender.send((await pausedUntil(id))!);
    expect(endpoint.posted).toHaveLength(FAILURES + 1);
  });

  it('keeps a delivery for a day, and what is sent again for another', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    await sender.send(Date.now() + DAY_MS - MINUTE_MS);
    expect(new Set(await sender.states(id))).toEqual(new Set(['waiting']));
    const later = Date.now() + DAY_MS + MINUTE_MS;
    await sender.database.execute('UPDATE webhooks SET paused_until = ?', [later + MINUTE_MS]);
    const posted = endpoint.posted.length;
    await sender.send(later);
    const all = await sender.deliveries(id);
    expect(endpoint.posted).toHaveLength(posted);
    for (const one of all)
      expect(one).toMatchObject({
        state: 'failed',
        last_error: 'the endpoint still failed 24 hours later',
        ended_at: expect.any(String),
      });
    await sender.database.execute('UPDATE webhook_deliveries SET expires_at = 1', []);
    await sender.service(DeliveriesService).sendAgain(1, id, Number(all[0]!.id));
    await sender.send(now);
    expect((await sender.states(id))[0]).toBe('waiting');
  });

  it('that is deleted or disabled leaves nothing that waits', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await addMany(10);
    failWith(500);
    await sender.send(now);
    await sender.service(WebhooksService).update(1, id, { enabled: 0 });
    expect(new Set(await sender.states(id))).toEqual(new Set(['failed']));
    await sender.service(WebhooksService).update(1, id, { enabled: 1 });
    await sender.add('after that');
    endpoint.answer = (response) => response.end('ok');
    await sender.send(now);
    expect((await sender.states(id))[0]).toBe('delivered');
  });

  it('takes few places, however many such webhooks there are: others are served at once', async () => {
    const open = new Set<ServerResponse>();
    let most = 0;
    endpoint.answer = (response) => {
      open.add(response);
      most = Math.max(most, open.size);
      response.on('close', () => open.delete(response));
    };
    const dead = Array.from(
      { length: 1000 },
      (_, index) =>
        `(${100 + index}, ${1000 + Math.floor(index / 20)}, '${endpoint.url}', 'alert', 1, 1, 1, ${index}, 1, ${FAILURES}, 0, 0)`,
    );
    await sender.database.execute(
      `INSERT INTO webhooks (id, user_id, url, events, enabled, generation, due_at, served_at, is_slow, failures, created_at, updated_at)
      VALUES ${dead.join(', ')}`,
      [],
    );
    const waiting = dead.map(
      (_, index) => `(${100 + index}, 'old', 'alert', 'waiting', 1, ${now + DAY_MS}, 0, 0, '[]', '{"a":1}')`,
    );
    await sender.database.execute(
      `INSERT INTO webhook_deliveries (webhook_id, occasion, event, state, due_at, expires_at, attempts, created_at, answers, body)
      VALUES ${waiting.join(', ')}`,
      [],
    );
    const healthy = await Endpoint.start();
    const { id } = await sender.webhook(healthy.url);
    await addMany(30);
    const sending = sender.send(now);
    await until(async () => (await sender.states(id)).every((state) => state === 'delivered'));
    await until(() => open.size === AT_ONCE);
    expect([healthy.posted.length, most]).toEqual([30, AT_ONCE]);
    endpoint.answer = (response) => response.socket!.destroy();
    await sender.database.execute('UPDATE webhooks SET due_at = NULL WHERE user_id >= 1000', []);
    for (const response of open) response.socket!.destroy();
    await sending;
    healthy.close();
  });

  it('has turns of its user: many new ones that never answer do not keep the one of another user waiting', async () => {
    const UNPROVEN = 13;
    const open = new Set<ServerResponse>();
    let [most, ended] = [0, 0];
    endpoint.answer = (response) => {
      most = Math.max(most, open.add(response).size);
      response.on('close', () => open.delete(response) && ended++);
    };
    for (let user = 1; user < USERS; user++) {
      for (let webhook = 0; webhook < 5; webhook++) await sender.webhook(endpoint.url, {}, user);
      await sender.add('one', { userId: user });
    }
    const healthy = await Endpoint.start();
    let endedBefore: number | undefined;
    healthy.answer = (response) => {
      endedBefore = ended;
      response.end('ok');
    };
    await sender.webhook(healthy.url, {}, USERS);
    await sender.add('one', { userId: USERS });
    const sending = sender.send(now);
    await until(() => endedBefore !== undefined && open.size + ended >= UNPROVEN);
    expect(endedBefore).toBe(0);
    expect(most).toBeLessThanOrEqual(UNPROVEN);
    endpoint.answer = (response) => response.end('ok');
    for (const response of open) response.end('ok');
    await sending;
    healthy.close();
  });
});

describe('a delivery about a website that is deleted', () => {
  const deleteSite = () => sender.service(WebsitesService).delete(1, SITE.id);
  const GONE = { state: 'failed', last_error: 'the website was deleted', ended_at: expect.any(String) };

  it('is not sent any more, and fails at the next look, whenever it was due', async () => {
    const { id } = await sender.webhook(endpoint.url);
    failWith(500);
    await sender.add('one');
    await sender.add('two');
    await sender.send(now);
    await sender.service(DeliveriesService).test(1, id);
    await deleteSite();
    endpoint.answer = (response) => response.end('ok');
    await sender.send(now);
    expect(endpoint.posted).toHaveLength(3);
    const [test, ...others] = await sender.deliveries(id);
    expect([test, ...others]).toMatchObject([{ event: 'test', state: 'delivered' }, GONE, GONE]);
    await expect(
      sender.service(DeliveriesService).sendAgain(1, id, Number(others[0]!.id)),
    ).rejects.toMatchObject({
      code: 'conflict',
      detail: 'The website of the delivery was deleted.',
    });
  });

  it('is not sent either if it is added by what began before', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await deleteSite();
    await sender.database.execute('DELETE FROM deleted_websites', []);
    await sender.add('late');
    await sender.send(now);
    expect([endpoint.posted, await sender.deliveries(id)]).toMatchObject([[], [GONE]]);
  });

  it('is not tried again if that happens while it is sent', async () => {
    const { id } = await sender.webhook(endpoint.url);
    await sender.add('one');
    endpoint.answer = (response) => void deleteSite().then(() => response.writeHead(500).end());
    await sender.send(now);
    expect(await sender.deliveries(id)).toMatchObject([{ ...GONE, attempts: 1, last_status: 500 }]);
  });
});

describe('the version of a list', () => {
  it('is another after each change of a delivery, at once or in turn, and after a removal', async () => {
    const { id } = await sender.webhook(endpoint.url);
    const versions = new Set<string>();
    const version = async () =>
      JSON.stringify(await sender.service(DeliveriesService).version(1, id, { page: 1, per_page: 10 }));
    const expectAnother = async () => {
      const next = await version();
      expect([next, versions.has(next)]).toEqual([await version(), false]);
      versions.add(next);
    };
    await expectAnother();
    await sender.add('one');
    await expectAnother();
    await Promise.all(Array.from({ length: 5 }, (_, number) => sender.add(`at once ${number}`)));
    await expectAnother();
    failWith(500);
    await sender.send(now);
    await expectAnother();
    endpoint.answer = (response) => response.end('ok');
    await sender.send(now + 2 * MINUTE_MS);
    await expectAnother();
    const [last] = await sender.deliveries(id);
    await sender.service(DeliveriesService).sendAgain(1, id, Number(last!.id));
    await expectAnother();
    await sender.service(WebhooksService).update(1, id, { enabled: 0 });
    await expectAnother();
    await sender.service(Housekeeping).tidy(now + 31 * DAY_MS);
    expect(await sender.deliveries(id)).toEqual([]);
    await expectAnother();
  });
});

it('two processes send each delivery once', async () => {
  const other = await startSender({ DATABASE_URL: fresh.url });
  const ids: number[] = [];
  for (let user = 1; user <= USERS; user++) ids.push((await sender.webhook(endpoint.url, {}, user)).id);
  for (let number = 0; number < 5; number++)
    for (let user = 1; user <= USERS; user++) await sender.add(`occasion ${number}`, { userId: user });
  const compete = async (one: Sender) => {
    for (let round = 0; round < 8; round++) {
      await one.database.execute("UPDATE leases SET expires_at = 0 WHERE name = 'webhooks'", []);
      await one.send(now);
    }
  };
  await Promise.all([compete(sender), compete(other)]);
  await other.stop();
  const delivered = endpoint.posted.map(({ headers }) => headers['milepost-delivery']);
  expect([delivered.length, new Set(delivered).size]).toEqual([5 * USERS, 5 * USERS]);
});

it('the claims of a process that ended are put back once they are over', async () => {
  const { id } = await sender.webhook(endpoint.url);
  await sender.add('one');
  await sender.database.execute(
    "UPDATE webhook_deliveries SET state = 'sending', owner = 'gone', due_at = ?",
    [now + MINUTE_MS],
  );
  await sender.send(now);
  expect(await sender.states(id)).toEqual(['sending']);
  await sender.send(now + 2 * MINUTE_MS);
  expect(await sender.deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
});

it('a claim by a clock that was ahead is put back', async () => {
  const { id } = await sender.webhook(endpoint.url);
  await sender.add('one');
  await sender.database.execute(
    "UPDATE webhook_deliveries SET state = 'sending', owner = 'gone', due_at = ?",
    [now + 2 * DAY_MS],
  );
  await sender.send(now);
  expect(await sender.deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
});

it('the eighth attempt fails too if its process ends', async () => {
  const { id } = await sender.webhook(endpoint.url);
  await sender.add('one');
  await sender.database.execute(
    "UPDATE webhook_deliveries SET state = 'sending', owner = 'gone', attempts = 7, due_at = ?",
    [now - MINUTE_MS],
  );
  await sender.send(now);
  expect(await sender.deliveries(id)).toMatchObject([
    { state: 'failed', attempts: 8, last_error: 'the service ended before the answer' },
  ]);
  expect(endpoint.posted).toEqual([]);
  expect(sender.logs).toEqual([expect.stringContaining('1 deliveries of a process that ended have failed')]);
});

it('an outcome is stored later after any error, and the post is not repeated', async () => {
  const { id } = await sender.webhook(endpoint.url);
  await sender.add('one');
  await sender.add('two');
  endpoint.answer = (response) => {
    const { database } = sender;
    const write = database.write.bind(database);
    database.write = () => {
      database.write = write;
      return Promise.reject(new Error('unknown'));
    };
    endpoint.answer = (next) => next.end();
    response.end();
  };
  await sender.send(now);
  expect([await sender.states(id), sender.logs]).toEqual([['delivered', 'delivered'], []]);
  expect(endpoint.posted).toHaveLength(2);
});

it('an outcome that comes after the end of its claim is not stored, and the log says so', async () => {
  const { id } = await sender.webhook(endpoint.url);
  await sender.add('one');
  endpoint.answer = (response) =>
    void sender.database
      .execute("UPDATE webhook_deliveries SET owner = 'another'", [])
      .then(() => response.end());
  await sender.send(now);
  expect(await sender.states(id)).toEqual(['sending']);
  expect(sender.logs).toEqual([expect.stringContaining('its claim had ended')]);
});

if (engine === 'server')
  it('a claim whose commit got no answer is put back at once, and counts as no attempt', async () => {
    const proxy = await DatabaseProxy.start(fresh.url);
    const behind = await startSender({ DATABASE_URL: proxy.url });
    const { id } = await behind.webhook(endpoint.url);
    await behind.add('one');
    const lost = proxy.loseAnswerTo(
      (statement, previous) => statement === 'COMMIT' && previous.includes('SET due_at = COALESCE'),
    );
    await expect(behind.send(now)).rejects.toThrow();
    await lost;
    expect(await sender.states(id)).toEqual(['sending']);
    await behind.send(now);
    expect(await sender.deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    expect(endpoint.posted).toHaveLength(1);
    await behind.stop();
    await proxy.stop();
  });

if (engine === 'server')
  it('an outcome that cannot be stored at once is stored later, and the post is not repeated', async () => {
    const proxy = await DatabaseProxy.start(fresh.url);
    const behind = await startSender({ DATABASE_URL: proxy.url });
    const { id } = await behind.webhook(endpoint.url);
    await behind.add('one');
    endpoint.answer = (response) => {
      proxy.delayMs = (statement) => (statement.includes('webhook') ? 30_000 : 0);
      proxy.cut();
      setTimeout(() => (proxy.delayMs = () => 0), 1500);
      response.end();
    };
    // It cannot look for others meanwhile.
    await behind.send(now).catch(() => undefined);
    await until(async () => (await sender.states(id))[0] === 'delivered');
    expect(endpoint.posted).toHaveLength(1);
    await behind.stop();
    await proxy.stop();
  });

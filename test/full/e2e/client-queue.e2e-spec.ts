import { randomUUID } from 'node:crypto';
import {
  type LostReason,
  Milepost,
  NoAnswer,
  ScopeTooNarrow,
  type ServerEvent,
} from '../../../clients/typescript/src/index';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { ClientTests, errorOf, eventOf } from '../../support/client-tests';
import { untilCounted } from '../../support/counted';
import { FIRST_KEY } from '../../support/test-app';
import { ROUNDED_MS, timeOfId } from '../../support/time-of-id';
import { until } from '../../support/until';

const tests = ClientTests.prepare();
const { front } = tests;

describe('a queue', () => {
  it('sends events in batches, each counted once though answers are lost and connections break', async () => {
    const id = await tests.websiteOf('queued.example');
    const batches: number[] = [];
    const url = await front.answer(async (request, response, number) => {
      const { status, text } = await front.forward(request);
      batches.push(JSON.parse(text).data.length);
      if (number % 3 === 1) response.destroy();
      else if (number % 3 === 2)
        response.writeHead(503, { 'Retry-After': '0' }).end('{"code":"overloaded","status":503}');
      else response.writeHead(status).end(text);
    });
    const lost: unknown[] = [];
    const onLost = (events: ServerEvent[], reason: LostReason) => lost.push([events, reason]);
    const queue = new Milepost({ url, key: FIRST_KEY, retries: 0 }).queue(id, { onLost, delayMs: 10 });
    for (let number = 0; number < 1200; number++)
      expect(queue.add(eventOf('queued.example', number))).toBe(true);
    while (queue.size > 0) await queue.flush().catch(() => undefined);
    await queue.close();
    expect(Math.max(...batches)).toBe(500);
    expect(lost).toEqual([]);
    expect(await tests.pageviews(id)).toBe(1200);
  });

  it('sends by itself, and again after a failure', async () => {
    const id = await tests.websiteOf('by-itself.example');
    const url = await front.answer(async (request, response, number) => {
      if (number === 1) return void response.destroy();
      const { status, text } = await front.forward(request);
      response.writeHead(status).end(text);
    });
    const queue = new Milepost({ url, key: FIRST_KEY }).queue(id, { delayMs: 10 });
    queue.add(eventOf('by-itself.example', 1));
    await until(() => queue.size === 0);
    expect(await tests.pageviews(id)).toBe(1);
    await queue.close();
  });

  it('is bounded in events and bytes, and says what is lost', async () => {
    const id = await tests.websiteOf('bounded.example');
    const lost: [number, unknown][] = [];
    const onLost = (events: ServerEvent[], reason: LostReason) => lost.push([events.length, reason]);
    const small = tests.milepost.queue(id, { maxEvents: 2, onLost, delayMs: 60_000 });
    const added = [1, 2, 3].map((number) => small.add(eventOf('bounded.example', number)));
    expect(added).toEqual([true, true, false]);
    await small.close();
    expect(small.add(eventOf('bounded.example', 4))).toBe(false);
    const short = tests.milepost.queue(id, { maxBytes: 1000, onLost, delayMs: 60_000 });
    expect(short.add(eventOf('bounded.example', 'é'.repeat(400)))).toBe(false);
    const circle: { self?: object } = {};
    circle.self = circle;
    expect(short.add({ ...eventOf('bounded.example', 5), title: circle as never })).toBe(false);
    expect(short.add(eventOf('bounded.example', 5))).toBe(true);
    short.add(eventOf('elsewhere.example', 6));
    await short.close();
    expect(lost).toEqual([
      [1, 'full'],
      [1, 'closed'],
      [1, 'full'],
      [1, expect.any(TypeError)],
      [1, expect.objectContaining({ status: 'rejected' })],
    ]);
    expect(await tests.pageviews(id)).toBe(3);
  });

  it('loses at once what can never be sent, and keeps what may be sent later', async () => {
    const key = await tests.service.app
      .get(ApiKeysService)
      .create(1, { name: 'r', scope: 'read', expiresAt: null });
    const lost: unknown[] = [];
    const reader = new Milepost({ url: tests.service.address, key });
    const refused = reader.queue(1, { onLost: (_, reason) => lost.push(reason), delayMs: 60_000 });
    refused.add(eventOf('bounded.example', 1));
    await refused.flush();
    expect(lost).toEqual([expect.any(ScopeTooNarrow)]);
    expect(refused.size).toBe(0);
    const nowhere = new Milepost({ url: 'http://127.0.0.1:1' });
    const waiting = nowhere.queue(1, { onLost: (_, reason) => lost.push(reason), delayMs: 60_000 });
    waiting.add(eventOf('bounded.example', 1));
    expect(await errorOf(waiting.flush())).toBeInstanceOf(NoAnswer);
    expect(waiting.size).toBe(1);
    expect(await errorOf(waiting.close())).toBeInstanceOf(NoAnswer);
    expect([waiting.size, lost[1]]).toEqual([0, expect.any(NoAnswer)]);
    await refused.close();
  });

  it('sends an event as it was added, whatever becomes of its parts', async () => {
    const id = await tests.websiteOf('changed.example');
    const queue = tests.milepost.queue(id, { delayMs: 60_000 });
    const props: Record<string, unknown> = { plan: 'team' };
    queue.add({ ...eventOf('changed.example', 1), event: { name: 'signup', props: props as never } });
    props.plan = props;
    await queue.close();
    await untilCounted(tests.service.api, id);
    const { data } = await tests.milepost.stats.query(id, {
      metrics: ['events'],
      dimensions: ['event_property:plan'],
      range: '7d',
    });
    expect(data).toEqual([{ 'event_property:plan': 'team', events: 1 }]);
  });

  it('loses what a proxy never lets through, and keeps what it may let through later', async () => {
    const lost: LostReason[] = [];
    const statuses = [408, 502, 413];
    const url = await front.answer(
      (_, response, number) => void response.writeHead(statuses[number - 1]!).end(),
    );
    const options = { delayMs: 60_000, onLost: (_: unknown, reason: LostReason) => void lost.push(reason) };
    const queue = new Milepost({ url, key: FIRST_KEY }).queue(1, options);
    queue.add(eventOf('large.example', 1));
    for (const status of [408, 502]) {
      expect(await errorOf(queue.flush())).toMatchObject({ status });
      expect(queue.size).toBe(1);
    }
    await queue.flush();
    expect([queue.size, lost]).toEqual([0, [expect.objectContaining({ status: 413 })]]);
    await queue.close();
  });

  it('lets a caller of flush go, while it goes on', async () => {
    const reason = new Error('enough');
    const id = await tests.websiteOf('slow.example');
    let answer = () => {};
    const released = new Promise<void>((resolve) => (answer = resolve));
    const url = await front.answer(async (request, response) => {
      const { status, text } = await front.forward(request);
      await released;
      response.writeHead(status).end(text);
    });
    const queue = new Milepost({ url, key: FIRST_KEY }).queue(id, { delayMs: 60_000 });
    queue.add(eventOf('slow.example', 1));
    expect(await errorOf(queue.flush({ signal: AbortSignal.timeout(1) }))).toMatchObject({
      name: 'TimeoutError',
    });
    expect(await errorOf(queue.flush({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(queue.size).toBe(1);
    answer();
    await queue.close();
    expect(await tests.pageviews(id)).toBe(1);
  });

  it('gives events ids that begin with a rounded time', async () => {
    const ids: string[] = [];
    const onLost = (events: ServerEvent[]) => events.forEach((event) => ids.push(event.id));
    const queue = tests.milepost.queue(1, { maxEvents: 0, onLost });
    const before = Date.now();
    for (let number = 0; number < 100; number++) queue.add(eventOf('own.example', number));
    const after = Date.now();
    await queue.close();
    expect(new Set(ids).size).toBe(100);
    // The digits for milliseconds are random.
    expect(new Set(ids.map((id) => id.slice(10, 13))).size).toBeGreaterThan(50);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      expect(timeOfId(id)).toBeGreaterThan(before - ROUNDED_MS);
      expect(timeOfId(id)).toBeLessThanOrEqual(after);
    }
  });

  it('of a page needs no key, and sends one event at a time', async () => {
    const { id } = (await tests.milepost.websites.create({ domain: 'own.example', exclude_bots: false }))
      .data;
    const page = new Milepost({ url: tests.service.address }).pageQueue({ delayMs: 60_000 });
    const event = { url: 'https://own.example/a', id: randomUUID() };
    page.add(event);
    page.add(event);
    page.add({ url: 'https://own.example/b' });
    await page.close();
    expect(await tests.pageviews(id)).toBe(2);
    await tests.milepost.websites.update(id, { exclude_bots: true });
    expect(await tests.milepost.events.sendOwn(event)).toEqual({ dropped: 'bot' });
  });
});

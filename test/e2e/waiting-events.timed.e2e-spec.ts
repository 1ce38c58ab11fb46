import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Overloaded, TooManyRequests } from '../../src/common/problem';
import { type Client, EventsService } from '../../src/intake/events.service';
import { CHROME } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { engine } from '../support/fresh-database';
import { startApp, type TestApp } from '../support/test-app';

const ANSWERED_WITHIN_MS = 2000;

let service: TestApp;
let websiteId: number;
let idOfAnother: number;
beforeAll(async () => {
  service = await startApp();
  websiteId = await registered(service.api, 'waiting.example');
  idOfAnother = await registered(await service.anotherUser(), 'another.example');
});
afterAll(() => service.stop());

async function registered(api: ApiClient, domain: string): Promise<number> {
  const { body } = await api.post('/api/v1/websites', { form: { domain } });
  return body.data.id as number;
}

/** Keeps every commit of events waiting until the returned function is called. */
async function holdUpCommits(): Promise<() => Promise<unknown>> {
  if (engine === 'sqlite') {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const writing = service.database.write(() => held);
    return () => {
      release();
      return writing;
    };
  }
  const { options } = service.database.writer as unknown as { options: Record<string, string> };
  const { database, host, port, username: user, password } = options;
  const connection = await createConnection({ database, host, port: Number(port), user, password });
  await connection.query('LOCK TABLES inbox WRITE');
  return () => connection.end();
}

const send = async () => {
  const sentAt = Date.now();
  const json = { url: 'https://waiting.example/' };
  const { status } = await service.api.post('/api/v1/events', { json, headers: { 'User-Agent': CHROME } });
  return { status, milliseconds: Date.now() - sentAt };
};

const client: Client = {
  address: '203.0.113.7',
  userAgent: CHROME,
  acceptLanguage: undefined,
  origin: undefined,
  asksNotToBeTracked: false,
};
/** Weighs 120 kB, at two bytes a character. */
const heavy = { url: 'https://waiting.example/', event: { name: 'n'.repeat(60_000) } };
const heavyOfAnother = { ...heavy, url: 'https://another.example/' };

/** Sends all at once; returns how many were refused for want of memory by the time that all others wait. */
async function refusedOf(times: number, send: () => Promise<unknown>) {
  const refused = { as429: 0, as503: 0 };
  const all = Array.from({ length: times }, () =>
    send().catch((error: unknown) => {
      if (error instanceof TooManyRequests) refused.as429++;
      else if (error instanceof Overloaded) refused.as503++;
      else throw error;
    }),
  );
  await sleep(200);
  return { refused, all: Promise.all(all) };
}

it('bounds the memory of events that wait, of one website and of all, by all of their texts', async () => {
  expect(await send()).toMatchObject({ status: 202 });
  const release = await holdUpCommits();
  const events = service.app.get(EventsService);
  // 24 MiB hold 209 of them, and the 8 MiB that are left for others 69.
  const ofOne = await refusedOf(500, () => events.accept(heavy, client));
  expect(ofOne.refused.as503).toBe(0);
  expect(ofOne.refused.as429).toBeGreaterThan(500 - 210);
  expect(ofOne.refused.as429).toBeLessThan(500 - 180);
  const ofAnother = await refusedOf(200, () => events.accept(heavyOfAnother, client));
  expect(ofAnother.refused.as429).toBe(0);
  expect(ofAnother.refused.as503).toBeGreaterThan(200 - 75);
  expect(ofAnother.refused.as503).toBeLessThan(200 - 50);
  await release();
  await Promise.all([ofOne.all, ofAnother.all]);
  expect(await send()).toMatchObject({ status: 202 });
});

it('keeps memory for browsers and for other users where one sends batches without waiting', async () => {
  const batchOf = (length: number, event: object) => ({
    events: Array.from({ length }, () => ({
      ...event,
      id: randomUUID(),
      ip: client.address,
      user_agent: CHROME,
    })),
  });
  const release = await holdUpCommits();
  const events = service.app.get(EventsService);
  const batches = await refusedOf(5, () => events.acceptBatch(1, websiteId, batchOf(40, heavy)));
  expect(batches.refused).toEqual({ as429: 4, as503: 0 });
  const others = await refusedOf(1, () => events.acceptBatch(2, idOfAnother, batchOf(60, heavyOfAnother)));
  const browsers = await refusedOf(200, () => events.accept(heavy, client));
  for (const { refused } of [others, browsers]) expect(refused).toEqual({ as429: 0, as503: 0 });
  await release();
  await Promise.all([batches.all, others.all, browsers.all]);
  expect(await send()).toMatchObject({ status: 202 });
});

it('answers those that wait in time', async () => {
  const release = await holdUpCommits();
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  await release();
  for (const { status, milliseconds } of answers) {
    expect(status).toBe(503);
    expect(milliseconds).toBeLessThan(ANSWERED_WITHIN_MS);
  }
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Overloaded } from '../../src/common/problem';
import { type Client, EventsService } from '../../src/intake/events.service';
import { CHROME } from '../support/agents';
import { engine } from '../support/fresh-database';
import { startApp, type TestApp } from '../support/test-app';

const ANSWERED_WITHIN_MS = 2000;

let service: TestApp;
let websiteId: number;
beforeAll(async () => {
  service = await startApp();
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'waiting.example' } });
  websiteId = body.data.id;
});
afterAll(() => service.stop());

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

/** Sends all at once; returns how many were refused for want of room by the time that all others wait. */
async function refusedOf(times: number, send: () => Promise<unknown>) {
  let refused = 0;
  const all = Array.from({ length: times }, () =>
    send().catch((error: unknown) => void (refused += Number(error instanceof Overloaded))),
  );
  await sleep(200);
  return { refused, all: Promise.all(all) };
}

it('refuses events beyond the memory for those that wait, by all of their texts', async () => {
  expect(await send()).toMatchObject({ status: 202 });
  const release = await holdUpCommits();
  const events = service.app.get(EventsService);
  // 32 MiB hold 279 of them.
  const { refused, all } = await refusedOf(700, () => events.accept(heavy, client));
  expect(refused).toBeGreaterThan(700 - 280);
  expect(refused).toBeLessThan(700 - 250);
  await release();
  await all;
  expect(await send()).toMatchObject({ status: 202 });
});

it('keeps room for browsers where batches take all that they may', async () => {
  const ofServer = () => ({ ...heavy, id: randomUUID(), ip: client.address, user_agent: CHROME });
  const release = await holdUpCommits();
  const events = service.app.get(EventsService);
  const batches = await refusedOf(5, () =>
    events.acceptBatch(1, websiteId, { events: Array.from({ length: 80 }, ofServer) }),
  );
  expect(batches.refused).toBe(4);
  const browsers = await refusedOf(200, () => events.accept(heavy, client));
  expect(browsers.refused).toBe(0);
  await release();
  await Promise.all([batches.all, browsers.all]);
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

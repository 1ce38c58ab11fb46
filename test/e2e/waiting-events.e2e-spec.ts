import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { ColumnStore } from '../../engine/columns/column-store';
import { MemoryBudget } from '../../engine/ground/memory/memory-budget';
import { Overloaded, TooManyRequests } from '../../engine/ground/errors';
import { OWN_PATIENCE, patience } from '../../engine/ground/time/patience';
import type { Client } from '../../src/intake/events/arrivals';
import { EventBatchesService } from '../../src/intake/event-batches.service';
import { EventsService } from '../../src/intake/events.service';
import { CHROME } from '../support/agents';
import type { ApiClient } from '../support/api-client';
import { engine } from '../support/fresh-database';
import { LOCK_INBOX } from '../support/store-hooks';
import { startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

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

/** Delays every commit of events until the returned function is called. None is given up meanwhile. */
function holdUpCommits(): () => void {
  const accepting = jest.spyOn(ColumnStore.prototype, 'accept');
  const accept = accepting.getMockImplementation()!;
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  accepting.mockImplementation(async function (this: ColumnStore, ...parameters) {
    await held;
    return accept.apply(this, parameters);
  });
  return () => {
    accepting.mockRestore();
    release();
  };
}

/** Locks what commits of events write, until the returned function is called. */
async function lockInbox(): Promise<() => Promise<unknown>> {
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
  await connection.query(LOCK_INBOX);
  return () => connection.end();
}

const send = async () => {
  const json = { url: 'https://waiting.example/' };
  return (await service.api.post('/api/v1/events', { json, headers: { 'User-Agent': CHROME } })).status;
};

const client: Client = {
  address: '203.0.113.7',
  userAgent: CHROME,
  acceptLanguage: undefined,
  origin: undefined,
  asksNotToBeTracked: false,
};
/** It counts as 120 kB, at two bytes for each character. */
const heavy = { url: 'https://waiting.example/', event: { name: 'n'.repeat(60_000) } };
const heavyOfAnother = { ...heavy, url: 'https://another.example/' };

/** Sends all at once. Returns the number of requests that were refused for lack of memory, once the others wait. */
async function refusedOf(times: number, send: () => Promise<unknown>) {
  const reserve = jest.spyOn(MemoryBudget.prototype, 'reserve');
  const all = Array.from({ length: times }, () => send().catch(expectRefusal));
  await until(() => reserve.mock.calls.length === times);
  const errors = reserve.mock.results.map(({ value }): unknown => value);
  reserve.mockRestore();
  const refused = {
    as429: errors.filter((error) => error instanceof TooManyRequests).length,
    as503: errors.filter((error) => error instanceof Overloaded).length,
  };
  return { refused, all: Promise.all(all) };
}

function expectRefusal(error: unknown): void {
  if (!(error instanceof TooManyRequests || error instanceof Overloaded)) throw error;
}

it('bounds the memory of events that wait, of one website and of all, by all of their texts', async () => {
  expect(await send()).toBe(202);
  const release = holdUpCommits();
  const events = service.app.get(EventsService);
  // 24 MiB hold 206 of them, and the 8 MiB left for others 69.
  const ofOne = await refusedOf(500, () => events.accept(heavy, client));
  const ofAnother = await refusedOf(200, () => events.accept(heavyOfAnother, client));
  release();
  await Promise.all([ofOne.all, ofAnother.all]);
  expect(ofOne.refused).toEqual({ as429: 500 - 206, as503: 0 });
  expect(ofAnother.refused).toEqual({ as429: 0, as503: 200 - 69 });
  expect(await send()).toBe(202);
});

it('keeps memory for browsers and for other users where one sends batches without waiting', async () => {
  const batchOf = (length: number, event: object) =>
    Array.from({ length }, () => ({
      ...event,
      id: randomUUID(),
      ip: client.address,
      user_agent: CHROME,
    }));
  const release = holdUpCommits();
  const events = service.app.get(EventsService);
  const eventBatches = service.app.get(EventBatchesService);
  const batches = await refusedOf(5, () =>
    eventBatches.accept(1, websiteId, () => Promise.resolve(batchOf(40, heavy))),
  );
  const others = await refusedOf(1, () =>
    eventBatches.accept(2, idOfAnother, () => Promise.resolve(batchOf(60, heavyOfAnother))),
  );
  const browsers = await refusedOf(200, () => events.accept(heavy, client));
  release();
  await Promise.all([batches.all, others.all, browsers.all]);
  expect(batches.refused).toEqual({ as429: 4, as503: 0 });
  for (const { refused } of [others, browsers]) expect(refused).toEqual({ as429: 0, as503: 0 });
  expect(await send()).toBe(202);
});

it('gives up those that wait while commits are still held up', async () => {
  jest.replaceProperty(patience, 'lookUpMs', OWN_PATIENCE.lookUpMs);
  const release = await lockInbox();
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  await release();
  expect(answers).toEqual(Array(20).fill(503));
});

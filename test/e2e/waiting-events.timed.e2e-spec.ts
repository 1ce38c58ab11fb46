import { createConnection } from 'mysql2/promise';
import { Overloaded } from '../../src/common/problem';
import { type Client, EventsService } from '../../src/intake/events.service';

import { CHROME } from '../support/agents';
import { engine } from '../support/fresh-database';
import { startApp, type TestApp } from '../support/test-app';

const ANSWERED_WITHIN_MS = 2000;

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
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

it('refuses events beyond the memory for those that wait, by all of their texts', async () => {
  await service.api.post('/api/v1/websites', { form: { domain: 'waiting.example' } });
  expect(await send()).toMatchObject({ status: 202 });
  const release = await holdUpCommits();
  const events = service.app.get(EventsService);
  const client: Client = {
    address: '203.0.113.7',
    userAgent: CHROME,
    acceptLanguage: undefined,
    origin: undefined,
    asksNotToBeTracked: false,
  };
  const event = { url: 'https://waiting.example/', event: { name: 'n'.repeat(60_000) } };
  let refused = 0;
  // At two bytes a character, 32 MiB hold the names of 279.
  const all = Array.from({ length: 700 }, () =>
    events.accept(event, client).catch((error) => void (refused += Number(error instanceof Overloaded))),
  );
  await new Promise(setImmediate);
  expect(refused).toBeGreaterThan(700 - 280);
  expect(refused).toBeLessThan(700 - 250);
  await release();
  await Promise.all(all);
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

import { Logger } from '@nestjs/common';
import { WebhooksService } from '../../../src/webhooks/webhooks.service';
import { CountingProcess, pageViewOn, TODAY } from '../../support/counting';
import type { FreshDatabase } from '../../support/fresh-database';
import { Killer } from '../../support/killer';
import { passTime } from '../../support/passing-time';
import { type Program, startService } from '../../support/programs';
import { size } from '../../support/sizes';
import { FOLLOWING_TABLES } from '../../support/store-hooks';
import { until } from '../../support/until';
import {
  ALLOWED,
  Endpoint,
  endLeases,
  type Sender,
  startSender,
  webhooksDatabase,
} from '../../support/webhooks';

const MINUTE_MS = 60_000;
const TABLES = ['webhooks', 'webhook_deliveries', 'jobs', 'leases', ...FOLLOWING_TABLES];
const CHANGE = new RegExp(`^(?:INSERT|UPDATE|DELETE)\\b.*\\b(?:${TABLES.join('|')})\\b`, 's');
const LEAST_STATEMENTS = 5;
/** Real processes are killed as often as this. */
const KILLS = size('KILLS', 3, 30);

let fresh: FreshDatabase;
let sender: Sender;
let doomed: Sender;
let killer: Killer;
let one: CountingProcess;
let endpoint: Endpoint;
let service: Program | undefined;
let websiteId = 800;
let now = Date.now();
beforeAll(async () => {
  Logger.overrideLogger(false);
  fresh = await webhooksDatabase();
  sender = await startSender({ DATABASE_URL: fresh.url });
  doomed = await startSender({ DATABASE_URL: fresh.url });
  killer = new Killer(doomed.database, CHANGE);
  one = await CountingProcess.start(fresh.url);
  endpoint = await Endpoint.start();
});
afterAll(async () => {
  Logger.overrideLogger(true);
  service?.signal('SIGKILL');
  endpoint.close();
  await one.stop();
  await doomed.stop();
  await sender.stop();
  await fresh.drop();
});

const signup = (visitor: string) => pageViewOn(TODAY, '/', visitor, { event: 'signup' });

/** The conversions of a website in the deliveries of each webhook. */
async function conversionsOf(id: number): Promise<number[]> {
  const rows = await sender.database.query<{ webhook_id: number; body: string }[]>(
    'SELECT webhook_id, body FROM webhook_deliveries WHERE website_id = ? ORDER BY id',
    [id],
  );
  const sums = new Map<number, number>();
  for (const { webhook_id, body } of rows) {
    const [goal] = (JSON.parse(body) as { goals: [{ conversions: number }] }).goals;
    sums.set(Number(webhook_id), (sums.get(Number(webhook_id)) ?? 0) + goal.conversions);
  }
  return [...sums.values()];
}

async function read(by: Sender): Promise<void> {
  await endLeases(sender);
  now += MINUTE_MS + 1000;
  await by.read(now);
}

it('a reader that is killed before any of its statements loses and doubles no conversion', async () => {
  for (let webhook = 0; webhook < 2; webhook++)
    await sender.webhook(endpoint.url, { events: ['goal.reached'] });
  let most = 0;
  for (let isKilled = true, number = 0; isKilled; number++) {
    await one.register(++websiteId);
    await sender.goal(websiteId, 'Signup', [['is', 'event', ['signup']]]);
    await read(sender);
    await one.count(websiteId, [signup('a'), signup('b')]);
    await endLeases(sender);
    now += MINUTE_MS + 1000;
    isKilled = await killer.during(number, () => doomed.read(now).catch(() => undefined));
    most = Math.max(most, killer.statements.length);
    const where = `killed before ${number + 1}. ${killer.statements.at(-1)}`;
    await one.count(websiteId, [signup('c')]);
    await read(sender);
    expect([where, await conversionsOf(websiteId)]).toEqual([where, [3, 3]]);
    await one.execute('DELETE FROM goals WHERE website_id = ?', [websiteId]);
  }
  expect(most).toBeGreaterThan(LEAST_STATEMENTS);
});

it('a sender that is killed before any of its statements sends each delivery, under one id', async () => {
  const { id } = await sender.webhook(endpoint.url);
  // While a claim lasts, its outcome is tried to be stored again.
  killer.onKilled = () => passTime(MINUTE_MS);
  for (let isKilled = true, number = 0; isKilled; number++) {
    await sender.add(`occasion ${number}`);
    await endLeases(sender);
    isKilled = await killer.during(number, () => doomed.send(now).catch(() => undefined));
    const where = `killed before ${number + 1}. ${killer.statements.at(-1)}`;
    await endLeases(sender);
    await sender.send(now + 2 * MINUTE_MS);
    const [delivery] = await sender.deliveries(id);
    expect([where, delivery!.state]).toEqual([where, 'delivered']);
    const posts = endpoint.posted.filter(
      ({ headers }) => headers['milepost-delivery'] === String(delivery!.id),
    );
    expect(posts.length).toBeGreaterThan(0);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
  }
  await sender.service(WebhooksService).delete(1, id);
});

it('a service that is killed while an endpoint may have a delivery sends it again, under its id', async () => {
  const environment = { ...ALLOWED, DATABASE_URL: fresh.url };
  const { id } = await sender.webhook(endpoint.url);
  const answer = endpoint.answer;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = endpoint.posted.length;
    endpoint.answer = () => undefined;
    await sender.add(`kill ${kill}`);
    await endLeases(sender);
    service = (await startService(environment)).program;
    await until(() => endpoint.posted.length > before);
    await service.stop('SIGKILL');
    endpoint.answer = answer;
    await endLeases(sender);
    await sender.send(Date.now() + 2 * MINUTE_MS);
    expect((await sender.states(id))[0]).toBe('delivered');
    const [first, second] = endpoint.posted.slice(before);
    expect(second!.body).toBe(first!.body);
  }
});

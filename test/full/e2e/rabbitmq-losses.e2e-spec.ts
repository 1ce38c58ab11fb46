import { randomUUID } from 'node:crypto';
import { connect, type ConfirmChannel, type ConsumeMessage } from 'amqplib';
import { withTimeout } from '../../../engine/ground/time/timeout';
import { FIREFOX } from '../../support/agents';
import { untilCounted } from '../../support/counted';
import { RabbitMq } from '../../support/rabbitmq';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { PATIENCE_MS, until } from '../../support/until';

const QUEUE = 'milepost';
const PER_CHUNK = 50;
const EVENTS = 5;
/** More than one consumer takes. */
const REFUSED = 300;

let broker: RabbitMq;
let service: TestApp;
let websiteId: number;
beforeAll(async () => {
  broker = await RabbitMq.start();
});
afterAll(() => broker.end());

async function start(eventsBudget: string): Promise<void> {
  service = await startApp({ RPC_URL: broker.url, RATE_LIMIT: `events=${eventsBudget}` });
  const { body } = await service.api.post('/api/v1/websites', { form: { domain: 'rabbit.example' } });
  websiteId = body.data.id;
}

/** Unacknowledged messages would be in the queue again. */
async function expectNothingLeft(): Promise<void> {
  await service.stop();
  const { channel, close } = await publisher();
  expect(await channel.checkQueue(QUEUE)).toMatchObject({ messageCount: 0 });
  await close();
}

interface Publisher {
  channel: ConfirmChannel;
  close: () => Promise<void>;
}

/** The broker may still be restarting. */
const publisher = () => until(() => openPublisher().catch(() => undefined));

async function openPublisher(): Promise<Publisher> {
  const connection = await connect(broker.url);
  connection.on('error', () => undefined);
  const channel = await connection.createConfirmChannel();
  channel.on('error', () => undefined);
  await channel.assertQueue(QUEUE, { durable: true });
  return { channel, close: () => connection.close() };
}

let pages = 0;

function message(): Buffer {
  const events = Array.from({ length: EVENTS }, () => ({
    id: randomUUID(),
    url: `https://rabbit.example/page-${pages++}`,
    ip: '203.0.113.7',
    user_agent: FIREFOX,
  }));
  const data = { key: FIRST_KEY, website_id: websiteId, events };
  return Buffer.from(JSON.stringify({ pattern: 'events.record', data }));
}

/** Publishes messages until the broker has confirmed them. Messages of a lost connection are repeated. */
async function publish(messages: Buffer[], to: Publisher): Promise<Publisher> {
  try {
    for (const one of messages) to.channel.sendToQueue(QUEUE, one, { persistent: true });
    await to.channel.waitForConfirms();
    return to;
  } catch {
    return publish(messages, await publisher());
  }
}

const shown = async (name: string) => {
  const { body } = await service.api.get(
    `/api/v1/stats/${websiteId}?name=${name}&from=1970-01-01&to=9999-12-31`,
  );
  return body.meta as { sum: number; total: number };
};

const untilShown = (sum: number) =>
  until(async () => (await shown('pageview')).sum >= sum).catch(async () => {
    throw new Error(`${(await shown('pageview')).sum} of ${sum}\n${service.logs.slice(-5).join('\n')}`);
  });

async function untilSum(sum: number): Promise<void> {
  await untilShown(sum);
  await untilCounted(service.api, websiteId);
}

it.each([
  ['its connections are closed', () => broker.closeConnections()],
  ['the broker is killed', () => broker.restart()],
])('counts each event once where %s in the middle', async (_, end) => {
  await start('100000/1');
  let to = await publisher();
  let sent = 0;
  const fill = async () => {
    to = await publish(Array.from({ length: PER_CHUNK }, message), to);
    sent += PER_CHUNK * EVENTS;
  };
  await fill();
  const ending = { isOver: false };
  const ended = end().finally(() => (ending.isOver = true));
  while (!ending.isOver) {
    // The broker accepts events faster than a busy machine counts them.
    await untilShown(sent - PER_CHUNK * EVENTS);
    await fill();
  }
  await ended;
  await fill();
  await untilSum(sent);
  expect(await shown('page')).toMatchObject({ sum: sent, total: sent });
  expect(service.logs.join('\n')).toMatch(/Connected to RabbitMQ again/);
  await to.close();
  await expectNothingLeft();
});

it('takes messages again after its queue was deleted', async () => {
  await start('100000/1');
  const { channel, close } = await publisher();
  await channel.deleteQueue(QUEUE);
  await close();
  const again = await publish([message()], await publisher());
  await untilSum(EVENTS);
  await again.close();
  await expectNothingLeft();
});

it('tries a message without an address for answers again where it is refused for now, and logs what is refused for good', async () => {
  await start('2/1');
  const to = await publish([message(), Buffer.from('no JSON')], await publisher());
  await publish([message(), message(), message(), message()], to);
  await untilSum(5 * EVENTS);
  expect(service.logs.filter((line) => line.includes('was refused'))).toEqual([
    expect.stringContaining('without reply_to was refused: malformed'),
  ]);
  await to.close();
  await expectNothingLeft();
});

it('answers what stands in the queue behind many messages that are waited out', async () => {
  await start('1/3600');
  const to = await publish(Array.from({ length: REFUSED }, message), await publisher());
  const { queue } = await to.channel.assertQueue('', { exclusive: true });
  const answered = new Promise((resolve) => void to.channel.consume(queue, resolve, { noAck: true }));
  const requested = { pattern: 'websites.show', data: { key: FIRST_KEY, id: websiteId } };
  to.channel.sendToQueue(QUEUE, Buffer.from(JSON.stringify(requested)), { replyTo: queue });
  const { content } = (await answered) as ConsumeMessage;
  expect(JSON.parse(content.toString())).toMatchObject({ response: { data: { id: websiteId } } });
  await service.stop();
  expect(await to.channel.purgeQueue(QUEUE)).toEqual({ messageCount: REFUSED - 1 });
  await to.close();
});

it('does not wait for ever where the broker answers no more', async () => {
  await start('100000/1');
  broker.freeze();
  try {
    await withTimeout(PATIENCE_MS, service.stop());
  } finally {
    broker.goOn();
  }
});

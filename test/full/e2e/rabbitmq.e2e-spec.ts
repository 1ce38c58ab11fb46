import { randomUUID } from 'node:crypto';
import { type Channel, type ChannelModel, connect, type ConsumeMessage } from 'amqplib';
import { FIREFOX } from '../../support/agents';
import { untilCounted } from '../../support/counted';
import { RabbitMq } from '../../support/rabbitmq';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

/** Longer than a message waits for its turn. */
const MAX_SILENCE_MS = 60_000;

const replies = new Map<string, (answer: any) => void>();
/** Ends of the connection or its channel, which would lose answers. */
const ended: string[] = [];

let broker: RabbitMq;
let service: TestApp;
let connection: ChannelModel;
let channel: Channel;
let replyTo: string;
beforeAll(async () => {
  broker = await RabbitMq.start();
  service = await startApp({ RPC_URL: broker.url });
  connection = await connect(broker.url);
  connection.on('error', (error: Error) => ended.push(`connection: ${error.message}`));
  channel = await connection.createChannel();
  channel.on('error', (error: Error) => ended.push(`channel: ${error.message}`));
  replyTo = (await channel.assertQueue('', { exclusive: true })).queue;
  const take = (message: ConsumeMessage | null) => {
    if (!message) return void ended.push('consumer: cancelled');
    const correlationId = String(message.properties.correlationId);
    replies.get(correlationId)?.(JSON.parse(message.content.toString()));
    replies.delete(correlationId);
  };
  await channel.consume(replyTo, take, { noAck: true });
});
afterAll(async () => {
  await connection.close();
  expect(service.logs.join('\n')).not.toContain(FIRST_KEY);
  await service.stop();
  await broker.end();
});

const ask = async (pattern: string, data: object): Promise<any> => {
  const correlationId = randomUUID();
  const answered = new Promise<any>((resolve) => replies.set(correlationId, resolve));
  const packet = JSON.stringify({ id: correlationId, pattern, data });
  channel.sendToQueue('milepost', Buffer.from(packet), { replyTo, correlationId });
  const { response, err } = await answered;
  return response ?? err;
};
const asFirst = (pattern: string, message: object) => ask(pattern, { key: FIRST_KEY, ...message });

it('manages websites, records events and shows statistics', async () => {
  const { data: website } = await asFirst('websites.store', { domain: 'rabbit.example' });
  const { id } = website;
  expect((await asFirst('websites.show', { id })).data).toEqual(website);
  expect((await asFirst('websites.update', { id: String(id), privacy: 0 })).data).toMatchObject({
    privacy: 0,
  });
  const event = {
    id: randomUUID(),
    url: 'https://rabbit.example/page',
    ip: '203.0.113.7',
    user_agent: FIREFOX,
  };
  const { data } = await asFirst('events.record', { website_id: id, events: [event] });
  expect(data).toMatchObject([{ id: event.id, status: 'accepted' }]);
  await untilCounted(service.api, id);
  const range = { from: '1970-01-01', to: '9999-12-31' };
  const stats = await asFirst('stats.show', { website_id: id, name: 'page', ...range });
  expect(stats.data).toEqual([{ value: '/page', label: '/page', count: 1 }]);
  expect((await asFirst('websites.delete', { id })).data).toMatchObject({ deleted: true });
});

it('answers what is wrong as problems', async () => {
  expect(await ask('websites.list', { key: 'wrong-key-wrong-key-wrong-key' })).toMatchObject({ status: 401 });
  expect(await asFirst('websites.show', { id: 999_999 })).toMatchObject({ status: 404 });
  expect(await asFirst('websites.list', { colour: 'red' })).toMatchObject({
    status: 422,
    errors: { colour: [expect.any(String)] },
  });
  expect(await asFirst('websites.list', { search: 'x'.repeat(2 ** 20) })).toMatchObject({
    code: 'too_large',
  });
  expect(await asFirst(FIRST_KEY, {})).toMatchObject({ status: 404 });
});

/** Describes the queue: messages that nobody took and messages without an answer have different causes. */
async function whatIsKnown(): Promise<string> {
  const known = [`${replies.size} messages have no answer`, ...ended];
  if (ended.length === 0) {
    const { messageCount, consumerCount } = await channel.checkQueue('milepost');
    known.push(`${messageCount} wait in the queue of ${consumerCount} consumers`);
  }
  return [...known, ...service.logs.slice(-5)].join('\n');
}

/** Rejects with that description if no answer arrives for a while. */
async function untilAnswered<T>(answers: Promise<T>[]): Promise<T[]> {
  let waiting = replies.size;
  let onSilence: (error: Error) => void;
  const silence = new Promise<never>((_, reject) => (onSilence = reject));
  const look = setInterval(() => {
    if (replies.size === waiting) whatIsKnown().then((known) => onSilence(new Error(known)), onSilence);
    waiting = replies.size;
  }, MAX_SILENCE_MS);
  return Promise.race([Promise.all(answers), silence]).finally(() => clearInterval(look));
}

it('answers 10,000 messages that come at once', async () => {
  const answers = await untilAnswered(Array.from({ length: 10_000 }, () => asFirst('websites.list', {})));
  const codes = new Set(answers.map(({ data, code }) => (data ? 'data' : code)));
  // A busy machine refuses some, as it does over HTTP.
  for (const code of ['database_unavailable', 'overloaded', 'too_many_requests']) codes.delete(code);
  expect([...codes]).toEqual(['data']);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectToNats, type NatsConnection } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { type Broker, startBrokers } from '../../support/brokers';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';

const HALF = `{"id":"1","pattern":"websites.list","data":{"key":${FIRST_KEY}`;
const LARGE = JSON.stringify({ id: '1', data: { key: FIRST_KEY, search: 'x'.repeat(2 ** 20) } });
const MALFORMED = { err: { status: 400, code: 'malformed', instance: 'websites.list' } };
const UNREADABLE: [string, string, object][] = [
  ['half a message', HALF, MALFORMED],
  ['nothing', '', MALFORMED],
  ['a key alone', FIRST_KEY, MALFORMED],
  ['a large message', LARGE, { err: { status: 413, code: 'too_large' } }],
];

let service: TestApp;
let brokers: Awaited<ReturnType<typeof startBrokers>>;
let nats: Broker;
let redis: Broker;
let port: number;
beforeAll(async () => {
  brokers = await startBrokers();
  ({ nats, redis, port } = brokers);
  service = await startApp({ RPC_URL: brokers.rpcUrl });
});
afterAll(async () => {
  expect(service.logs.join('\n')).not.toContain(FIRST_KEY.slice(0, 8));
  await service.stop();
  await brokers.stop();
});

describe('over NATS', () => {
  let connection: NatsConnection;
  beforeAll(async () => (connection = await connectToNats({ servers: `127.0.0.1:${nats.port}` })));
  afterAll(() => connection.close());

  const answerTo = async (payload: string) => (await connection.request('websites.list', payload)).json();

  // The broker itself refuses messages over 1 MiB.
  it.each(UNREADABLE.slice(0, -1))('answers %s with a problem', async (_, payload, problem) => {
    expect(await answerTo(payload)).toMatchObject(problem);
  });

  it('answers a message without a packet around it', async () => {
    expect(await answerTo(JSON.stringify({ key: FIRST_KEY }))).toMatchObject({ response: { data: [] } });
    expect(await answerTo('null')).toMatchObject(MALFORMED);
    expect(await answerTo('[1]')).toMatchObject(MALFORMED);
  });
});

describe('over Redis', () => {
  let publisher: Redis;
  let subscriber: Redis;
  beforeAll(async () => {
    publisher = new Redis(redis.port);
    subscriber = new Redis(redis.port);
    await subscriber.subscribe('websites.list.reply');
  });
  afterAll(() => {
    publisher.disconnect();
    subscriber.disconnect();
  });

  it.each(UNREADABLE)('answers %s with a problem', async (_, payload, problem) => {
    const answered = once(subscriber, 'message');
    await publisher.publish('websites.list', payload);
    const [, answer] = (await answered) as [string, string];
    expect(JSON.parse(answer)).toMatchObject(problem);
  });
});

it('names no use case that a caller made up, over TCP', async () => {
  const socket = connect(port, '127.0.0.1');
  const packets = [{ id: '1', pattern: FIRST_KEY }, { pattern: FIRST_KEY }].map((packet) =>
    JSON.stringify({ ...packet, data: { key: FIRST_KEY } }),
  );
  socket.write(packets.map((packet) => `${packet.length}#${packet}`).join(''));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toContain('"detail":"Unknown message."');
  socket.destroy();
});

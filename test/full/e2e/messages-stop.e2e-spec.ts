import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectToNats } from '@nats-io/transport-node';
import { withTimeout } from '../../../engine/ground/time/timeout';
import { Broker } from '../../support/brokers';
import { freePort } from '../../support/free-port';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { PATIENCE_MS } from '../../support/until';

const MESSAGES = 300;

let service: TestApp;
let nats: Broker;
let port: number;
beforeEach(async () => {
  [nats, port] = [await Broker.start('nats'), await freePort()];
  service = await startApp({ RPC_URL: `tcp://127.0.0.1:${port} nats://127.0.0.1:${nats.port}` });
});
afterEach(() => nats.stop());

const message = { key: FIRST_KEY };
const codes = new Set([undefined, 'overloaded']);

it('answers over TCP what it has taken before it ends', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const packet = JSON.stringify({ id: '1', pattern: 'websites.list', data: message });
  socket.write(`${packet.length}#${packet}`.repeat(MESSAGES));
  let received = '';
  socket.on('data', (text: string) => (received += text));
  const ended = once(socket, 'close');
  await once(socket, 'data');
  await service.stop();
  await ended;
  const answers = received.split(/(?<=\})\d+#|^\d+#/).slice(1);
  expect(answers).toHaveLength(MESSAGES);
  for (const answer of answers) expect(codes).toContain(JSON.parse(answer).err?.code);
});

it('answers over NATS what it has taken before it ends', async () => {
  const connection = await connectToNats({ servers: `127.0.0.1:${nats.port}` });
  const answers = Array.from({ length: MESSAGES }, async () =>
    (
      await connection.request('websites.list', JSON.stringify(message), { timeout: PATIENCE_MS })
    ).json<any>(),
  );
  await Promise.race(answers);
  await service.stop();
  for (const { err } of await Promise.all(answers)) expect(codes).toContain(err?.code);
  await connection.close();
});

it.each(['nats', 'redis'] as const)('does not wait for ever where %s answers no more', async (kind) => {
  const frozen = await Broker.start(kind);
  const other = await startApp({ RPC_URL: `${kind}://127.0.0.1:${frozen.port}` });
  frozen.freeze();
  await withTimeout(PATIENCE_MS, Promise.all([other.stop(), service.stop()]));
  await frozen.stop();
});

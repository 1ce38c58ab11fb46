import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import { promisify } from 'node:util';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { Settings } from '../../../src/config/settings';
import { listenForMessages } from '../../../src/messages/messages.module';
import { CertificateAuthority } from '../../support/certificates';
import { freshDatabase } from '../../support/fresh-database';
import { freePort } from '../../support/free-port';
import { Program } from '../../support/programs';
import { FIRST_KEY, startApp, type TestApp } from '../../support/test-app';
import { until } from '../../support/until';

const KEY = 'the-key-of-the-messages-to-come';

/** Of the service as a program, which ends. */
async function startWith(rpcUrl: string) {
  const database = await freshDatabase();
  try {
    const environment = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: KEY, PORT: '0', RPC_URL: rpcUrl };
    return await new Program('main.js', [], environment).end();
  } finally {
    await database.drop();
  }
}

it.each(['amqp', 'nats', 'redis'])('does not start without %s, and says so in one line', async (kind) => {
  const port = await freePort();
  const { code, stderr } = await startWith(`${kind}://someone:secret@127.0.0.1:${port}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^RPC_URL: cannot listen by ${kind} \\(.+\\)\n$`));
  expect(stderr).not.toContain('secret');
});

it('does not wait for ever for a server that says nothing', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const service = await startApp({ RPC_URL: `tcp://127.0.0.1:${await freePort()}` });
  try {
    const settings = new Settings({ RPC_URL: `amqp://127.0.0.1:${port}` });
    await expect(listenForMessages(service.app, settings, 200)).rejects.toThrow(
      'RPC_URL: cannot listen by amqp (no connection within 0.2 seconds)',
    );
  } finally {
    await service.stop();
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

it('speaks TLS over TCP, and nothing else where it does', async () => {
  const authority = new CertificateAuthority();
  const { certificate, key } = authority.issue('messages.test');
  const port = await freePort();
  const service = await startApp({ RPC_URL: `tcp://127.0.0.1:${port}?cert=${certificate}&key=${key}` });
  const tlsOptions = { ca: readFileSync(authority.certificate), servername: 'messages.test' };
  const options = { host: '127.0.0.1', port, tlsOptions };
  const trusting = ClientProxyFactory.create({ transport: Transport.TCP, options });
  try {
    const list = await firstValueFrom(trusting.send('websites.list', { key: FIRST_KEY }));
    expect(list).toMatchObject({ data: [], meta: { total: 0 } });
    const distrusting = connectByTls(port, '127.0.0.1', { servername: 'messages.test' });
    await expect(once(distrusting, 'secureConnect')).rejects.toThrow('certificate');
    const plain = connect(port, '127.0.0.1');
    const packet = JSON.stringify({ id: '1', pattern: 'websites.list', data: { key: FIRST_KEY } });
    plain.write(`${packet.length}#${packet}`);
    let received = '';
    for await (const data of plain.on('error', () => undefined)) received += String(data);
    expect(received).not.toContain('data');
    expect(await firstValueFrom(trusting.send('websites.list', { key: FIRST_KEY }))).toEqual(list);
  } finally {
    trusting.close();
    await service.stop();
    authority.remove();
  }
});

describe('a caller over TCP that costs much', () => {
  let service: TestApp;
  let port: number;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    port = await freePort();
    service = await startApp({ RPC_URL: `tcp://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  });

  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const packetOf = (data: object) => {
    const packet = JSON.stringify({ id: '1', pattern: 'websites.list', data: { key: FIRST_KEY, ...data } });
    return `${packet.length}#${packet}`;
  };

  it('is not waited for where no frame begins', async () => {
    const socket = await open();
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const dripping = setInterval(() => socket.write('1'), 20);
    await closed;
    clearInterval(dripping);
    const slow = await open();
    const answered = once(slow, 'data');
    for (const character of packetOf({})) slow.write(character);
    expect(String(await answered)).toContain('response');
  });

  it('is ended if it leaves most unread, and nobody else is', async () => {
    const exclude_ips = Array.from({ length: 900 }, (_, line) => `2001:db8:1234:5678:9abc:def0:1234:${line}`);
    for (let number = 0; number < 20; number++)
      await service.api.post('/api/v1/websites', {
        json: { domain: `unread${number}.example`, exclude_ips },
      });
    const reader = await open();
    const server = service.app.getMicroservices()[0]!.unwrap<Server>();
    const connections = () => promisify(server.getConnections.bind(server))();
    for (let number = 0; number < 4; number++) {
      const socket = await open();
      socket.pause().write(packetOf({ per_page: 25 }).repeat(20));
    }
    const before = await connections();
    await until(async () => (await connections()) < before);
    const answered = once(reader, 'data');
    reader.write(packetOf({}));
    expect(String(await answered)).toContain('#{');
    expect(reader.destroyed).toBe(false);
  });
});

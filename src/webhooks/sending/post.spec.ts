import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AddressLookup } from './address-lookup';
import { AllowedAddresses } from './allowed-addresses';
import { Poster } from './post';

const WITHIN_MS = 300;
const lookup = new AddressLookup(new AllowedAddresses(['127.0.0.1']));
const poster = new Poster(lookup, WITHIN_MS);
const never = new AbortController().signal;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers a request byte by byte, as a test wants. */
async function raw(answer: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const post = (url: string, signal = never) => poster.post({ url, headers: {}, body: '{}' }, signal);
/** Without a deadline that could end the attempt. */
const patient = (url: string) => new Poster(lookup, 600_000).post({ url, headers: {}, body: '{}' }, never);
const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\n';
/** Sends a text again and again, until the other side closes the connection. */
async function flood(text: string, begin = ''): Promise<{ url: string; closed: Promise<void> }> {
  let end = () => {};
  const closed = new Promise<void>((resolve) => (end = resolve));
  const url = await raw((socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.once('close', end).on('drain', send);
    socket.write(begin);
    send();
  });
  return { url, closed };
}
const drip = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
};

it('gives up where the status drips', async () => {
  const url = await raw((socket) => drip(socket, 'H'));
  await expect(post(url)).rejects.toThrow(/HTTP|Parse|no answer/);
});

it('gives up where the headers drip', async () => {
  const url = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    drip(socket, 'A: b\r\n');
  });
  await expect(post(url)).rejects.toThrow('no answer within 10 seconds');
});

it('gives up where informational answers drip', async () => {
  const url = await raw((socket) => void socket.write(INTERIM.repeat(9)));
  await expect(post(url)).rejects.toThrow('no answer within 10 seconds');
});

it('ends with the tenth interim answer, and reads no further', async () => {
  const { url, closed } = await flood(INTERIM.repeat(1000));
  await expect(patient(url)).rejects.toThrow('more than 9 interim answers');
  await closed;
});

it('takes an answer after nine interim ones', async () => {
  const url = await raw((socket) => {
    socket.write(INTERIM.repeat(9));
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  expect(await post(url)).toEqual({ status: 200, answer: 'ok' });
});

it('ends where framing without a body floods, with the status', async () => {
  const extension = `;${'x'.repeat(300)}`;
  const { url, closed } = await flood(
    `1${extension}\r\nx\r\n`.repeat(500),
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const { status, answer } = await patient(url);
  expect([status, answer]).toEqual([200, expect.stringMatching(/^x{1,999}$/)]);
  await closed;
});

it('takes the status and the start of a body that drips', async () => {
  const url = await raw((socket) => {
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100000\r\n\r\n');
    drip(socket, 'x');
  });
  const { status, answer } = await post(url);
  expect(status).toBe(201);
  expect(answer).toMatch(/^x+$/);
});

it('takes no more than the start of a body', async () => {
  const url = await raw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(10_000)}`);
    drip(socket, 'y');
  });
  expect(await post(url)).toEqual({ status: 200, answer: 'x'.repeat(1000) });
});

it('gives up where headers are too large', async () => {
  const url = await raw((socket) => void socket.write(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}`));
  await expect(post(url)).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
});

it('does not change protocols', async () => {
  const url = await raw(
    (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  await expect(post(url)).rejects.toThrow('the connection was closed without an answer');
});

it('ends at once where it is told to', async () => {
  const ending = new AbortController();
  const url = await raw(() => ending.abort());
  await expect(new Poster(lookup).post({ url, headers: {}, body: '{}' }, ending.signal)).rejects.toThrow();
});

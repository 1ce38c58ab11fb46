import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { MemoryBudget, quarters } from '../../engine/ground/memory/memory-budget';
import { Overloaded } from '../../engine/ground/errors';
import { TooLarge } from '../../src/common/problems';
import { boundUnread, limitConnections, limitEachClient } from '../../src/http/connections/connections';
import { withBody } from '../../src/http/requests/read-bytes';
import { EVENTS, WEBSITES } from '../support/sending';
import { RawSocket } from '../support/raw-socket';
import { FIRST_KEY, startApp, type TestApp } from '../support/test-app';
import { until } from '../support/until';

const MIB = 1024 * 1024;
const BATCHES = `${WEBSITES}/1/events`;
const KEY = `Authorization: Bearer ${FIRST_KEY}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';

let service: TestApp;
const open: RawSocket[] = [];
const socket = (address = service.address) => {
  open.push(new RawSocket(address));
  return open.at(-1)!;
};
const head = (method: string, target: string, headers: string) =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
async function answerTo(text: string): Promise<string> {
  const raw = socket();
  raw.write(text);
  await raw.untilAnswered();
  return raw.answer;
}

beforeAll(async () => void (service = await startApp()));
afterAll(async () => {
  for (const raw of open) raw.end();
  await service.stop();
});

describe('an endless body', () => {
  const chunk = Buffer.from(`10000\r\n${'a'.repeat(0x10000)}\r\n`);

  it.each<[string, string, string, number, number]>([
    ['POST', EVENTS, JSON_TYPE, 413, 64 * 1024],
    ['POST', EVENTS, 'Content-Type: image/png\r\n', 415, 0],
    ['POST', BATCHES, KEY + JSON_TYPE, 413, 8 * MIB],
    ['POST', WEBSITES, KEY + JSON_TYPE, 413, 256 * 1024],
    ['POST', BATCHES, JSON_TYPE, 401, 0],
    ['POST', WEBSITES, `${JSON_TYPE}Authorization: Bearer no\r\n`, 401, 0],
    ['DELETE', `${WEBSITES}/1`, '', 401, 0],
    ['GET', '/health/live', '', 200, 0],
    ['POST', '/nowhere', KEY, 404, 0],
    ['GET', '/tracker.js', '', 200, 0],
  ])('%s %s %j is answered with %i and cut off', async (method, target, headers, status, limit) => {
    const start = head(method, target, `Transfer-Encoding: chunked\r\n${headers}`);
    // A client that continues to send may be disconnected before it reads the answer.
    const raw = socket();
    raw.write(start);
    await raw.flood(chunk, limit + 1.2 * MIB);
    await raw.closed;
    expect(raw.answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n`, 'i'));
    const endless = socket();
    endless.write(start);
    const taken = await endless.flood(chunk, 64 * MIB);
    await endless.closed;
    // Besides the allowed bytes and the discarded MiB, the buffers of both sockets hold some.
    expect(taken).toBeLessThan(limit + 16 * MIB);
  });

  it('with a length that is announced is cut off as well', async () => {
    const raw = socket();
    raw.write(head('POST', EVENTS, `${JSON_TYPE}Content-Length: ${1024 * MIB}\r\n`));
    expect(await raw.flood(Buffer.alloc(64 * 1024, 'a'), 64 * MIB)).toBeLessThan(16 * MIB);
    await raw.closed;
  });
});

describe('a sender that waits for 100 Continue', () => {
  const waiting = (length: number) => `Expect: 100-continue\r\nContent-Length: ${length}\r\n`;

  it.each<[string, string, number, number]>([
    [BATCHES, JSON_TYPE, 8_000_000, 401],
    [BATCHES, `${JSON_TYPE}Authorization: Bearer no\r\n`, 8_000_000, 401],
    [BATCHES, KEY + JSON_TYPE, 9 * MIB, 413],
    [WEBSITES, KEY + JSON_TYPE, MIB, 413],
    [WEBSITES, `${KEY}Content-Type: image/png\r\n`, 10, 415],
    [EVENTS, JSON_TYPE, 99_999_999, 413],
    [EVENTS, 'Content-Type: image/png\r\n', 10, 415],
    ['/nowhere', '', 10, 404],
  ])('for %s %j with %i bytes is refused before it sends them', async (target, headers, length, status) => {
    const raw = socket();
    raw.write(head('POST', target, waiting(length) + headers));
    await raw.closed;
    expect(raw.answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n`, 'i'));
  });

  it('is refused at once if its budget is used up', async () => {
    const limited = await startApp({ RATE_LIMIT: '1/99999' });
    for (const [target, headers] of [
      [EVENTS, JSON_TYPE],
      [WEBSITES, KEY + JSON_TYPE],
    ] as const) {
      const [first, second] = [socket(limited.address), socket(limited.address)];
      first.write(`${head('POST', target, `Content-Length: 2\r\n${headers}`)}{}`);
      await first.untilAnswered();
      second.write(head('POST', target, waiting(10) + headers));
      await second.closed;
      expect(second.answer).toMatch(/^HTTP\/1\.1 429 [^]*\r\nConnection: close\r\n/i);
    }
    await limited.stop();
  });

  it('is asked for what is read, and keeps its connection', async () => {
    const event = '{"url":"https://nobody.example/"}';
    const raw = socket();
    for (let time = 0; time < 2; time++) {
      raw.answer = '';
      raw.write(head('POST', EVENTS, waiting(event.length) + JSON_TYPE));
      await raw.untilAnswered();
      expect(raw.answer).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      raw.answer = '';
      raw.write(event);
      await raw.untilAnswered();
      expect(raw.answer).toMatch(/^HTTP\/1\.1 404 (?![^]*Connection: close)/i);
    }
  });
});

it('reads a little more than it needs, so that the answer is heard and the connection kept', async () => {
  const body = 'a'.repeat(900 * 1024);
  const raw = socket();
  raw.write(head('POST', EVENTS, `${JSON_TYPE}Content-Length: ${body.length}\r\n`) + body);
  await raw.untilAnswered();
  expect(raw.answer).toMatch(/^HTTP\/1\.1 413 /);
  raw.answer = '';
  raw.write(head('GET', '/health/live', ''));
  await raw.untilAnswered();
  expect(raw.answer).toMatch(/^HTTP\/1\.1 200 /);
});

it('parses no body without a valid key', async () => {
  const parse = jest.spyOn(JSON, 'parse');
  for (const key of [undefined, 'a-key-that-nobody-was-given'])
    for (const path of [BATCHES, WEBSITES])
      expect(
        (await service.api.as(key).post(path, { body: '{"hostile', type: 'application/json' })).status,
      ).toBe(401);
  expect(parse.mock.calls.filter(([text]) => text.includes('hostile'))).toEqual([]);
  parse.mockRestore();
});

it('gives the same routes the same limits, however their path is written', async () => {
  const body = JSON.stringify({ events: [] }).padEnd(MIB);
  for (const path of [BATCHES, `${BATCHES}/`, BATCHES.replace('api/v1/websites', 'API/v1/Websites')])
    expect((await service.api.post(path, { body, type: 'application/json' })).status).toBe(404);
});

describe('a target', () => {
  const event = '{"url":"https://nobody.example/"}';
  const post = (target: string) =>
    answerTo(head('POST', target, `${JSON_TYPE}Content-Length: ${event.length}\r\n`) + event);

  it.each([
    EVENTS,
    `${EVENTS}/`,
    `${EVENTS}?`,
    `${EVENTS}#a`,
    '/API/V1/Events',
    `http://x${EVENTS}`,
    `HTTPS://x:8080${EVENTS}/`,
    `abc://x${EVENTS}`,
    `abc://user@x${EVENTS}?#`,
  ])('%s is that of the receiver', async (target) => {
    const answer = await post(target);
    expect(answer).toMatch(
      /^HTTP\/1\.1 404 [^]*Access-Control-Allow-Origin: \*\r\n[^]*"instance":"\/api\/v1\/events"/,
    );
  });

  it.each([
    '/api/v1/%65vents',
    '//x/api/v1/events',
    'abc://x',
    'abc://x?a',
    '/api\\v1/events#',
    '/api/v1/events/.',
  ])('%s is another route, or none', async (target) => {
    expect(await post(target)).toMatch(/^HTTP\/1\.1 40[45] (?![^]*Access-Control)/);
  });

  it.each(['api/v1/events', `abc:${EVENTS}`, '://x/api/v1/events', `${EVENTS}\u00a0`, `${EVENTS}\t`, '*a'])(
    '%j is malformed',
    async (target) => {
      expect(await post(target)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});

it('tells browsers to keep and to guess nothing', async () => {
  for (const answer of [
    await answerTo(head('OPTIONS', EVENTS, '')),
    await answerTo(head('POST', EVENTS, `${JSON_TYPE}Content-Length: 0\r\n`)),
    await answerTo('NONSENSE\r\n\r\n'),
    await answerTo(head('GET', 'nowhere', '')),
  ]) {
    expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
    expect(answer).toMatch(/\r\nCache-Control: no-store\r\n/i);
  }
});

describe('a slow client', () => {
  it('is given ten seconds for its headers, and as long between its requests', async () => {
    const server = service.app.getHttpServer();
    const { headersTimeout, keepAliveTimeout } = server;
    expect([headersTimeout, keepAliveTimeout]).toEqual([10_000, 10_000]);
    Object.assign(server, { headersTimeout: 1, keepAliveTimeout: 1 });
    const [silent, slow, idle] = [socket(), socket(), socket()];
    slow.write('GET / HTTP/1.1\r\nHost: ');
    idle.write(head('GET', '/health/live', ''));
    await Promise.all([silent.closed, slow.closed, idle.closed]);
    Object.assign(server, { headersTimeout, keepAliveTimeout });
    expect(slow.answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(idle.answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('cannot be one of too many', () => {
    const server = service.app.getHttpServer();
    expect(server).toMatchObject({ maxConnections: 5000, requestTimeout: 60_000, timeout: 40_000 });
  });

  it('holds a bounded number of connections, unless it is a proxy', () => {
    const limit = limitEachClient((peer) => peer === '198.51.100.1');
    const opened = (remoteAddress: string) => {
      const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
      const destroy = () => (socket.destroyed = true);
      limit(Object.assign(socket, { destroy }) as unknown as Socket);
      return socket;
    };
    const of = (address: string, sockets: number) => Array.from({ length: sockets }, () => opened(address));
    const taken = of('203.0.113.7', 500);
    expect(taken.some(({ destroyed }) => destroyed)).toBe(false);
    expect(opened('::ffff:203.0.113.7').destroyed).toBe(true);
    expect(opened('203.0.113.8').destroyed).toBe(false);
    taken[0]!.emit('close');
    expect(opened('203.0.113.7').destroyed).toBe(false);
    for (const proxy of ['198.51.100.1', '127.0.0.1'])
      expect(of(proxy, 501).some(({ destroyed }) => destroyed)).toBe(false);
  });

  it('is disconnected where it reads nothing', async () => {
    const server = createServer((_, response) => response.end(Buffer.alloc(64 * MIB)));
    limitConnections(server, () => false);
    server.timeout = 300;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connection = once(server, 'connection') as Promise<[Socket]>;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.write(head('GET', '/', ''));
    const [accepted] = await connection;
    await once(accepted, 'close');
    client.destroy();
    server.close();
  });
});

describe('clients that leave answers unread', () => {
  /** More than the buffers of the operating system hold. */
  const ANSWER = Buffer.alloc(12 * MIB);

  it('lose the oldest one of the caller who leaves most, and nobody else does', async () => {
    const server = createServer((request, response) => {
      boundUnread(response, () => String(request.headers.host));
      response.end(ANSWER);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clients: Socket[] = [];
    const accepted: Socket[] = [];
    const leaveUnread = async (caller: string) => {
      const connection = once(server, 'connection') as Promise<[Socket]>;
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
      clients.push(client);
      accepted.push((await connection)[0]);
      const requested = once(server, 'request');
      client.write(`GET / HTTP/1.1\r\nHost: ${caller}\r\n\r\n`);
      await requested;
    };
    for (const caller of ['other', 'slow', 'slow']) await leaveUnread(caller);
    const closed = once(accepted[1]!, 'close');
    if (!accepted[1]!.destroyed) await closed;
    expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    for (const client of clients) client.destroy();
    server.close();
  });
});

describe('reading a body', () => {
  let server: Server;
  let address: string;
  /** Each caller may use a quarter of the unused memory. */
  const memory = new MemoryBudget(quarters(4000));
  const outcomes: string[] = [];
  let milliseconds = 60_000;
  beforeAll(async () => {
    server = createServer((request, response) => {
      withBody(request, { bytes: 1000, milliseconds, memory }, 'caller', (body) =>
        Promise.resolve(body.length),
      )
        .then(
          (length) => outcomes.push(String(length)),
          (error: Error) => outcomes.push(error.constructor.name),
        )
        .finally(() => response.setHeader('Connection', 'close').end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const outcomeOf = async (write: (raw: RawSocket) => void) => {
    outcomes.length = 0;
    const raw = socket(address);
    write(raw);
    return until(() => outcomes[0]);
  };
  const posted = (length: number, sent: number) =>
    head('POST', '/', `Content-Length: ${length}\r\n`) + 'a'.repeat(sent);

  it('ends one that comes too slowly', async () => {
    milliseconds = 100;
    expect(await outcomeOf((raw) => raw.write(posted(100, 99)))).toBe('RequestTimeout');
    milliseconds = 60_000;
  });

  it('ends one whose client left', async () => {
    expect(
      await outcomeOf((raw) => {
        server.once('request', () => raw.end());
        raw.write(posted(100, 99));
      }),
    ).toBe('Malformed');
  });

  it('bounds one, those of a caller, and all together', async () => {
    expect(await outcomeOf((raw) => raw.write(posted(1000, 1000)))).toBe('1000');
    expect(await outcomeOf((raw) => raw.write(posted(1001, 1001)))).toBe(TooLarge.name);
    memory.take('caller', 1);
    expect(await outcomeOf((raw) => raw.write(posted(1000, 1000)))).toBe('TooManyRequests');
    memory.giveBack('caller', 1);
    const others = { a: 1000, b: 750, c: 562 };
    for (const [other, bytes] of Object.entries(others)) memory.take(other, bytes);
    expect(() => memory.take('c', 1)).toThrow(Overloaded);
    expect(await outcomeOf((raw) => raw.write(posted(423, 423)))).toBe('Overloaded');
    expect(await outcomeOf((raw) => raw.write(posted(422, 422)))).toBe('422');
    for (const [other, bytes] of Object.entries(others)) memory.giveBack(other, bytes);
    expect(await outcomeOf((raw) => raw.write(posted(1000, 1000)))).toBe('1000');
  });

  it('ends one that comes in very small pieces', async () => {
    const pieces = '1\r\nx\r\n'.repeat(900);
    const chunked = head('POST', '/', 'Transfer-Encoding: chunked\r\n');
    expect(await outcomeOf((raw) => raw.write(`${chunked}${pieces}0\r\n\r\n`))).toBe('Malformed');
  });

  it('does not wait for a stream that has ended', async () => {
    const again: string[] = [];
    const twice = createServer((request, response) => {
      const read = () =>
        withBody(request, { bytes: 1000, milliseconds: 30_000, memory }, 'caller', () => Promise.resolve());
      read()
        .then(read)
        .catch((error: Error) => again.push(error.constructor.name))
        .finally(() => response.end());
    });
    await new Promise<void>((resolve) => twice.listen(0, '127.0.0.1', resolve));
    const raw = socket(`http://127.0.0.1:${(twice.address() as AddressInfo).port}`);
    raw.write(posted(10, 10));
    await raw.untilAnswered();
    expect(again).toEqual(['Malformed']);
    raw.end();
    twice.close();
  });
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endConnectionsAfterAnswers } from '../../src/http/connections/connections';
import { answerInTurn } from '../../src/http/connections/pipelining';
import { EVENTS } from '../support/sending';
import { RawSocket } from '../support/raw-socket';
import { startApp, type TestApp } from '../support/test-app';

const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const LAST = 'Connection: close\r\n';
const statuses = (answer: string) =>
  Array.from(answer.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status);

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.stop());

async function answersTo(text: string): Promise<string> {
  const raw = new RawSocket(service.address);
  raw.write(text);
  await raw.closed;
  return raw.answer;
}

it('answers requests that come at once in their order', async () => {
  const body = '{"url":"https://nobody.example/"}';
  const event = `POST ${EVENTS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answer = await answersTo(get('/health/ready') + event + get('/nowhere') + get('/tracker.js', LAST));
  expect(statuses(answer)).toEqual(['200', '404', '404', '200']);
  expect(answer).toMatch(
    /"status":"ok"[^]*"instance":"\/api\/v1\/events"[^]*"instance":"\/nowhere"[^]*sendBeacon/,
  );
});

it('refuses the tenth and closes the connection behind it', async () => {
  const answer = await answersTo(get('/health/live').repeat(1500));
  expect(statuses(answer)).toEqual([...Array<string>(9).fill('200'), '429']);
  expect(answer).toMatch(/Connection: close\r\n[^]*"code":"too_many_requests"[^]*\}$/);
});

it('works on one request of a connection at a time, and on none that nobody waits for', async () => {
  const begun: ServerResponse[] = [];
  const server = createServer((_, response) => void begun.push(response));
  answerInTurn(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const raw = new RawSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const untilBegun = async (count: number) => {
    while (begun.length < count) await new Promise(setImmediate);
  };
  raw.write(get('/').repeat(9));
  for (let count = 1; count <= 3; count++) {
    await untilBegun(count);
    expect(begun).toHaveLength(count);
    begun.at(-1)!.end('x');
  }
  await untilBegun(4);
  raw.end();
  await new Promise((resolve) => begun[3]!.once('close', resolve));
  expect(begun).toHaveLength(4);
  await new Promise((resolve) => server.close(resolve));
});

it('ends connections with their next answer once the service ends', async () => {
  const server = createServer((_, response) => response.writeHead(202, { 'Content-Length': 0 }).end());
  answerInTurn(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const raw = new RawSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  raw.write(get('/'));
  await raw.untilAnswered();
  expect(raw.answer).toMatch(/Connection: keep-alive/);
  endConnectionsAfterAnswers(server);
  raw.answer = '';
  raw.write(get('/').repeat(2));
  await raw.closed;
  expect(statuses(raw.answer)).toEqual(['202']);
  expect(raw.answer).toMatch(/Connection: close/);
  await new Promise((resolve) => server.close(resolve));
});

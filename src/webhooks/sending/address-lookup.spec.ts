import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressLookup } from './address-lookup';
import { AllowedAddresses } from './allowed-addresses';
import { Poster } from './post';

const TYPE_A = 1;
const HEADER_BYTES = 12;
const SERVFAIL = 2;
const SIX = '2606:4700:4700::1111';
const SIX_BYTES = Buffer.from('26064700470000000000000000001111', 'hex');

/** The answers of a name server for IPv4, one after the other; no answer where there is none left. */
let answers: string[][];
let asked: number;
/** What is answered for IPv6: that there is none, nothing, an address after that of IPv4; or a failure for both. */
let six: 'none' | 'nothing' | 'later' | 'failure';
let askedLater: (() => void) | undefined;
let names: Socket;
let web: Server;
let posts: number;
beforeEach(async () => {
  [answers, asked, posts, six, askedLater] = [[], 0, 0, 'none', undefined];
  names = createSocket('udp4').bind(0, '127.0.0.1');
  names.on('message', (question, { port }) => answer(question, port));
  web = createServer((_, response) => {
    posts++;
    response.end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(names, 'listening'), once(web, 'listening')]);
});
afterEach(() => {
  names.close();
  web.close();
  web.closeAllConnections();
});

function answer(question: Buffer, port: number): void {
  const type = question.readUInt16BE(questionEnd(question) - 4);
  if (six === 'failure') return send(question, port, [], SERVFAIL);
  if (type !== TYPE_A) return answerSix(question, port);
  const addresses = answers[asked++];
  if (!addresses) return;
  send(
    question,
    port,
    addresses.map((address) => Buffer.from(address.split('.').map(Number))),
  );
  askedLater?.();
}

function answerSix(question: Buffer, port: number): void {
  if (six === 'none') send(question, port, []);
  if (six !== 'later') return;
  const answerNow = () => send(question, port, [SIX_BYTES]);
  if (asked > 0) answerNow();
  else askedLater = answerNow;
}

function send(question: Buffer, port: number, addresses: Buffer[], code = 0): void {
  const head = Buffer.from(question.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x8180 + code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8);
  const asking = question.subarray(HEADER_BYTES, questionEnd(question));
  const type = asking.subarray(-4, -2);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, ...type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]),
  );
  names.send(Buffer.concat([head, asking, ...records]), port);
}

/** Behind the name, its type and its class; a question may have further records. */
function questionEnd(question: Buffer): number {
  return question.indexOf(0, HEADER_BYTES) + 5;
}

function lookupWith(allowed: string[], timeout = 200): AddressLookup {
  return new AddressLookup(new AllowedAddresses(allowed), () => {
    const resolver = new Resolver({ timeout, tries: 1 });
    resolver.setServers([`127.0.0.1:${names.address().port}`]);
    return resolver;
  });
}

const find = (allowed: string[], timeout?: number) =>
  lookupWith(allowed, timeout).find('hooks.example', 0, new AbortController().signal);
const post = (allowed: string[]) =>
  new Poster(lookupWith(allowed), 3000).post(
    { url: `http://hooks.example:${(web.address() as AddressInfo).port}/`, headers: {}, body: '{}' },
    new AbortController().signal,
  );

it('finds the allowed addresses of a name alone', async () => {
  answers = [['10.0.0.1', '1.1.1.1', '127.0.0.1']];
  expect(await find([])).toEqual([{ address: '1.1.1.1', family: 4 }]);
});

it('fails where none is allowed, there is none, or nobody answers', async () => {
  answers = [['10.0.0.1', '169.254.169.254'], []];
  await expect(find([])).rejects.toThrow('not on the internet');
  await expect(find([])).rejects.toThrow('the name has no address (ENOTFOUND)');
  await expect(find([])).rejects.toThrow('the name could not be looked up (ETIMEOUT)');
  six = 'failure';
  await expect(find([])).rejects.toThrow('the name could not be looked up (ESERVFAIL)');
});

it('does not wait for a family that gets no answer, once it knows an address of the other', async () => {
  answers = [['1.1.1.1']];
  six = 'nothing';
  expect(await find([], 600_000)).toEqual([{ address: '1.1.1.1', family: 4 }]);
});

it('finds the addresses of both families, though one comes after the other', async () => {
  answers = [['1.1.1.1']];
  six = 'later';
  expect(await find([], 10_000)).toEqual([
    { address: '1.1.1.1', family: 4 },
    { address: SIX, family: 6 },
  ]);
});

it('connects to the address that was checked: the name is looked up once', async () => {
  answers = [['127.0.0.1'], ['10.0.0.1']];
  expect(await post(['127.0.0.1'])).toMatchObject({ status: 200 });
  expect([asked, posts]).toEqual([1, 1]);
});

it('tries four addresses at most', async () => {
  const refusing = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
  answers = [
    [...refusing, '127.0.0.1'],
    [...refusing, '127.0.0.5', '127.0.0.1'],
  ];
  expect(await post(['127.0.0.0/8'])).toMatchObject({ status: 200 });
  await expect(post(['127.0.0.0/8'])).rejects.toThrow();
  expect(posts).toBe(1);
});

it('checks each attempt anew', async () => {
  answers = [['1.1.1.1'], ['127.0.0.1']];
  expect(await find([])).toHaveLength(1);
  await expect(post([])).rejects.toThrow('not on the internet');
  expect(posts).toBe(0);
});

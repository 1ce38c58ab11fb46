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

/** The answers of a name server for IPv4, one after the other; no answer where there is none left. */
let answers: string[][];
let asked: number;
let names: Socket;
let web: Server;
let posts: number;
beforeEach(async () => {
  [answers, asked, posts] = [[], 0, 0];
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
  const isOfFour = question.readUInt16BE(questionEnd(question) - 4) === TYPE_A;
  const addresses = isOfFour ? answers[asked++] : [];
  if (!addresses) return;
  const head = Buffer.from(question.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.fill(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  names.send(Buffer.concat([head, question.subarray(HEADER_BYTES, questionEnd(question)), ...records]), port);
}

/** Behind the name, its type and its class; a question may have further records. */
function questionEnd(question: Buffer): number {
  return question.indexOf(0, HEADER_BYTES) + 5;
}

function lookupWith(allowed: string[]): AddressLookup {
  return new AddressLookup(new AllowedAddresses(allowed), () => {
    const resolver = new Resolver({ timeout: 200, tries: 1 });
    resolver.setServers([`127.0.0.1:${names.address().port}`]);
    return resolver;
  });
}

const find = (allowed: string[]) =>
  lookupWith(allowed).find('hooks.example', 0, new AbortController().signal);
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
  await expect(find([])).rejects.toThrow('ENOTFOUND');
  await expect(find([])).rejects.toThrow('ENOTFOUND');
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

import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressLookup, FoundAddress } from './address-lookup';
import { PostFailure } from './post-failure';
import { MAX_ANSWER_BYTES } from '../deliveries/delivery';

/** For all of an attempt: the look-up of the name, the connection, the answer and its body. */
export const WITHIN_MS = 10_000;
/** Four addresses without an answer take all of the time. */
const CONNECT_WITHIN_MS = 2500;
const MAX_ADDRESSES = 4;
/** Before the answer itself. */
const MAX_INTERIM_ANSWERS = 9;
/** Of all that an address sends: headers, interim answers, the body and its framing. */
const MAX_READ_BYTES = 64 * 1024;
const TOO_SLOW = `no answer within ${WITHIN_MS / 1000} seconds`;

export interface Posted {
  status: number;
  /** The start of the body. */
  /** Null if it may have what only the owner sees. */
  answer: string | null;
}

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Posts texts to addresses that users choose. */
export class Poster {
  constructor(
    private readonly lookup: AddressLookup,
    private readonly withinMs = WITHIN_MS,
  ) {}

  /** Throws if there is no answer. Ends at once if the signal is aborted. */
  async post(post: Post, signal: AbortSignal): Promise<Posted> {
    const deadline = new AbortController();
    const end = () => deadline.abort();
    const timer = setTimeout(end, this.withinMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      return await this.postUntil(post, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted ? new PostFailure(TOO_SLOW) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  private async postUntil({ url, headers, body }: Post, signal: AbortSignal): Promise<Posted> {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const found = await this.lookup.find(host, isIP(host) as 0 | 4 | 6, signal);
    signal.throwIfAborted();
    const begin: typeof requestHttp = protocol === 'https:' ? requestHttps : requestHttp;
    const request = begin({
      ...{ host, port, path: pathname + search, method: 'POST', signal },
      // By default, an address has a quarter of a second. A distant one needs more.
      ...{ lookup: lookupIn(fewOf(found)), autoSelectFamilyAttemptTimeout: CONNECT_WITHIN_MS },
      // No connection outlives its attempt, so that each is to an address that was looked up for it.
      agent: false,
      headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' },
    });
    return answerTo(request, body);
  }
}

/** Half of them are of each family, if there are enough: a network may have only one of the two. */
function fewOf(found: FoundAddress[]): FoundAddress[] {
  const four = found.filter(({ family }) => family === 4);
  const six = found.filter(({ family }) => family === 6);
  const ofFour = MAX_ADDRESSES - Math.min(six.length, MAX_ADDRESSES / 2);
  return [...four.slice(0, ofFour), ...six].slice(0, MAX_ADDRESSES);
}

/** Answers with the addresses that were found, so that nothing else can be connected to. */
function lookupIn(found: FoundAddress[]): LookupFunction {
  return (_, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}

function answerTo(request: ClientRequest, body: string): Promise<Posted> {
  return new Promise((resolve, reject) => {
    // An answer that would change the protocol ends the connection without an error.
    const noAnswer = () => reject(new PostFailure('the connection was closed without an answer'));
    request.on('error', reject).on('close', noAnswer);
    limitReading(request);
    request.on('response', (response) => {
      // From now on there is an answer, whatever becomes of its body.
      request
        .off('error', reject)
        .off('close', noAnswer)
        .on('error', () => undefined);
      void beginOf(response).then((answer) => {
        resolve({ status: response.statusCode!, answer });
        request.destroy();
      });
    });
    request.end(body);
  });
}

/** The main thread parses what comes, so an address may not send without end. */
function limitReading(request: ClientRequest): void {
  let interim = 0;
  request.on('information', () => {
    if (++interim > MAX_INTERIM_ANSWERS)
      request.destroy(new PostFailure(`more than ${MAX_INTERIM_ANSWERS} interim answers`));
  });
  request.on('socket', (socket) =>
    socket.on('data', () => {
      if (socket.bytesRead > MAX_READ_BYTES) request.destroy(new PostFailure('the answer is too large'));
    }),
  );
}

/** The start of a body. What came until the end, or until the connection broke, is enough. */
function beginOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => resolve(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString());
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_ANSWER_BYTES) end();
    });
    response.on('close', end);
    response.on('error', end);
  });
}

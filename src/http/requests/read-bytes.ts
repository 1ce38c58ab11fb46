import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { deadlinesIn } from '../../../engine/ground/time/deadlines';
import type { MemoryBudget } from '../../../engine/ground/memory/memory-budget';
import { Malformed, RequestTimeout, TooLarge } from '../../common/problems';

/** This part of an unwanted body is read and discarded, so that the sender finishes and receives the answer. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

/** A chunk takes some 200 bytes besides its content, and microseconds. Networks deliver few small chunks. */
const MIN_CHUNKS = 256;
const MIN_CHUNK_BYTES = 256;

export interface BodyLimits {
  bytes: number;
  milliseconds: number;
  memory: MemoryBudget;
}

/** Requests whose senders wait for `100 Continue` before they send the body, and the answers to them. */
const unasked = new WeakMap<IncomingMessage, ServerResponse>();

/** Asks for a body when it is read, so that a refusal comes before it. Node would ask at once. */
export function askForBodiesInTime(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    unasked.set(request, response);
    server.emit('request', request, response);
  });
}

/** Takes memory for work with a body. */
export type TakeBodyMemory = (bytes: number) => void;

/** Reads a body. Its memory counts as the caller's until the work with it ends. */
export async function withBody<T>(
  request: IncomingMessage,
  { bytes: maxBytes, milliseconds, memory }: BodyLimits,
  caller: string,
  work: (body: Buffer, take: TakeBodyMemory) => Promise<T>,
): Promise<T> {
  if (unasked.has(request) && Number(request.headers['content-length']) > maxBytes) throw new TooLarge();
  unasked.get(request)?.writeContinue();
  unasked.delete(request);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let taken = 0;
  const take = (more: number) => {
    memory.take(caller, more);
    taken += more;
  };
  try {
    await readAll(request, milliseconds, (chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes + MAX_DISCARDED_BYTES) throw new TooLarge();
      if (bytes > maxBytes) return void (chunks.length = 0);
      if (chunks.length > MIN_CHUNKS + bytes / MIN_CHUNK_BYTES)
        throw new Malformed('The body arrived in too many chunks.');
      take(chunk.length);
      chunks.push(chunk);
    });
    if (bytes > maxBytes) throw new TooLarge();
    return await work(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), take);
  } finally {
    memory.giveBack(caller, taken);
  }
}

/** Discards the start of a body. The rest of a long body stays unread, and so does one that was not asked for. */
export async function discardBody(request: IncomingMessage, milliseconds: number): Promise<void> {
  if (unasked.has(request)) return;
  let bytes = 0;
  const enough = new TooLarge();
  try {
    await readAll(request, milliseconds, (chunk) => {
      bytes += chunk.length;
      if (bytes > MAX_DISCARDED_BYTES) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
}

/** Reads until the end, until `take` throws, or until the deadline. Then the rest stays unread. */
function readAll(
  request: IncomingMessage,
  milliseconds: number,
  take: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (error?: Error) => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      if (!error) return resolve();
      request.off('data', onData).pause();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        settle(error as Error);
      }
    };
    // Every request closes at last, and creating an error is slow.
    const onBroken = () => isSettled || settle(new Malformed('The body is incomplete.'));
    const cancel = deadlinesIn(milliseconds).add(() => settle(new RequestTimeout()));
    if (request.readableEnded || request.destroyed) return void onBroken();
    request
      .on('data', onData)
      .on('end', () => settle())
      .on('error', onBroken)
      .on('close', onBroken);
  });
}

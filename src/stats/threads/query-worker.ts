import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../common/byte-budget';
import { driverCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { Problem } from '../../common/problem';
import { lowerPriority } from '../../common/lower-priority';
import { withTimeout } from '../../common/timeout';
import { partsOf } from '../../common/thread-problem';
import { readerOfThread } from '../../database/thread-database';
import { Website } from '../../websites/website.entity';
import { arraysOfFound } from '../questions/asked-scans';
import type { Check } from '../questions/check';
import type { Offered, Portion, PortionResult } from '../questions/portions';
import { QueryAnswering } from './query-answering';
import {
  END,
  type ListEnd,
  type PortionOffer,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
} from './thread-messages';
import { buffers, buffersOf } from './transferred';

const { address, timezone, cacheMb, threads, leastShared, memory, givesWay } = workerData as ThreadData;
const port = parentPort!;

setCacheBudget(cacheMb / threads);
if (givesWay) lowerPriority();
/** A query that takes too long is ended between two pieces, not in the middle of a statement. */
const GRACE_MS = 2000;
let answering: Promise<QueryAnswering> | undefined;

/** The entry point of a thread that answers queries; `QueryThread` is its other side. */
port.on('message', (message: ThreadQuery | PortionOffer | ListEnd) => {
  if ('closed' in message) void answering?.then((own) => own.close(message.closed));
  else {
    const answer = told('portion' in message ? scanned(message) : answered(message));
    void answer.then((own) => port.postMessage(own, 'result' in own ? buffersOf(own.result) : []));
  }
});

async function answered({ kind, request, patienceMs, end }: ThreadQuery): Promise<ThreadAnswer> {
  answering ??= opened();
  const deadline = performance.now() + patienceMs;
  const check = checkUntil(deadline, end);
  const own = await answering;
  const offer = (portion: Portion) => offered({ portion, patienceMs, end }, deadline);
  const sharing = { others: threads - 1, offer, leastHits: leastShared };
  return {
    result: await own.answer(kind, request, { patienceMs: patienceMs + GRACE_MS, check, sharing }),
  };
}

function offered(work: Omit<PortionOffer, 'port' | 'isTaken'>, deadline: number): Offered {
  const { port1: own, port2: theirs } = new MessageChannel();
  const isTaken = new Int32Array(new SharedArrayBuffer(4));
  const result = new Promise<PortionResult | undefined>((resolve) => {
    own.once('close', () => resolve(undefined));
    own.once('message', (found: PortionResult | undefined) => {
      resolve(found);
      own.close();
    });
  });
  port.postMessage({ ...work, port: theirs, isTaken } satisfies PortionOffer, [theirs]);
  return () => {
    if (take(isTaken)) own.close();
    // Who began late has a later deadline.
    return withTimeout(deadline - performance.now(), result).catch(() => {
      own.close();
      throw new QuestionTooLong();
    });
  };
}

async function scanned(offer: PortionOffer): Promise<ThreadAnswer> {
  const { portion, port: theirs, isTaken, patienceMs, end } = offer;
  if (!take(isTaken)) return { scanned: true };
  try {
    answering ??= opened();
    const check = checkUntil(performance.now() + patienceMs, end);
    const result = await (await answering).scan(portion, patienceMs + GRACE_MS, check);
    theirs.postMessage(result, result ? buffers(arraysOfFound(result.found)) : []);
  } catch (error) {
    theirs.close();
    throw error;
  }
  return { scanned: true };
}

/** False where somebody else did before. */
function take(isTaken: Int32Array): boolean {
  return Atomics.exchange(isTaken, 0, 1) === 0;
}

/** The answer, or what is wrong in words that another thread understands. */
async function told(answer: Promise<ThreadAnswer>): Promise<ThreadAnswer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallerLeft) return { left: true };
    if (error instanceof Problem) return { problem: partsOf(error) };
    const { name, message, stack } = error as Error;
    return { failure: { name, message, stack, code: driverCode(error) } };
  }
}

async function opened(): Promise<QueryAnswering> {
  try {
    return new QueryAnswering(await readerOfThread(address, [Website]), timezone, threads, memory);
  } catch (error) {
    answering = undefined;
    throw error;
  }
}

class QuestionTooLong extends Problem {
  constructor() {
    super(
      503,
      'question_too_long',
      'The question takes too long. What was read for it is partly kept: ask again, or for fewer days.',
      { retryAfterSeconds: 2 },
    );
  }
}

function checkUntil(deadline: number, end: Int32Array): Check {
  return () => {
    const reason = Atomics.load(end, 0);
    if (reason === END.callerLeft) throw new CallerLeft();
    if (reason === END.othersWait || performance.now() > deadline) throw new QuestionTooLong();
  };
}

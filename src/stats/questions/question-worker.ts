import { MessageChannel, parentPort, type Transferable, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../common/byte-budget';
import { CallerLeft } from '../../common/gate';
import { Problem } from '../../common/problem';
import { lowerPriority } from '../../common/lower-priority';
import { arraysOfList } from '../../common/text-list';
import { withTimeout } from '../../common/timeout';
import { partsOf } from '../../common/thread-problem';
import { databaseOfThread } from '../../database/thread-database';
import { Website } from '../../websites/website.entity';
import { QuestionAnswering } from './answering';
import { arraysOfFound } from './asked-scans';
import { Zone } from './buckets';
import { ColumnCache } from './column-cache';
import type { Check } from './check';
import type { Offered, Portion, PortionResult } from './portions';
import {
  END,
  type PortionOffer,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuestion,
  type ThreadResult,
} from './thread-messages';
import { WorkingMemory } from './working-memory';

const { address, timezone, cacheMb, threads, leastShared, memory: ofThread } = workerData as ThreadData;
const port = parentPort!;

setCacheBudget(cacheMb);
lowerPriority();
/** A question that takes too long is ended between two pieces, not in the middle of a statement. */
const GRACE_MS = 2000;
let answering: Promise<QuestionAnswering> | undefined;

/** The entry point of a thread that answers questions; `QuestionThread` is its other side. */
port.on('message', (asked: ThreadQuestion | PortionOffer) => {
  const answer = told('portion' in asked ? scanned(asked) : answered(asked));
  void answer.then((own) => port.postMessage(own, 'result' in own ? buffersOf(own.result) : []));
});

async function answered({ request, patienceMs, end }: ThreadQuestion): Promise<ThreadAnswer> {
  answering ??= opened();
  const deadline = performance.now() + patienceMs;
  const check = checkUntil(deadline, end);
  const own = await answering;
  const offer = (portion: Portion) => offered({ portion, patienceMs, end }, deadline);
  const sharing = { others: threads - 1, offer, leastHits: leastShared };
  const result =
    'questions' in request
      ? await own.answer(request, patienceMs + GRACE_MS, check, sharing)
      : await own.select(request, patienceMs + GRACE_MS, check);
  return { result };
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
    if (!(error instanceof Problem)) return { failure: (error as Error).stack ?? String(error) };
    return { problem: partsOf(error) };
  }
}

async function opened(): Promise<QuestionAnswering> {
  try {
    const database = await databaseOfThread(address, [Website]);
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache(threads, memory.takeForTexts);
    return new QuestionAnswering(database, cache, new Zone(timezone), undefined, memory);
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

/** They go to the other thread without a copy. */
function buffersOf(result: ThreadResult): Transferable[] {
  if ('selected' in result) return buffers([result.selected]);
  return buffers(
    result.answers.flatMap(({ rows: { dimensions, metrics, previous } }) => [
      ...dimensions.flatMap(arraysOfList),
      ...metrics,
      ...previous,
    ]),
  );
}

function buffers(arrays: ArrayBufferView[]): Transferable[] {
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

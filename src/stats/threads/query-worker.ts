import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../common/byte-budget';
import { driverCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { lowerPriority } from '../../common/lower-priority';
import { Problem } from '../../common/problem';
import { withTimeout } from '../../common/timeout';
import { partsOf } from '../../common/thread-problem';
import { readerOfThread } from '../../database/thread-database';
import { Website } from '../../websites/website.entity';
import { arraysOfFound } from '../questions/asked-scans';
import type { Offered, Portion, PortionResult } from '../questions/portions';
import type { Lane } from './lane';
import { PlainLane } from './plain-lane';
import type { QueryKind } from './queries';
import { ScanningLane } from './scanning-lane';
import {
  type ListEnd,
  type Outcome,
  type PortionOffer,
  QUERIES_AT_ONCE,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
} from './thread-messages';
import { buffers, buffersOf } from './transferred';
import { QuestionTooLong, TurnUntil } from './turn';

const { address, timezone, cacheMb, threads, leastShared, memory, lane, newValuesPerDay } =
  workerData as ThreadData;
const port = parentPort!;

setCacheBudget(cacheMb / threads);
if (lane === 'scanning') lowerPriority();
let opening: Promise<PlainLane | ScanningLane> | undefined;

/** The entry point of a thread that answers queries; `QueryThread` is its other side. */
port.on('message', (message: ThreadQuery | PortionOffer | ListEnd) => {
  if ('closed' in message) void closed(message);
  else void answer(message);
});

async function answer(message: ThreadQuery | PortionOffer): Promise<void> {
  const outcome = await told('portion' in message ? scanned(message) : answered(message));
  const answer: ThreadAnswer = { query: message.query, ...outcome };
  port.postMessage(answer, 'result' in answer ? buffersOf(answer.result) : []);
}

async function closed({ closed: list }: ListEnd): Promise<void> {
  const own = await opening?.catch(() => undefined);
  if (own instanceof PlainLane) own.close(list);
}

async function answered({ query, kind, request, patienceMs, end }: ThreadQuery): Promise<Outcome> {
  const turn = new TurnUntil(performance.now() + patienceMs, end);
  const { handlers } = (await opened()) as Lane<QueryKind>;
  const offer = (portion: Portion) => offered({ query, portion, patienceMs, end }, turn.deadline);
  const sharing = { others: threads - 1, offer, leastHits: leastShared };
  return { result: await handlers[kind](request as never, turn, sharing) };
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

async function scanned(offer: PortionOffer): Promise<Outcome> {
  const { portion, port: theirs, isTaken, patienceMs, end } = offer;
  if (!take(isTaken)) return { scanned: true };
  try {
    const turn = new TurnUntil(performance.now() + patienceMs, end);
    const result = await ((await opened()) as ScanningLane).scan(portion, turn);
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
async function told(outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof CallerLeft) return { left: true };
    if (error instanceof Problem) return { problem: partsOf(error) };
    const { name, message, stack } = error as Error;
    return { failure: { name, message, stack, code: driverCode(error) } };
  }
}

/** One that could not be opened is tried again with the next query. */
function opened(): Promise<PlainLane | ScanningLane> {
  opening ??= open().catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function open(): Promise<PlainLane | ScanningLane> {
  const reader = await readerOfThread(address, [Website], QUERIES_AT_ONCE[lane]);
  return lane === 'plain'
    ? new PlainLane(reader, timezone, threads, newValuesPerDay)
    : new ScanningLane(reader, timezone, memory);
}

import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../common/memory/pools';
import { driverCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { Problem } from '../../common/problem';
import { arraysOfList } from '../../common/lists/text-list';
import {
  END,
  type ListEnd,
  type Outcome,
  partsOf,
  QUERIES_AT_ONCE,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
} from './thread-messages';
import { readerOfThread } from '../../database/connections/thread-database';
import { Website } from '../../websites/website.entity';
import type { QueryResult } from '../queries/plan/hit-query';
import { type Lane, PlainLane, ScanningLane } from './lanes';
import type { QueryKind, ResultOf } from './queries';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { Turn } from '../queries/answer/check';

/** So much nicer than others a thread still gets a third of a core that another one wants, too. */
const NICENESS = 5;

/** Has the calling thread give way to others where cores are scarce. Only Linux has priorities of threads. */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // It runs as others do.
  }
}

/** A query that takes too long is ended between two steps, not in the middle of a statement. */
const GRACE_MS = 2000;

class QuestionTooLong extends Problem {
  constructor() {
    super(
      503,
      'question_too_long',
      'The query takes too long. What was read for it is partly kept: ask again, or for fewer days.',
      { retryAfterSeconds: 2 },
    );
  }
}

/** A turn that ends at a deadline, or once a number that the caller shares is not zero. */
class TurnUntil implements Turn {
  constructor(
    private readonly deadline: number,
    private readonly end: Int32Array,
  ) {}

  get patienceMs(): number {
    return this.deadline + GRACE_MS - performance.now();
  }

  readonly check = (): void => {
    const reason = Atomics.load(this.end, 0);
    if (reason === END.callerLeft) throw new CallerLeft();
    if (reason === END.othersWait || performance.now() > this.deadline) throw new QuestionTooLong();
  };
}

const { address, timezone, cacheMb, threads, memory, lane, newValuesPerDay } = workerData as ThreadData;
const port = parentPort!;

setCacheBudget(cacheMb / threads);
let opening: Promise<PlainLane | ScanningLane> | undefined;
if (lane === 'scanning') lowerPriority();
// Started ahead, so its first query need not wait for a connection either.
else void openLane().catch(() => undefined);

/** The entry point of a thread that answers queries; `QueryThread` is its other side. */
port.on('message', (message: ThreadQuery | ListEnd) => {
  if ('closed' in message) void close(message);
  else void answer(message);
});

async function answer(message: ThreadQuery): Promise<void> {
  const outcome = await toMessage(runQuery(message));
  const answer: ThreadAnswer = { query: message.query, ...outcome };
  port.postMessage(answer, 'result' in answer ? buffersOf(answer.result) : []);
}

async function close({ closed: list }: ListEnd): Promise<void> {
  const own = await opening?.catch(() => undefined);
  if (own instanceof PlainLane) own.close(list);
}

async function runQuery({ kind, request, patienceMs, end }: ThreadQuery): Promise<Outcome> {
  const turn = new TurnUntil(performance.now() + patienceMs, end);
  const { handlers } = (await openLane()) as Lane<QueryKind>;
  return { result: await handlers[kind](request as never, turn) };
}

/** The answer, or what is wrong in words that another thread understands. */
async function toMessage(outcome: Promise<Outcome>): Promise<Outcome> {
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
function openLane(): Promise<PlainLane | ScanningLane> {
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

/** What of a result goes to the other thread without a copy. */
function buffersOf(result: ResultOf<QueryKind>): Transferable[] {
  if (result instanceof Uint8Array) return buffers([result]);
  if (result === undefined || Array.isArray(result)) return [];
  if ('selected' in result) return buffers([result.selected]);
  return 'answers' in result ? buffers(arraysOf(result)) : [];
}

function buffers(arrays: ArrayBufferView[]): Transferable[] {
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

function arraysOf({ answers }: QueryResult): ArrayBufferView[] {
  return answers.flatMap(({ rows: { dimensions, metrics, previous } }) => [
    ...dimensions.flatMap(arraysOfList),
    ...metrics,
    ...previous,
  ]);
}

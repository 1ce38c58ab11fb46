import { type Transferable, parentPort, workerData } from 'node:worker_threads';
import { setCacheBudget } from '../../ground/memory/memory-limits';
import { HASHES_IN_MEMORY } from '../../ground/memory/hashes-in-memory';
import { CallerLeft } from '../../ground/gate';
import { measuredHere } from '../../ground/measures';
import { Problem, QuestionTooLong } from '../../ground/errors';
import { arraysOfList } from '../../ground/lists/text-list';
import {
  END,
  type ListEnd,
  type MeasuredThread,
  QUERIES_AT_ONCE,
  type QueryOutcome,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
  failureOf,
  problemParts,
} from './thread-messages';
import { readerOfThread } from '../../database/connections/thread-database';
import type { QueryResult } from '../../questions/plan/hit-query';
import type { PlainKind, QueryKind, RequestOf, ResultOf, ScanKind } from './queries';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { TimeLimit } from '../../ground/deadline-check';
import { DayClock } from '../../ground/time/day-clock';
import type { Reader } from '../../database/database';
import { valueLimitsOf } from '../../hits/rules/value-limits';
import { DaySelection } from '../hits/day-selection';
import { giveHome, letAsk, NeedsHome } from '../homes/homes';
import { HitsReading } from '../hits/hits-reading';
import { LiveAnswering } from '../live/live-answering';
import { NeedsScan } from '../plain/counted-days';
import { PlainAnswering } from '../plain/plain-answering';
import { OpenLists } from './open-lists';
import { ConversionAnswering } from '../answering/conversion-answering';
import { QueryAnswering } from '../answering/query-answering';
import { Zone } from '../../questions/plan/buckets';
import { ColumnCache } from '../read/column-cache';
import { WalkAnswering } from '../answering/walk-answering';
import { type ThreadMemory, WorkingMemory } from '../../asking/memory/working-memory';
import { type ListKind } from '../../questions/questions';

/** With this niceness, a thread still gets a third of a core that another one competes for. */
const NICENESS = 5;

/** Lowers the priority of the calling thread. Only Linux has priorities of threads. */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // It runs as others do.
  }
}

/** A query over its deadline ends between two steps, not within a statement. */
const GRACE_MS = 2000;

const ADVICE = {
  ofHits: 'Part of its data is cached: try again, or request fewer days.',
  ofHome: 'It reads hits from the warehouse, which takes long: request fewer days.',
};

/** Ends at a deadline, or when the caller sets a shared number. */
class LimitUntil implements TimeLimit {
  constructor(
    private readonly deadline: number,
    private readonly end: Int32Array,
    private readonly advice: string,
  ) {}

  get patienceMs(): number {
    return this.deadline + GRACE_MS - performance.now();
  }

  readonly check = (): void => {
    const reason = Atomics.load(this.end, 0);
    if (reason === END.callerLeft) throw new CallerLeft();
    if (reason === END.othersWait || performance.now() > this.deadline)
      throw new QuestionTooLong(this.advice);
  };
}

/** The handlers of a lane's queries. */
type Handlers<Kinds extends QueryKind> = {
  readonly [K in Kinds]: (request: RequestOf<K>, limit: TimeLimit) => ResultOf<K> | Promise<ResultOf<K>>;
};

/** The state of a thread that answers one lane. It stays for further queries. */
interface Lane<Kinds extends QueryKind> {
  readonly handlers: Handlers<Kinds>;
  readonly lists: OpenLists;
  /** Drops hashes of visitors that were not used for a while. */
  readonly dropHashes: () => void;
}

type PlainKinds = PlainKind | ListKind | 'nextPiece';
type ScanningKinds = ScanKind | 'plain' | 'shown' | ListKind | 'nextPiece';

/** Answers short queries, and others in short steps. */
class PlainLane implements Lane<PlainKinds> {
  readonly handlers: Handlers<PlainKinds>;
  readonly lists = new OpenLists();
  readonly dropHashes: () => void;

  constructor(
    reader: Reader,
    timezone: string,
    threads: number,
    newValuesPerDay: number,
    ofThread: ThreadMemory,
  ) {
    const maxValues = valueLimitsOf(newValuesPerDay).newPerDay;
    const plain = new PlainAnswering(reader, maxValues, threads, ofThread);
    const hits = new HitsReading(reader);
    const live = new LiveAnswering(reader, new DayClock(timezone), threads);
    const { lists } = this;
    this.dropHashes = () => [plain, live].forEach((own) => own.dropHashes());
    this.handlers = {
      plain: (request, limit) => plain.answer(request, limit),
      shown: (request, limit) => plain.shown(request, limit),
      live: (request, limit) => live.look(request, limit),
      hitsVersion: (request, limit) => hits.version(request, limit),
      whole: (request, limit) => lists.open(request.list, limit, (own) => plain.whole(request, own)),
      hits: (request, limit) => lists.open(request.list, limit, (own) => hits.lines(request, own)),
      nextPiece: ({ list }, limit) => lists.next(list, limit),
    };
  }
}

/** Answers queries that scan hits, one at a time. Short queries are among them where something is left out. */
class ScanningLane implements Lane<ScanningKinds> {
  readonly handlers: Handlers<ScanningKinds>;
  readonly lists = new OpenLists();
  readonly dropHashes: () => void;

  constructor(
    reader: Reader,
    timezone: string,
    threads: number,
    newValuesPerDay: number,
    ofThread: ThreadMemory,
  ) {
    const memory = new WorkingMemory(ofThread);
    const cache = new ColumnCache({ takeMemory: memory.takeForTexts });
    const zone = new Zone(timezone);
    const maxValues = valueLimitsOf(newValuesPerDay).newPerDay;
    const plain = new PlainAnswering(reader, maxValues, threads, ofThread, zone);
    this.dropHashes = () => [cache, plain].forEach((own) => own.dropHashes());
    const hitQueries = new QueryAnswering(reader, cache, zone, memory);
    const conversions = new ConversionAnswering(cache, zone, memory, hitQueries);
    const walks = new WalkAnswering(reader, cache, zone, memory, hitQueries);
    const hits = new HitsReading(reader, new DaySelection(cache, zone, memory, hitQueries));
    const { lists } = this;
    this.handlers = {
      hitQueries: (request, { patienceMs, check }) => hitQueries.answer(request, patienceMs, check),
      funnel: (request, limit) => walks.funnel(request, limit),
      journey: (request, limit) => walks.journey(request, limit),
      conversions: (request, limit) => conversions.read(request, limit),
      plain: (request, limit) => plain.answer(request, limit),
      shown: (request, limit) => plain.shown(request, limit),
      whole: (request, limit) => lists.open(request.list, limit, (own) => plain.whole(request, own)),
      hits: (request, limit) => lists.open(request.list, limit, (own) => hits.lines(request, own)),
      nextPiece: ({ list }, limit) => lists.next(list, limit),
    };
  }
}

const { address, timezone, cacheMb, threads, memory, lane, newValuesPerDay, moves, hangsUntil } =
  workerData as ThreadData;
const port = parentPort!;

const TELLS_AFTER_MS = 1000;
let telling: NodeJS.Timeout | undefined;

setCacheBudget(cacheMb / threads);
giveHome(moves, hangsUntil);
let opening: Promise<PlainLane | ScanningLane> | undefined;
if (lane === 'scanning') lowerPriority();
// Opened ahead, so that its first query waits for less.
else void openLane().catch(() => undefined);

setInterval(() => void dropHashes(), HASHES_IN_MEMORY.dropEveryMs);

/** The entry point of a query thread. `QueryThread` is its other side. */
port.on('message', (message: ThreadQuery | ListEnd) => {
  if ('closed' in message) void close(message);
  else void answer(message);
});

async function answer(message: ThreadQuery): Promise<void> {
  const outcome = await toMessage(runQuery(message));
  const answer: ThreadAnswer = { query: message.query, ...outcome };
  port.postMessage(answer, 'result' in answer ? buffersOf(answer.result) : []);
  telling ??= setTimeout(tell, TELLS_AFTER_MS);
}

/** Soon after answers, so that a thread without work stays asleep. */
function tell(): void {
  telling = undefined;
  port.postMessage({ measured: measuredHere() } satisfies MeasuredThread);
}

async function dropHashes(): Promise<void> {
  const own = await opening?.catch(() => undefined);
  own?.dropHashes();
}

async function close({ closed: list }: ListEnd): Promise<void> {
  const own = await opening?.catch(() => undefined);
  own?.lists.close(list);
}

async function runQuery({ kind, request, patienceMs, end, asksHome }: ThreadQuery): Promise<QueryOutcome> {
  const advice = ADVICE[asksHome ? 'ofHome' : 'ofHits'];
  const limit = new LimitUntil(performance.now() + patienceMs, end, advice);
  // The scanning lane has one query at once, and the other one never asks.
  letAsk(asksHome);
  const { handlers } = (await openLane()) as Lane<QueryKind>;
  return { result: await handlers[kind](request as never, limit) };
}

/** The answer, or the error in a form that another thread can read. */
async function toMessage(outcome: Promise<QueryOutcome>): Promise<QueryOutcome> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof CallerLeft) return { left: true };
    if (error instanceof NeedsHome) return lane === 'plain' ? { needsScan: true } : { needsHome: true };
    if (error instanceof NeedsScan) return { needsScan: true };
    if (error instanceof Problem) return { problem: problemParts(error) };
    return { failure: failureOf(error) };
  }
}

/** If opening fails, the next query tries again. */
function openLane(): Promise<PlainLane | ScanningLane> {
  opening ??= open().catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function open(): Promise<PlainLane | ScanningLane> {
  const reader = await readerOfThread(address, QUERIES_AT_ONCE[lane]);
  return lane === 'plain'
    ? new PlainLane(reader, timezone, threads, newValuesPerDay, memory)
    : new ScanningLane(reader, timezone, threads, newValuesPerDay, memory);
}

/** The buffers of a result that are transferred without a copy. */
function buffersOf(result: ResultOf<QueryKind>): Transferable[] {
  if (result instanceof Uint8Array) return buffers([result]);
  const hasAnswers = typeof result === 'object' && 'answers' in result;
  return hasAnswers ? buffers(arraysOf(result)) : [];
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

import type { Worker } from 'node:worker_threads';
import { Log } from '../../ground/log';
import { builtFile } from '../../ground/threads/built-file';
import { errorCode } from '../../ground/error-code';
import { CallerLeft } from '../../ground/gate';
import { Overloaded, QuestionTooLong } from '../../ground/errors';
import { garbageOfScansInMebibytes } from '../../ground/memory/memory-limits';
import { Counter, Durations, Gauge, MEASURED_THREADS } from '../../ground/measures';
import { startThread } from '../../ground/threads/worker-thread';
import {
  END,
  type ListEnd,
  type MeasuredThread,
  errorOf,
  problemOf,
  problemParts,
  QUERIES_AT_ONCE,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
} from './thread-messages';
import { withTimeout } from '../../ground/time/timeout';
import { NeedsHome } from '../homes/homes';
import { NeedsScan } from '../plain/counted-days';
import { giveBackOf } from '../../asking/memory/working-memory';
import type { QueryKind, RequestOf, ResultOf } from './queries';
import { QUERY_TIMES, type QueryTimes } from './query-deadlines';

/** The circumstances of a query. */
export interface QueryContext {
  signal: AbortSignal | undefined;
  /** Tells whether the query must give way after its turn. */
  doOthersWait?: (() => boolean) | undefined;
  /** For a query without a user: whether it must give way earlier. */
  doUsersWait?: (() => boolean) | undefined;
  /** The time that the query has spent in another thread. */
  spentMs?: number;
  /** Tells whether it may ask a remote home. Without it, one that has to fails by `NeedsHome`. */
  asksHome?: boolean;
}

const WORKER = 'engine/columns/threads/query-worker.js';
const LOOK_EVERY_MS = 100;
const ADVICE = 'Request fewer days, or send fewer or shorter texts in filters.';
/** For texts and decoded hits. Columns and counts are outside of the heap. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 };

const SECONDS = new Durations(
  'query_seconds',
  'Queries of statistics and pieces of lists, from their turn on.',
  ['lane', 'kind'],
);
const OUTCOMES = new Counter('queries_total', 'Queries of statistics and pieces of lists.', [
  'lane',
  'kind',
  'outcome',
]);
const RUNNING = new Gauge('queries_running', 'Queries that threads answer.', ['lane']);
const THREADS = new Gauge('query_threads', 'Threads that answer queries.', ['lane']);
const ENDED = new Counter(
  'query_threads_ended_total',
  'Threads that ended because a query missed its deadline.',
  ['lane'],
);

/** The outcome of a query whose thread had to end because of another one. */
const AGAIN = 'again';

/** A thread that answers a number of queries at once. It is started on demand. */
export class QueryThread {
  private readonly logger = new Log('Queries');
  private worker: Worker | undefined;
  private isStopped = false;
  private readonly times: QueryTimes;
  /** By the number of the waiting query. */
  private readonly pending = new Map<number, (answer: ThreadAnswer | typeof AGAIN | undefined) => void>();
  private lastQuery = 0;

  constructor(
    private readonly data: ThreadData,
    times: Partial<QueryTimes> = {},
  ) {
    this.times = { ...QUERY_TIMES, ...times };
  }

  async ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    { signal, doOthersWait = () => false, doUsersWait, spentMs = 0, asksHome = false }: QueryContext,
  ): Promise<ResultOf<K>> {
    const { ownTurnMs, anonymousTurnMs } = this.times;
    const patienceMs = this.times.patienceMs - spentMs;
    const turnEndsAt = performance.now() + ownTurnMs;
    const end = new Int32Array(new SharedArrayBuffer(4));
    const leave = () => void Atomics.compareExchange(end, 0, 0, END.callerLeft);
    signal?.addEventListener('abort', leave, { once: true });
    const giveWay = () => {
      const isOver = performance.now() >= turnEndsAt;
      if (doUsersWait?.() || (isOver && doOthersWait())) Atomics.compareExchange(end, 0, 0, END.othersWait);
      else timer = setTimeout(giveWay, LOOK_EVERY_MS);
    };
    let timer = setTimeout(giveWay, doUsersWait ? anonymousTurnMs : ownTurnMs);
    const { lane } = this.data;
    RUNNING.add(1, lane);
    try {
      const waiting = () => this.waitForAnswer({ kind, request, patienceMs, end, asksHome });
      const answer = await SECONDS.during(waiting, lane, kind);
      OUTCOMES.add(1, lane, kind, outcomeOf(answer));
      return resultOf<K>(answer);
    } finally {
      RUNNING.add(-1, lane);
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Starts the thread ahead of its first query, which would have to wait otherwise. */
  start(): void {
    if (!this.isStopped) this.worker ??= this.started();
  }

  /** Call it when nobody reads a list any more. */
  close(list: number): void {
    this.worker?.postMessage({ closed: list } satisfies ListEnd);
  }

  /** Terminates the thread for good: a waiting query does not restart it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.end();
  }

  /** Terminates the thread. The next query starts another one. */
  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Undefined if the thread ended without an answer. */
  private async waitForAnswer(message: Omit<ThreadQuery, 'query'>): Promise<ThreadAnswer | undefined> {
    if (this.isStopped) return undefined;
    const worker = (this.worker ??= this.started());
    const query = ++this.lastQuery;
    const sentAt = performance.now();
    const answer = new Promise<ThreadAnswer | typeof AGAIN | undefined>((settle) =>
      this.pending.set(query, settle),
    );
    worker.postMessage({ ...message, query } satisfies ThreadQuery);
    try {
      const settled = await withTimeout(message.patienceMs + this.times.graceMs, answer);
      if (settled !== AGAIN) return settled;
    } catch {
      await this.endBecauseOf(query, message.kind);
      // Among several queries, another one may have held the thread.
      const isAlone = QUERIES_AT_ONCE[this.data.lane] === 1;
      return isAlone ? { query, problem: problemParts(new QuestionTooLong(ADVICE)) } : undefined;
    } finally {
      this.pending.delete(query);
    }
    const patienceMs = message.patienceMs - (performance.now() - sentAt);
    return patienceMs > 0 ? this.waitForAnswer({ ...message, patienceMs }) : undefined;
  }

  /** The other queries begin anew in the next thread, with the time that they have left. */
  private async endBecauseOf(query: number, kind: QueryKind): Promise<void> {
    const others = [...this.pending].filter(([other]) => other !== query);
    for (const [other] of others) this.pending.delete(other);
    this.logger.warn(
      `a query (${kind}) missed its deadline: its thread ends, and ${others.length} other queries begin anew`,
    );
    ENDED.add(1, this.data.lane);
    await this.end();
    for (const [, settle] of others) settle(AGAIN);
  }

  private started(): Worker {
    const worker = startThread(builtFile(WORKER), limitsOf(this.data), this.data);
    THREADS.add(1, this.data.lane);
    worker.on('message', (message: ThreadAnswer | MeasuredThread) => {
      if ('measured' in message) MEASURED_THREADS.note(worker, message.measured);
      else this.pending.get(message.query)?.(message);
    });
    worker.on('error', (error) =>
      this.logger.error('A thread for queries failed', { cause: errorCode(error) }),
    );
    worker.once('exit', () => {
      giveBackOf(this.data.memory);
      THREADS.add(-1, this.data.lane);
      MEASURED_THREADS.end(worker);
      if (this.worker === worker) this.worker = undefined;
      for (const settle of this.pending.values()) settle(undefined);
    });
    return worker;
  }
}

/** The threads of the scanning lane share the memory for garbage. */
export function limitsOf({ lane, threads }: Pick<ThreadData, 'lane' | 'threads'>) {
  const garbage = lane === 'scanning' ? garbageOfScansInMebibytes() : 0;
  return { ...LIMITS, collectedFromMb: Math.floor(garbage / threads) };
}

function outcomeOf(answer: ThreadAnswer | undefined): string {
  if (!answer) return 'thread_ended';
  if ('problem' in answer) return answer.problem.code;
  const known = ['result', 'left', 'needsScan', 'needsHome', 'failure'].find((outcome) => outcome in answer);
  return known === 'result' ? 'answered' : known!;
}

function resultOf<K extends QueryKind>(answer: ThreadAnswer | undefined): ResultOf<K> {
  if (!answer) throw new Overloaded();
  if ('result' in answer) return answer.result;
  if ('left' in answer) throw new CallerLeft();
  if ('needsScan' in answer) throw new NeedsScan();
  if ('needsHome' in answer) throw new NeedsHome();
  if ('failure' in answer) throw errorOf(answer.failure);
  throw problemOf(answer.problem);
}

import type { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { builtFile } from '../../common/threads/built-file';
import { errorCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { Overloaded } from '../../common/problem';
import { startThread } from '../../common/threads/worker-thread';
import {
  END,
  type Failure,
  type ListEnd,
  problemOf,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuery,
} from './thread-messages';
import { withTimeout } from '../../common/time/timeout';
import { giveBackOf } from '../queries/answer/working-memory';
import type { QueryKind, RequestOf, ResultOf } from './queries';

/** What goes along with a query. */
export interface Asking {
  signal: AbortSignal | undefined;
  /** Whether it is to give way once it had its turn. */
  doOthersWait?: (() => boolean) | undefined;
  /** For a query of no user: whether it is to give way before. */
  doUsersWait?: (() => boolean) | undefined;
}

const WORKER = 'src/stats/threads/query-worker.js';
const TIMES = {
  /** A connection on which nothing is said for 30 seconds is ended. */
  patienceMs: 20_000,
  /** After so long a query gives way to those of others, who wait ten seconds for their turn. */
  ownTurnMs: 5000,
  /** After so long a query of no user gives way to users. */
  anonymousTurnMs: 500,
};
const LOOK_EVERY_MS = 100;
/** A thread that does not hear the end of a deadline does not answer others either, and is ended. */
const GRACE_MS = 5000;
/** For texts and decoded hits; columns and counts are outside of the heap. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 };

/** A thread that answers some queries at once. It is started when it is needed. */
export class QueryThread {
  private readonly logger = new Logger('Queries');
  private worker: Worker | undefined;
  private isStopped = false;
  private readonly times: typeof TIMES;
  /** By the queries that wait for an answer. */
  private readonly pending = new Map<number, (answer: ThreadAnswer | undefined) => void>();
  private lastQuery = 0;

  constructor(
    private readonly data: ThreadData,
    times: Partial<typeof TIMES> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  async ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    { signal, doOthersWait = () => false, doUsersWait }: Asking,
  ): Promise<ResultOf<K>> {
    const { patienceMs, ownTurnMs, anonymousTurnMs } = this.times;
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
    try {
      return resultOf<K>(await this.waitForAnswer({ kind, request, patienceMs, end }));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Starts the thread before its first query, which would wait for that otherwise. */
  start(): void {
    if (!this.isStopped) this.worker ??= this.started();
  }

  /** Says that nobody reads a list any more. */
  close(list: number): void {
    this.worker?.postMessage({ closed: list } satisfies ListEnd);
  }

  /** Ends the thread for good: a query that waited for its turn starts no other one. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.end();
  }

  /** Ends the thread; the next query starts another one. */
  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Undefined where the thread ended before it answered. */
  private async waitForAnswer(message: Omit<ThreadQuery, 'query'>): Promise<ThreadAnswer | undefined> {
    if (this.isStopped) return undefined;
    const worker = (this.worker ??= this.started());
    const query = ++this.lastQuery;
    const answer = new Promise<ThreadAnswer | undefined>((settle) => this.pending.set(query, settle));
    worker.postMessage({ ...message, query } satisfies ThreadQuery);
    try {
      return await withTimeout(this.times.patienceMs + GRACE_MS, answer);
    } catch {
      await this.end();
      return undefined;
    } finally {
      this.pending.delete(query);
    }
  }

  private started(): Worker {
    const worker = startThread(builtFile(WORKER), LIMITS, this.data);
    worker.on('message', (answer: ThreadAnswer) => this.pending.get(answer.query)?.(answer));
    worker.on('error', (error) =>
      this.logger.error('A thread for queries failed', { cause: errorCode(error) }),
    );
    worker.once('exit', () => {
      giveBackOf(this.data.memory);
      if (this.worker === worker) this.worker = undefined;
      for (const settle of this.pending.values()) settle(undefined);
    });
    return worker;
  }
}

function resultOf<K extends QueryKind>(answer: ThreadAnswer | undefined): ResultOf<K> {
  if (!answer) throw new Overloaded();
  if ('result' in answer) return answer.result;
  if ('left' in answer) throw new CallerLeft();
  if ('failure' in answer) throw errorOf(answer.failure);
  throw problemOf(answer.problem);
}

function errorOf({ message, ...own }: Failure): Error {
  return Object.assign(new Error(message), own);
}

import type { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { builtFile } from '../../common/built-file';
import { errorCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { type FieldErrors, Overloaded, Problem, type ProblemCode } from '../../common/problem';
import { startThread } from '../../common/start-thread';
import { isLogMessage, writeLog } from '../../common/thread-logger';
import { withTimeout } from '../../common/timeout';
import type { DatabaseAddress } from '../../config/settings';
import type { QuestionRequest, QuestionResult, SelectedHits, SelectionRequest } from './question';

/** What the thread has to know from the beginning. */
export interface ThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  /** How many threads share the memory for columns. */
  threads: number;
}

export interface ThreadQuestion {
  request: QuestionRequest | SelectionRequest;
  patienceMs: number;
  /** Not zero once the work is to end. */
  end: Int32Array;
}

/** Why the work is to end before its time is up. */
export const END = { callerLeft: 1, othersWait: 2 };

/** A problem as it goes from thread to thread. */
export interface ProblemParts {
  status: number;
  code: ProblemCode;
  detail: string;
  errors: FieldErrors | undefined;
  retryAfterSeconds: number | undefined;
}

export type ThreadResult = QuestionResult | SelectedHits;
export type ThreadAnswer =
  { result: ThreadResult } | { problem: ProblemParts } | { left: true } | { failure: string };

const WORKER = 'src/stats/questions/question-worker.js';
/** A connection on which nothing is said for 30 seconds is ended. */
const PATIENCE_MS = 20_000;
/** After so long a question gives way to those of others, who wait ten seconds for their turn. */
const OWN_TURN_MS = 5000;
const LOOK_EVERY_MS = 100;
/** A thread that does not hear the end of its own deadline is ended. */
const GRACE_MS = 5000;
/** For texts and decoded hits; columns and counts are outside of the heap. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24 };

/** A thread that answers one question at a time. It is started when it is needed. */
export class QuestionThread {
  private readonly logger = new Logger('Questions');
  private worker: Worker | undefined;
  private settle: (answer: ThreadAnswer | undefined) => void = () => undefined;

  constructor(
    private readonly data: ThreadData,
    private readonly ownTurnMs = OWN_TURN_MS,
  ) {}

  ask(
    request: QuestionRequest,
    signal: AbortSignal | undefined,
    doOthersWait?: () => boolean,
  ): Promise<QuestionResult> {
    return this.run(request, signal, doOthersWait) as Promise<QuestionResult>;
  }

  select(
    request: SelectionRequest,
    signal: AbortSignal | undefined,
    doOthersWait?: () => boolean,
  ): Promise<SelectedHits> {
    return this.run(request, signal, doOthersWait) as Promise<SelectedHits>;
  }

  private async run(
    request: ThreadQuestion['request'],
    signal: AbortSignal | undefined,
    doOthersWait = () => false,
  ): Promise<ThreadResult> {
    const end = new Int32Array(new SharedArrayBuffer(4));
    const leave = () => void Atomics.store(end, 0, END.callerLeft);
    signal?.addEventListener('abort', leave, { once: true });
    const giveWay = () => {
      if (doOthersWait()) Atomics.compareExchange(end, 0, 0, END.othersWait);
      else timer = setTimeout(giveWay, LOOK_EVERY_MS);
    };
    let timer = setTimeout(giveWay, this.ownTurnMs);
    try {
      return resultOf(await this.answered({ request, patienceMs: PATIENCE_MS, end }));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Undefined where the thread ended before it answered. */
  private async answered(question: ThreadQuestion): Promise<ThreadAnswer | undefined> {
    const worker = (this.worker ??= this.started());
    const answer = new Promise<ThreadAnswer | undefined>((resolve) => (this.settle = resolve));
    worker.postMessage(question);
    try {
      return await withTimeout(PATIENCE_MS + GRACE_MS, answer);
    } catch {
      await worker.terminate();
      return undefined;
    }
  }

  private started(): Worker {
    const worker = startThread(builtFile(WORKER), LIMITS, this.data);
    worker.on('message', (message) =>
      isLogMessage(message) ? writeLog(message) : this.settle(message as ThreadAnswer),
    );
    worker.on('error', (error) =>
      this.logger.error('A thread for questions failed', { cause: errorCode(error) }),
    );
    worker.once('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      this.settle(undefined);
    });
    return worker;
  }
}

function resultOf(answer: ThreadAnswer | undefined): ThreadResult {
  if (!answer) throw new Overloaded();
  if ('result' in answer) return answer.result;
  if ('left' in answer) throw new CallerLeft();
  if ('failure' in answer) throw new Error(answer.failure);
  const { status, code, detail, ...details } = answer.problem;
  throw new Problem(status, code, detail, withoutUndefined(details));
}

function withoutUndefined({ errors, retryAfterSeconds }: Pick<ProblemParts, 'errors' | 'retryAfterSeconds'>) {
  return { ...(errors && { errors }), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

import type { Transferable, Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { builtFile } from '../../common/built-file';
import { errorCode } from '../../common/error-code';
import { CallerLeft } from '../../common/gate';
import { Overloaded } from '../../common/problem';
import { startThread } from '../../common/start-thread';
import { problemOf } from '../../common/thread-problem';
import { withTimeout } from '../../common/timeout';
import type { QuestionRequest, QuestionResult, SelectedHits, SelectionRequest } from './question';
import {
  END,
  type PortionOffer,
  type ThreadAnswer,
  type ThreadData,
  type ThreadQuestion,
  type ThreadResult,
} from './thread-messages';
import { giveBackOf } from './working-memory';

/** What goes along with a question. */
export interface Asking {
  signal: AbortSignal | undefined;
  /** Whether the question is to give way once it had its turn. */
  doOthersWait?: (() => boolean) | undefined;
  /** For a question of no user: whether it is to give way before. */
  doUsersWait?: (() => boolean) | undefined;
  /** Hands a portion of the question to another thread. */
  share?: ((offer: PortionOffer) => void) | undefined;
}

const WORKER = 'src/stats/questions/question-worker.js';
const TIMES = {
  /** A connection on which nothing is said for 30 seconds is ended. */
  patienceMs: 20_000,
  /** After so long a question gives way to those of others, who wait ten seconds for their turn. */
  ownTurnMs: 5000,
  /** After so long a question of no user gives way to users. */
  anonymousTurnMs: 500,
};
const LOOK_EVERY_MS = 100;
/** A thread that does not hear the end of its own deadline is ended. */
const GRACE_MS = 5000;
/** For texts and decoded hits; columns and counts are outside of the heap. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 };

/** A thread that answers one question at a time. It is started when it is needed. */
export class QuestionThread {
  private readonly logger = new Logger('Questions');
  private worker: Worker | undefined;
  private isStopped = false;
  private readonly times: typeof TIMES;
  private share: (offer: PortionOffer) => void = () => undefined;
  private settle: (answer: ThreadAnswer | undefined) => void = () => undefined;

  constructor(
    private readonly data: ThreadData,
    times: Partial<typeof TIMES> = {},
  ) {
    this.times = { ...TIMES, ...times };
  }

  ask(request: QuestionRequest, asking: Asking): Promise<QuestionResult> {
    return this.run(request, asking) as Promise<QuestionResult>;
  }

  select(request: SelectionRequest, asking: Asking): Promise<SelectedHits> {
    return this.run(request, asking) as Promise<SelectedHits>;
  }

  /** Scans what another thread offers, if that has not begun with it itself. */
  async scan(offer: PortionOffer): Promise<void> {
    if (Atomics.load(offer.isTaken, 0) !== 0) return;
    const answer = await this.answered(offer, [offer.port]);
    if (answer && 'failure' in answer)
      this.logger.error('A portion of a question failed', { cause: answer.failure });
  }

  private async run(
    request: ThreadQuestion['request'],
    { signal, doOthersWait = () => false, doUsersWait, share = () => undefined }: Asking,
  ): Promise<ThreadResult> {
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
    this.share = share;
    try {
      return resultOf(await this.answered({ request, patienceMs, end }));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      // Nobody needs portions of it any more.
      leave();
    }
  }

  /** Ends the thread for good: a question that waited for its turn starts no other one. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.end();
  }

  /** Ends the thread; the next question starts another one. */
  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  /** Undefined where the thread ended before it answered. */
  private async answered(
    question: ThreadQuestion | PortionOffer,
    transferred: Transferable[] = [],
  ): Promise<ThreadAnswer | undefined> {
    if (this.isStopped) return undefined;
    const worker = (this.worker ??= this.started());
    const answer = new Promise<ThreadAnswer | undefined>((resolve) => (this.settle = resolve));
    worker.postMessage(question, transferred);
    try {
      return await withTimeout(this.times.patienceMs + GRACE_MS, answer);
    } catch {
      await this.end();
      return undefined;
    }
  }

  private started(): Worker {
    const worker = startThread(builtFile(WORKER), LIMITS, this.data);
    worker.on('message', (message: ThreadAnswer | PortionOffer) => {
      if ('portion' in message) this.share(message);
      else this.settle(message);
    });
    worker.on('error', (error) =>
      this.logger.error('A thread for questions failed', { cause: errorCode(error) }),
    );
    worker.once('exit', () => {
      giveBackOf(this.data.memory);
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
  if ('scanned' in answer) throw new Error('A question was answered as a portion of one');
  throw problemOf(answer.problem);
}

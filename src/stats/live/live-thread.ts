import type { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { builtFile } from '../../common/built-file';
import { errorCode } from '../../common/error-code';
import { Overloaded } from '../../common/problem';
import { startThread } from '../../common/start-thread';
import { type ProblemParts, problemOf } from '../../common/thread-problem';
import { withTimeout } from '../../common/timeout';
import type { DatabaseAddress } from '../../config/settings';
import type { LiveNumbers } from './live-websites';

export interface LiveThreadData {
  address: DatabaseAddress;
  timezone: string;
  cacheMb: number;
  patienceMs: number;
}

export type LiveAnswer = { numbers: LiveNumbers } | { problem: ProblemParts } | { failure: string };

const WORKER = 'src/stats/live/live-worker.js';
const PATIENCE_MS = 10_000;
/** A thread that does not hear the end of its own deadline is ended. */
const GRACE_MS = 5000;
/** What it has read serves those who come back after a short while. */
const IDLE_MS = 5 * 60_000;
/** The sets are a few MiB with the default `CACHE_MB`; the bytes of hits are outside of the heap. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/**
 * The thread that reads hits for those who look at live visitors, one website at a time: where many events come in, the
 * event loop is busy with them. It is started by a look, and ended when nobody has looked for some minutes.
 */
export class LiveThread {
  private readonly logger = new Logger('Live');
  private worker: Worker | undefined;
  private settle: (answer: LiveAnswer | undefined) => void = () => undefined;
  private idle: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly data: Omit<LiveThreadData, 'patienceMs'>,
    private readonly idleMs = IDLE_MS,
  ) {}

  async look(websiteId: number): Promise<LiveNumbers> {
    clearTimeout(this.idle);
    try {
      const answer = await this.answered(websiteId);
      if (!answer) throw new Overloaded();
      if ('numbers' in answer) return answer.numbers;
      throw 'problem' in answer ? problemOf(answer.problem) : new Error(answer.failure);
    } finally {
      this.idle = setTimeout(() => void this.end(), this.idleMs).unref();
    }
  }

  /** Ends the thread for good: a look that waited for its turn starts no other one. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.end();
  }

  /** Ends the thread; the next look starts another one. */
  async end(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    this.settle(undefined);
    await worker?.terminate();
  }

  /** Undefined where the thread ended before it answered. */
  private async answered(websiteId: number): Promise<LiveAnswer | undefined> {
    if (this.isStopped) return undefined;
    const worker = (this.worker ??= this.started());
    const answer = new Promise<LiveAnswer | undefined>((resolve) => (this.settle = resolve));
    worker.postMessage(websiteId);
    return withTimeout(PATIENCE_MS + GRACE_MS, answer).catch(async () => {
      await this.end();
      return undefined;
    });
  }

  private started(): Worker {
    const data: LiveThreadData = { ...this.data, patienceMs: PATIENCE_MS };
    const worker = startThread(builtFile(WORKER), LIMITS, data);
    worker.on('message', (answer: LiveAnswer) => this.settle(answer));
    worker.on('error', (error) =>
      this.logger.error('The thread for live visitors failed', { cause: errorCode(error) }),
    );
    worker.once('exit', () => {
      if (this.worker === worker) void this.end();
    });
    return worker;
  }
}

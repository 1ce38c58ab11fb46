import { once } from 'node:events';
import type { ResourceLimits, Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { errorCode } from '../error-code';
import { startThread } from './start-thread';
import type { LogMessage } from './thread-logger';
import { withTimeout } from '../time/timeout';

export const STOP = 'stop';
const BEFORE_RESTART_MS = 1000;
const STOP_TIMEOUT_MS = 4000;

interface WorkerThreadOptions {
  onMessage?: (message: unknown) => void;
  limits?: ResourceLimits;
  beforeRestartMs?: number;
  stopTimeoutMs?: number;
}

/** A worker thread that is started again when it fails. It is told to stop by a message and ends by itself then. */
export class WorkerThread {
  private readonly logger = new Logger('Threads');
  private worker: Worker | undefined;
  private restarting: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly file: string,
    private readonly options: WorkerThreadOptions = {},
  ) {}

  start(): void {
    const worker = startThread(this.file, this.options.limits ?? {});
    this.worker = worker;
    worker.on('message', (message) =>
      isLogMessage(message) ? writeLog(message) : this.options.onMessage?.(message),
    );
    worker.on('error', (error) => this.logger.error(`${this.name} failed`, { cause: errorCode(error) }));
    worker.once('exit', () => this.ended());
  }

  post(message: unknown): void {
    this.worker?.postMessage(message);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.restarting);
    const { worker } = this;
    if (!worker) return;
    const exit = once(worker, 'exit');
    worker.postMessage(STOP);
    await withTimeout(this.options.stopTimeoutMs ?? STOP_TIMEOUT_MS, exit).catch(() => worker.terminate());
  }

  private ended(): void {
    this.worker = undefined;
    if (this.stopped) return;
    this.logger.warn(`${this.name} ended and is started again`);
    this.restarting = setTimeout(() => this.start(), this.options.beforeRestartMs ?? BEFORE_RESTART_MS);
  }
}

function isLogMessage(message: unknown): message is LogMessage {
  return typeof message === 'object' && message !== null && 'log' in message;
}

function writeLog({ log, parts }: LogMessage): void {
  Logger[log](...parts);
}

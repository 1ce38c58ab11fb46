import { once } from 'node:events';
import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads';
import { errorCode } from '../error-code';
import { Log, type LogMethod, type WriteLog } from '../log';
import { withTimeout } from '../time/timeout';
import { setFlagsFromString } from 'node:v8';

export const STOP = 'stop';
const BEFORE_RESTART_MS = 1000;
const STOP_TIMEOUT_MS = 4000;

interface WorkerThreadOptions {
  /** What the thread reads as `workerData`. */
  data?: unknown;
  onMessage?: (message: unknown) => void;
  /** Called whenever the thread ends. */
  onEnd?: () => void;
  limits?: ThreadLimits;
  beforeRestartMs?: number;
  stopTimeoutMs?: number;
}

interface ThreadLimits extends ResourceLimits {
  /**
   * V8 collects the whole heap only near this size, arrays outside the heap included. It takes at most half of
   * `maxOldGenerationSizeMb`.
   */
  collectedFromMb?: number;
}

/** A worker thread that is restarted when it fails. A message asks it to stop; it then ends by itself. */
export class WorkerThread {
  private readonly logger = new Log('Threads');
  private worker: Worker | undefined;
  private restarting: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly file: string,
    private readonly options: WorkerThreadOptions = {},
  ) {}

  start(): void {
    const worker = startThread(this.file, this.options.limits ?? {}, this.options.data);
    this.worker = worker;
    worker.on('message', (message) =>
      isLogMessage(message) ? writeLog(message) : this.options.onMessage?.(message),
    );
    worker.on('error', (error) => this.logger.error(`${this.name} failed`, { cause: errorCode(error) }));
    worker.once('exit', () => this.handleEnd());
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

  private handleEnd(): void {
    this.worker = undefined;
    this.options.onEnd?.();
    if (this.stopped) return;
    this.logger.warn(`${this.name} ended and is being restarted`);
    this.restarting = setTimeout(() => this.start(), this.options.beforeRestartMs ?? BEFORE_RESTART_MS);
  }
}

function isLogMessage(message: unknown): message is LogMessage {
  return typeof message === 'object' && message !== null && 'log' in message;
}

function writeLog({ log, context, parts }: LogMessage): void {
  new Log(context)[log](...parts);
}

/**
 * A thread with its own limits. `--max-semi-space-size` of the command line would override `resourceLimits`, so it is
 * reset first. Threads that already run keep their settings. Of two threads that start at the same moment, one may get
 * the other's `collectedFromMb`, because V8 reads the flag a little later.
 */
export function startThread(
  file: string,
  { collectedFromMb = 0, ...resourceLimits }: ThreadLimits,
  workerData?: unknown,
): Worker {
  setFlagsFromString('--max-semi-space-size=0');
  setFlagsFromString(`--initial-old-space-size=${collectedFromMb}`);
  return new Worker(file, { workerData, resourceLimits });
}

/** A thread's log message for the logger of the process. */
interface LogMessage {
  log: LogMethod;
  context: string;
  parts: [message: string, ...details: object[]];
}

/** For a worker thread. The main thread writes its lines, so that all share one format and level. */
export function logToMainThread(port: MessagePort): WriteLog {
  return (log, context, ...parts) => port.postMessage({ log, context, parts } satisfies LogMessage);
}

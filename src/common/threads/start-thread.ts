import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * A thread with its own limits. V8 puts `--max-semi-space-size` of the command line above them, so it is taken back; the
 * heap of the main thread has read it long before.
 */
export function startThread(file: string, resourceLimits: ResourceLimits, workerData?: unknown): Worker {
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(file, { workerData, resourceLimits });
}

import type { LoggerService } from '@nestjs/common';
import type { MessagePort } from 'node:worker_threads';

/** A log message on its way from a thread to the process's own logger. */
export interface LogMessage {
  log: 'log' | 'error' | 'warn' | 'debug';
  parts: [message: unknown, ...rest: unknown[]];
}

/** The logger of a worker thread: the main thread writes for it, so that all lines have one format and one level. */
export function forwardingLogger(port: MessagePort): LoggerService {
  const forward =
    (log: LogMessage['log']) =>
    (...parts: LogMessage['parts']) =>
      port.postMessage({ log, parts } satisfies LogMessage);
  return { log: forward('log'), error: forward('error'), warn: forward('warn'), debug: forward('debug') };
}

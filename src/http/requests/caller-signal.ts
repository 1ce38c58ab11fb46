import type { ServerResponse } from 'node:http';
import { CallerLeft } from '../../common/gate';

/** A signal that is aborted when the connection closes before its answer is complete. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new CallerLeft());
  if (response.closed) abort();
  else response.once('close', () => response.writableFinished || abort());
  return controller.signal;
}

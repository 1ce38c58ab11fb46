import type { IncomingMessage } from 'node:http';
import type { ApiKey } from './api-key.entity';

const keys = new WeakMap<IncomingMessage, ApiKey>();

/** The key that came with a request, if it may be used. */
export function keyOf(request: IncomingMessage): ApiKey | undefined {
  return keys.get(request);
}

export function rememberKey(request: IncomingMessage, key: ApiKey): void {
  keys.set(request, key);
}

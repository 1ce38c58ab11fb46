import { isIPv6 } from 'node:net';
import type { Settings } from '../config/settings';

/** Where links lead to; without `BASE_URL`, what the service listens on. */
export function publicAddress({ baseUrl, host, port }: Settings): string {
  return baseUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

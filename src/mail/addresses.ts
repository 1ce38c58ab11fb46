import { isIP, isIPv6 } from 'node:net';
import { mailAddress } from '../config/mail-settings';
import type { Settings } from '../config/settings';

/** Domains that mail is never sent to (RFC 6761). */
const NOWHERE = /\.(localhost|invalid)$/;

/** The address for the envelope. Undefined if no mail can be delivered to it. */
export function recipientOf(email: string): string | undefined {
  const address = mailAddress(email);
  const domain = address?.slice(address.lastIndexOf('@') + 1) ?? '';
  return domain.includes('.') && isIP(domain) === 0 && !NOWHERE.test(domain) ? address : undefined;
}

/** The base of all links; without `BASE_URL`, the address on which the service listens. */
export function publicAddress({ baseUrl, host, port }: Settings): string {
  return baseUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

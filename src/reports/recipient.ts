import { isIP } from 'node:net';
import { mailAddress } from '../config/mail-settings';

/** Names that no mail leaves this machine for (RFC 6761). */
const NOWHERE = /\.(localhost|invalid)$/;

/** The address as it is written into an envelope; undefined where no mail can be delivered to it. */
export function recipientOf(email: string): string | undefined {
  const address = mailAddress(email);
  const domain = address?.slice(address.lastIndexOf('@') + 1) ?? '';
  return domain.includes('.') && isIP(domain) === 0 && !NOWHERE.test(domain) ? address : undefined;
}

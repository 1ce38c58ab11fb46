import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in one form: IPv6 compressed and without a zone, IPv4-mapped addresses as IPv4. */
export function normaliseAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const address = ipaddr.IPv6.parse(text.split('%', 1)[0]!);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
}

/** The network within which a client can choose addresses: for IPv6, the /64 that a provider assigns to a customer. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = ipaddr.IPv6.parse(address.split('%', 1)[0]!).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
}

/** What excludes a client for good: an IPv4 address, or the network in which IPv6 clients change their addresses. */
export function excludableRange(address: string): string {
  return isIPv6(address) ? `${networkOf(address)}::/64` : address;
}

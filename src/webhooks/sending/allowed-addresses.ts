import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv6 addresses that are assigned to networks of the internet (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const GLOBAL_UNICAST_BITS = 3;
/** IPv4 addresses inside of IPv6 ones: NAT64 (RFC 6052) has them at the end, 6to4 (RFC 3056) behind its prefix. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
const NAT64_BITS = 96;
const SIX_TO_FOUR = ipaddr.IPv6.parse('2002::');
const SIX_TO_FOUR_BITS = 16;

/**
 * The addresses that webhooks may be posted to: those of the internet, and those that the operator allows. All others
 * may lead to services that trust their network.
 */
export class AllowedAddresses {
  private readonly networks: [Address, number][];

  constructor(allowed: readonly string[]) {
    this.networks = allowed.map(networkOf);
  }

  /** Whether a connection to an address is allowed. The text is one without brackets. */
  has(text: string): boolean {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    const inside = insideOf(address);
    return [address, inside].some((own) => this.isListed(own)) || isPublic(inside);
  }

  private isListed(address: Address): boolean {
    return this.networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  }
}

function networkOf(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, 8 * address.toByteArray().length];
}

/** The IPv4 address that an IPv6 address leads to, if it is of such a form; else the address itself. */
function insideOf(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const bytes = address.toByteArray();
  if (address.match(NAT64, NAT64_BITS)) return new ipaddr.IPv4(bytes.slice(12, 16));
  if (address.match(SIX_TO_FOUR, SIX_TO_FOUR_BITS)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return address;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

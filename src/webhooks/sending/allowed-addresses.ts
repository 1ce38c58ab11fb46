import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** IPv6 addresses that are assigned to networks of the internet (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
const GLOBAL_UNICAST_BITS = 3;
/** IPv4 addresses inside of IPv6 ones: NAT64 (RFC 6052) has them at the end, 6to4 (RFC 3056) behind its prefix. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
const NAT64_BITS = 96;
const SIX_TO_FOUR = ipaddr.IPv6.parse('2002::');
const SIX_TO_FOUR_BITS = 16;
/** A host that has a single address of a network of IPv6 shares it with its neighbours (RFC 4291). */
const IPV6_NETWORK_BITS = 64;
const IPV6_BITS = 128;
/** A public address by its number, which leads to the metadata of a machine in Azure. */
const AZURE_METADATA = '168.63.129.16';

/**
 * The addresses that webhooks may be posted to: those of the internet besides the machine's own networks, and those that
 * the operator allows. All others may lead to services that trust their network.
 */
export class AllowedAddresses {
  private readonly networks: Network[];

  constructor(
    allowed: readonly string[],
    private readonly interfacesOf: typeof networkInterfaces = networkInterfaces,
  ) {
    this.networks = allowed.map(networkOf);
  }

  /** The addresses that a connection is allowed to now: the machine's networks may change. */
  among<A extends { address: string }>(all: readonly A[]): A[] {
    const own = Object.values(this.interfacesOf()).flatMap((addresses) => addresses!.map(ownNetworkOf));
    return all.filter(({ address }) => this.isAllowed(address, own));
  }

  /** The text is one without brackets. */
  private isAllowed(text: string, own: readonly Network[]): boolean {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    const inside = insideOf(address);
    const both = [address, inside];
    if (both.some((one) => isIn(this.networks, one))) return true;
    return isPublic(inside) && !both.some((one) => isIn(own, one));
  }
}

function isIn(networks: readonly Network[], address: Address): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

function ownNetworkOf({ address, cidr }: NetworkInterfaceInfo): Network {
  const [network, bits] = networkOf(cidr ?? address);
  return [network, network instanceof ipaddr.IPv6 && bits === IPV6_BITS ? IPV6_NETWORK_BITS : bits];
}

function networkOf(text: string): Network {
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
  if (address.range() !== 'unicast' || address.toString() === AZURE_METADATA) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

import { BlockList, isIPv4 } from 'node:net';
import { normaliseAddress } from '../common/address';

/** Whether a website excludes an address. */
export type AddressRules = (address: string) => boolean;

type Family = 'ipv4' | 'ipv6';

const MAPPED_PREFIX = 96;

/** Compiles a website's addresses and CIDR ranges, which were validated before they were stored. */
export function compileAddresses(lines: string | null): AddressRules {
  if (lines === null) return () => false;
  const single = new Set<string>();
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const line of lines.split('\n')) {
    const [text = '', prefix] = line.split('/');
    if (prefix === undefined) single.add(normaliseAddress(text)!);
    else addRange(ranges, text, Number(prefix));
  }
  return (text) => {
    const address = normaliseAddress(text);
    if (address === null) return false;
    const family = familyOf(address);
    return single.has(address) || ranges[family].check(address, family);
  };
}

/** Mapped clients are compared as IPv4, so a mapped range becomes IPv4 too. In one list, `::/0` would cover both. */
function addRange(ranges: Record<Family, BlockList>, text: string, prefix: number): void {
  const address = normaliseAddress(text)!;
  const family = familyOf(text);
  if (family === familyOf(address)) ranges[family].addSubnet(address, prefix, family);
  else if (prefix >= MAPPED_PREFIX) ranges.ipv4.addSubnet(address, prefix - MAPPED_PREFIX, 'ipv4');
  else ranges.ipv6.addSubnet(text, prefix, 'ipv6');
}

function familyOf(address: string): Family {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

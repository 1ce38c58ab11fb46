import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { normaliseAddress } from '../common/address';
import { HashedTexts } from '../../engine/ground/lists/hashed-texts';

/** Tells whether a website excludes an address. */
export type AddressRules = (address: string) => boolean;

interface Network {
  bytes: number[];
  /** The number of bits that its addresses share. */
  prefix: number;
}

const MAPPED_PREFIX = 96;
const BITS = 8;

/** Compiles a website's addresses and CIDR ranges, which were validated before they were stored. */
export function compileAddresses(lines: string | null): AddressRules {
  if (lines === null) return () => false;
  const { known, prefixes } = compiled(lines);
  return (text) => {
    const address = normaliseAddress(text);
    if (address === null) return false;
    const bytes = bytesOf(address);
    return prefixes.get(bytes.length)!.some((prefix) => known.has(keyOf({ bytes, prefix })));
  };
}

/** A closure of this function would hold all networks. */
function compiled(lines: string): { known: HashedTexts; prefixes: Map<number, number[]> } {
  const networks = lines.split('\n').map(networkIn);
  const prefixesOf = (size: number) => [
    ...new Set(networks.filter(({ bytes }) => bytes.length === size).map(({ prefix }) => prefix)),
  ];
  return {
    known: new HashedTexts(networks.map(keyOf)),
    prefixes: new Map([4, 16].map((size) => [size, prefixesOf(size)])),
  };
}

/**
 * Mapped clients are compared as IPv4, so a mapped range becomes IPv4 too. Without that, `::/0` would cover both.
 */
function networkIn(line: string): Network {
  const [text = '', sent] = line.split('/');
  const address = normaliseAddress(text)!;
  const isMapped = !isIPv4(text) && isIPv4(address);
  if (sent === undefined) {
    const bytes = bytesOf(address);
    return { bytes, prefix: BITS * bytes.length };
  }
  const prefix = Number(sent);
  if (!isMapped) return { bytes: bytesOf(address), prefix };
  return prefix >= MAPPED_PREFIX
    ? { bytes: bytesOf(address), prefix: prefix - MAPPED_PREFIX }
    : { bytes: bytesOf(text), prefix };
}

function bytesOf(address: string): number[] {
  return ipaddr.parse(address.split('%', 1)[0]!).toByteArray();
}

/** All addresses of a network have the same text. */
function keyOf({ bytes, prefix }: Network): string {
  const whole = Math.floor(prefix / BITS);
  const shared = bytes.slice(0, whole);
  const rest = prefix % BITS;
  if (rest > 0) shared.push(bytes[whole]! & (0xff << (BITS - rest)));
  return `${bytes.length}/${prefix}/${shared.join('.')}`;
}

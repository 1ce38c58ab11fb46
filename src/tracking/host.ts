import { BoundedCache } from '../common/bounded-cache';
import { withoutWww } from '../websites/domain';

const MOST_HOSTS = 10_000;
const LONGEST_KEPT = 512;
const hosts = new BoundedCache<string>(MOST_HOSTS);

/** The host that an address names, as websites are stored: lower case, punycode, without `www.`, a port or an end dot. */
export function hostOf(address: string): string | null {
  return (address.length > LONGEST_KEPT ? named(address) : hosts.get(address, named)) || null;
}

function named(address: string): string {
  const url = parsed(address);
  if (!url || url.protocol === 'file:') return '';
  return withoutWww(url.hostname.toLowerCase().replace(/\.$/, ''));
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

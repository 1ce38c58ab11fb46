import { withoutWww } from '../websites/domain';

/** The host that an address names, as websites are stored: lower case, punycode, without `www.`, a port or an end dot. */
export function hostOf(address: string): string | null {
  const url = parsed(address);
  if (!url || url.protocol === 'file:') return null;
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  return host === '' ? null : withoutWww(host);
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

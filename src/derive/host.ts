import { ByteCache, bytesOfText } from '../common/byte-cache';
import { withoutWww } from '../websites/domain';

/** A host name has at most 253 characters, and the time to parse one grows with the square of its length. */
const MAX_AUTHORITY_LENGTH = 255;
/** The authority as the URL parser finds it: blanks before the scheme and any number of slashes behind it are skipped. */
const AUTHORITY = /^[\0-\x20]*[a-z][a-z0-9+.-]*:[/\\\t\n\r]*([^/\\?#]*)/i;
const MAX_CACHED_LENGTH = 512;
const hosts = new ByteCache<string>('hosts', bytesOfText);

/** Undefined where a text is no absolute address, or its host is longer than a host can be. */
export function parseUrl(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined || authority.length > MAX_AUTHORITY_LENGTH) return undefined;
  // URL.canParse of Node 20 and 22 refuses hosts with umlauts once it was called some thousand times.
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The host of an address as websites are stored: lower case, punycode, without `www.`, a port or an end dot. */
export function hostOf(url: URL): string | null {
  if (url.protocol === 'file:') return null;
  return withoutWww(url.hostname.toLowerCase().replace(/\.$/, '')) || null;
}

/** The host that a text names, if it is an address. */
export function hostIn(text: string): string | null {
  return (text.length > MAX_CACHED_LENGTH ? parsedHost(text) : hosts.getOrMake(text, parsedHost)) || null;
}

function parsedHost(text: string): string {
  const url = parseUrl(text);
  return (url && hostOf(url)) ?? '';
}

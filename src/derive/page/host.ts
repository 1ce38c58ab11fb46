import { ByteCache, bytesOfText } from '../../common/memory/byte-cache';
import { withoutWww } from '../../websites/domain';
import { cutValue } from '../cut-value';

/** A host name has at most 253 characters, and the time to parse one grows with the square of its length. */
const MAX_AUTHORITY_LENGTH = 255;
/** The authority as the URL parser finds it: blanks before the scheme and any number of slashes behind it are skipped. */
const AUTHORITY = /^[\0-\x20]*[a-z][a-z0-9+.-]*:[/\\\t\n\r]*([^/\\?#]*)/i;
const MAX_CACHED_LENGTH = 512;
/** A host, and a page of it without its query; empty where there is no host. */
export interface HostedPage {
  host: string;
  page: string;
}

const NOWHERE: HostedPage = { host: '', page: '' };
const hosts = new ByteCache<HostedPage>('hosts', ({ host, page }) => bytesOfText(host) + bytesOfText(page));

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
  return hostedPageIn(text)?.host ?? null;
}

/** The host and the page that a text names, if it is an address. */
export function hostedPageIn(text: string): HostedPage | null {
  const found = text.length > MAX_CACHED_LENGTH ? parsed(text) : hosts.getOrMake(text, parsed);
  return found === NOWHERE ? null : found;
}

function parsed(text: string): HostedPage {
  const url = parseUrl(text);
  const host = url && hostOf(url);
  return host ? { host, page: cutValue(host + url.pathname) } : NOWHERE;
}

/** Where a visitor came from, unless it is the website itself. */
export function deriveReferrer(referrer: HostedPage | null, domain: string): HostedPage | null {
  return referrer?.host === domain ? null : referrer;
}

import { ByteCache, bytesOfText } from '../../../engine/ground/memory/byte-cache';
import { withoutWww } from '../../websites/domain';
import { cutValue } from '../cut-value';

/** A host name has at most 253 characters. Parsing time grows with the square of its length. */
const MAX_AUTHORITY_LENGTH = 255;
/** The authority as the URL parser finds it: it skips blanks before the scheme and any number of slashes after it. */
const AUTHORITY = /^[\0-\x20]*[a-z][a-z0-9+.-]*:[/\\\t\n\r]*([^/\\?#]*)/i;
const MAX_CACHED_LENGTH = 512;
/** A host and a page on it without its query. Both are empty if there is no host. */
export interface HostedPage {
  host: string;
  page: string;
}

const NOWHERE: HostedPage = { host: '', page: '' };
const hosts = new ByteCache<HostedPage>('hosts', ({ host, page }) => bytesOfText(host) + bytesOfText(page));

/** Undefined if the text is not an absolute address, or its host is too long. */
export function parseUrl(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined || authority.length > MAX_AUTHORITY_LENGTH) return undefined;
  // URL.canParse of Node 20 and 22 rejects hosts with umlauts after some thousand calls.
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The host in the form in which websites are stored: lower case, punycode, without `www.`, port or final dot. */
export function hostOf(url: URL): string | null {
  if (url.protocol === 'file:') return null;
  return withoutWww(url.hostname.toLowerCase().replace(/\.$/, '')) || null;
}

/** The host of an address; null for any other text. */
export function hostIn(text: string): string | null {
  return hostedPageIn(text)?.host ?? null;
}

/** The host and page of an address; null for any other text. */
export function hostedPageIn(text: string): HostedPage | null {
  const found = text.length > MAX_CACHED_LENGTH ? parsed(text) : hosts.getOrMake(text, parsed);
  return found === NOWHERE ? null : found;
}

function parsed(text: string): HostedPage {
  const url = parseUrl(text);
  const host = url && hostOf(url);
  return host ? { host, page: cutValue(host + url.pathname) } : NOWHERE;
}

/** The referrer, unless it is the website itself. */
export function deriveReferrer(referrer: HostedPage | null, domain: string): HostedPage | null {
  return referrer?.host === domain ? null : referrer;
}

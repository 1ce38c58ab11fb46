import { HashedTexts } from '../../engine/ground/lists/hashed-texts';
import { hostIn } from './page/host';

/** Tells whether pages of a host may send events for a website. */
export type OriginRules = (host: string) => boolean;

/** Tells whether an event comes from a page whose host may not send for the website. Sandboxed pages send `null`. */
export function isForeignOrigin(origin: string | undefined, isAllowed: OriginRules): boolean {
  if (origin === undefined || origin === 'null') return false;
  const host = hostIn(origin);
  return host === null || !isAllowed(host);
}

/** Allows the website, its subdomains and the hosts of its option `allowed_origins`. */
export function compileOrigins(domain: string, lines: string | null): OriginRules {
  const subdomain = `.${domain}`;
  const isOwn: OriginRules = (host) => host === domain || host.endsWith(subdomain);
  if (lines === null) return isOwn;
  const hosts = new HashedTexts(lines.split('\n'));
  return (host) => {
    if (isOwn(host) || hosts.has(host)) return true;
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
      if (hosts.has(`*${host.slice(dot)}`)) return true;
    return false;
  };
}

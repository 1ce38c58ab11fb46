import { hostOf } from './host';

/** The host that a visitor came from, unless it is the website itself. */
export function deriveReferrer(referrer: string | null | undefined, domain: string): string | null {
  const host = referrer ? hostOf(referrer) : null;
  return host === domain ? null : host;
}

import type { HostedPage } from './host';

/** Where a visitor came from, unless it is the website itself. */
export function deriveReferrer(referrer: HostedPage | null, domain: string): HostedPage | null {
  return referrer?.host === domain ? null : referrer;
}

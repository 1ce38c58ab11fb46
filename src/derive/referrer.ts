/** The host that a visitor came from, unless it is the website itself. */
export function deriveReferrer(host: string | null, domain: string): string | null {
  return host === domain ? null : host;
}

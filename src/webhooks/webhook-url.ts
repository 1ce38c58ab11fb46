import { NotAllowed } from '../../engine/ground/errors';

const MAX_LENGTH = 2000;
const ALLOWED = `must be an address like https://example.com/hooks, with at most ${MAX_LENGTH.toLocaleString('en')} characters, no user and no fragment`;

/** The address of a webhook in the form in which it is called. */
export function normaliseUrl(sent: string): string {
  const url = sent.length <= MAX_LENGTH && URL.canParse(sent) ? new URL(sent) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new NotAllowed(ALLOWED);
  if (url.username || url.password || url.hash || sent.includes('#')) throw new NotAllowed(ALLOWED);
  if (url.href.length > MAX_LENGTH) throw new NotAllowed(ALLOWED);
  return url.href;
}

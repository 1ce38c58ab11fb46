import { hash, randomBytes } from 'node:crypto';

const KEY = randomBytes(32).toString('base64');

/** A hash under a random key of this process. A cache uses it in place of what must not stay in memory. */
export function keyedHash(text: string): string {
  return hash('sha256', KEY + text, 'base64url');
}

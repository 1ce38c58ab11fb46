/** Stands for a text that was not kept. */
const REMOVED = '(removed)';

const MAX_LENGTH = 320;
const EMAIL_ADDRESS = /^\s*(?:mailto:)?[^\s@]+@[^\s@]+\.[^\s@]+\s*$/i;

/** A text, unless it is somebody's e-mail address. */
export function withoutEmailAddress(text: string): string {
  return text.length <= MAX_LENGTH && text.includes('@') && EMAIL_ADDRESS.test(text) ? REMOVED : text;
}

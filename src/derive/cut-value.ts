import { createHash } from 'node:crypto';

const MAX_BYTES = 1024;
const MAX_BYTES_PER_CHARACTER = 3;
const HASH_DIGITS = 16;
const MAX_VALUE_BYTES = MAX_BYTES - Buffer.byteLength('…') - HASH_DIGITS;

/** A value as it is counted: well-formed and short enough for a key. Different long values stay different. */
export function cutValue(text: string): string {
  const value = text.toWellFormed();
  if (value.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES) return value;
  const bytes = Buffer.from(value);
  if (bytes.length <= MAX_BYTES) return value;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  return `${cutBytes(bytes, MAX_VALUE_BYTES)}…${hash}`;
}

/** Cuts a text at a character. */
export function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes ? text : cutBytes(bytes, maxBytes);
}

function cutBytes(bytes: Buffer, maxBytes: number): string {
  let end = maxBytes;
  while ((bytes[end]! & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString('utf8', 0, end);
}

/** The value of an unknown property. */
export const UNKNOWN = '(unknown)';

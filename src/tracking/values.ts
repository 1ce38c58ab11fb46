import { createHash } from 'node:crypto';

const MOST_BYTES = 1024;
const MOST_BYTES_OF_A_CHARACTER = 3;
const HASH_DIGITS = 16;
const KEPT_BYTES = MOST_BYTES - Buffer.byteLength('…') - HASH_DIGITS;

/** A value as it is counted: well-formed, and so short that a key can hold it, yet two long ones never merge. */
export function cutValue(text: string): string {
  const value = text.toWellFormed();
  if (value.length * MOST_BYTES_OF_A_CHARACTER <= MOST_BYTES) return value;
  const bytes = Buffer.from(value);
  if (bytes.length <= MOST_BYTES) return value;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  return `${bytes.toString('utf8', 0, startOfCharacter(bytes, KEPT_BYTES))}…${hash}`;
}

function startOfCharacter(bytes: Buffer, position: number): number {
  let start = position;
  while ((bytes[start]! & 0b1100_0000) === 0b1000_0000) start--;
  return start;
}

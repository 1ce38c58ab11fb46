import { randomBytes } from 'node:crypto';

const BYTES_PER_WORD = 4;
const ROUNDS_AT_THE_END = 3;

/**
 * A hash for tables in memory: HalfSipHash-1-3 (https://github.com/veorq/SipHash). Visitors choose the texts of these
 * tables. Without the key, nobody can make texts that share a hash, which would turn each look-up into a scan.
 */
export class KeyedHash {
  private readonly key0: number;
  private readonly key1: number;

  constructor(key = randomBytes(2 * BYTES_PER_WORD)) {
    [this.key0, this.key1] = [key.readInt32LE(0), key.readInt32LE(BYTES_PER_WORD)];
  }

  /** A number of 32 bits. */
  of(bytes: Uint8Array, begin: number, end: number): number {
    let v0 = this.key0;
    let v1 = this.key1;
    let v2 = 0x6c796765 ^ this.key0;
    let v3 = 0x74656462 ^ this.key1;
    const words = (end - begin) >>> 2;
    let at = begin;
    let last = (end - begin) << 24;
    for (let index = end - 1, shift = 8 * ((end - begin) % BYTES_PER_WORD) - 8; shift >= 0; shift -= 8)
      last |= bytes[index--]! << shift;
    for (let round = 0; round <= words + ROUNDS_AT_THE_END; round++) {
      let word = 0;
      if (round < words) {
        word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
        at += BYTES_PER_WORD;
      } else if (round === words) word = last;
      else if (round === words + 1) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return (v1 ^ v3) >>> 0;
  }
}

const HASHES = [new KeyedHash(), new KeyedHash()] as const;

/** Two hashes of a text, under keys that nobody knows. */
export function hashesOfText(text: string): [number, number] {
  const bytes = Buffer.from(text);
  return [HASHES[0].of(bytes, 0, bytes.length), HASHES[1].of(bytes, 0, bytes.length)];
}

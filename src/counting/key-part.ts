import { VISITOR_BYTES } from '../common/visitor-bytes';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const DIGITS = new Uint8Array(128);
for (const [digit, character] of [...ALPHABET].entries()) DIGITS[character.charCodeAt(0)] = digit;
/** What the first two characters of a hash as base64url tell: its first 12 bits. */
const PREFIXES = ALPHABET.length ** 2;
export const MAX_PARTS = PREFIXES;

/** One of some parts of all unique keys, by their first bits, which are spread evenly. */
export class KeyPart {
  private readonly first: number;
  private readonly end: number;

  constructor(index: number, parts: number) {
    this.first = Math.ceil((index * PREFIXES) / parts);
    this.end = Math.ceil(((index + 1) * PREFIXES) / parts);
  }

  has(hash: string): boolean {
    const prefix = DIGITS[hash.charCodeAt(0)]! * ALPHABET.length + DIGITS[hash.charCodeAt(1)]!;
    return prefix >= this.first && prefix < this.end;
  }

  /** Bytes below those of all of its keys, and above those of all keys before it. */
  get after(): Buffer {
    return bytesOf(this.first);
  }

  get before(): Buffer {
    return this.end === PREFIXES ? Buffer.alloc(VISITOR_BYTES + 1, 0xff) : bytesOf(this.end);
  }
}

function bytesOf(prefix: number): Buffer {
  return Buffer.from([prefix >> 4, (prefix & 15) << 4]);
}

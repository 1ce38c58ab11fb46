/** The maximum length of a number. */
export const MAX_NUMBER_BYTES = 8;

/**
 * Reads unsigned LEB128 numbers: seven bits in each byte, lowest first; the eighth bit is set in all bytes but the
 * last.
 */
export class Numbers {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  next(): number {
    let byte = this.bytes[this.at++]!;
    let number = byte & 0x7f;
    // Shifts work on 32 bits, and most numbers are smaller.
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = this.bytes[this.at++]!;
      number = shift < 28 ? number | ((byte & 0x7f) << shift) : number + (byte & 0x7f) * 2 ** shift;
    }
    return number;
  }

  /** The next bytes, unread. */
  take(size: number): Buffer {
    const bytes = this.bytes.subarray(this.at, this.at + size);
    this.at += size;
    return bytes;
  }
}

/** Returns the place after the number. */
export function writeNumber(bytes: Buffer, at: number, number: number): number {
  let rest = number;
  while (rest > 0x7f) {
    bytes[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[at++] = rest;
  return at;
}

export function encodedNumbers(numbers: ArrayLike<number>): Buffer {
  const bytes = Buffer.allocUnsafe(MAX_NUMBER_BYTES * numbers.length);
  let end = 0;
  for (let index = 0; index < numbers.length; index++) end = writeNumber(bytes, end, numbers[index]!);
  return Buffer.from(bytes.subarray(0, end));
}

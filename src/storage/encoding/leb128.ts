/** The most that a number takes. */
export const MAX_NUMBER_BYTES = 8;

/** Reads unsigned LEB128 numbers: seven bits a byte, the lowest first, the eighth set on all bytes but the last. */
export class Numbers {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  next(): number {
    let byte = this.bytes[this.at++]!;
    let number = byte & 0x7f;
    // Shifting is for 32 bits, and most numbers have less.
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = this.bytes[this.at++]!;
      number = shift < 28 ? number | ((byte & 0x7f) << shift) : number + (byte & 0x7f) * 2 ** shift;
    }
    return number;
  }

  /** Bytes as they are. */
  take(size: number): Buffer {
    const bytes = this.bytes.subarray(this.at, this.at + size);
    this.at += size;
    return bytes;
  }
}

/** Returns where the number ends. */
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

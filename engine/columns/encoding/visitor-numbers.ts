import { VISITOR_BYTES } from '../../ground/visitor-bytes';

const FIRST_SLOTS = 64;
const FIRST_HASHES = 32;
const BYTES_PER_SLOT = 4;
const BYTES_PER_HASH = 8;
/** At most half of the slots are used; they double with each growth, and the previous slots stay for a while. */
const SLOTS_PER_VISITOR = 6;
/** The room for hashes doubles too. */
const HASHES_PER_VISITOR = 2;

/** Moved with each new hash. All are moved before a table of twice the size is half full. */
const MOVED_AT_ONCE = 4;

/** The approximate maximum memory for a number of visitors. */
export function bytesOfVisitors(visitors: number): number {
  const slots = Math.max(FIRST_SLOTS, SLOTS_PER_VISITOR * visitors);
  return BYTES_PER_SLOT * slots + BYTES_PER_HASH * Math.max(FIRST_HASHES, HASHES_PER_VISITOR * visitors);
}

/**
 * Numbers the visitors of a day from 1, in the order of their first hits. Numbers and 64 bits of each hash take a tenth
 * of the memory of a map of texts. Among a million visitors, two share a number with a probability of 10^-7.
 */
export class VisitorNumbers {
  size = 0;
  /** By number. Signed, because larger numbers would be heap objects. */
  private high = new Int32Array(FIRST_HASHES);
  private low = new Int32Array(FIRST_HASHES);
  private numbers = new Uint32Array(FIRST_SLOTS);
  /** The previous slots, until all of their numbers are moved. */
  private smaller: Uint32Array | undefined;
  private moved = 0;
  /** Most hits follow a hit of the same visitor. */
  private last: { visitor: string; number: number } = { visitor: '', number: 0 };

  get bytes(): number {
    const slots = this.numbers.length + (this.smaller?.length ?? 0);
    return BYTES_PER_SLOT * slots + BYTES_PER_HASH * this.high.length;
  }

  /** Null if the hit arrived too late to know its visitor. */
  of(visitor: string): number | null {
    if (visitor === '') return null;
    if (visitor !== this.last.visitor)
      this.last = { visitor, number: this.ofBytes(Buffer.from(visitor, 'base64url'), 0, this.size + 1) };
    return this.last.number;
  }

  /** The number of a hash. A new hash gets the number `next`. */
  ofBytes(hash: Buffer, begin: number, next: number): number {
    return this.ofHash(hash.readInt32LE(begin), hash.readInt32LE(begin + 4), next);
  }

  /** Returns true for a new hash. */
  add(high: number, low: number): boolean {
    const { size } = this;
    this.ofHash(high, low, size + 1);
    return this.size > size;
  }

  /** The number of a hash; 0 if it has none. */
  find(hash: Buffer, begin: number): number {
    return this.findHash(hash.readInt32LE(begin), hash.readInt32LE(begin + 4));
  }

  findHash(high: number, low: number): number {
    if (this.size === 0) return 0;
    const { numbers, smaller } = this;
    const number = numbers[this.slotOf(numbers, high, low)]!;
    return number === 0 && smaller ? smaller[this.slotOf(smaller, high, low)]! : number;
  }

  /** The second halves of all hashes, sorted. */
  secondHalves(): Uint32Array {
    return new Uint32Array(this.low.subarray(1, this.size + 1)).sort();
  }

  /** The hashes of the first numbers, in order. A number without a hash has zeros. */
  hashes(numbers: number): Buffer {
    const all = Buffer.alloc(VISITOR_BYTES * numbers);
    for (let number = 1; number <= Math.min(numbers, this.high.length - 1); number++) {
      all.writeInt32LE(this.high[number]!, VISITOR_BYTES * (number - 1));
      all.writeInt32LE(this.low[number]!, VISITOR_BYTES * (number - 1) + 4);
    }
    return all;
  }

  private ofHash(high: number, low: number, next: number): number {
    const known = this.findHash(high, low);
    if (known !== 0) return known;
    this.put(next, high, low);
    this.numbers[this.slotOf(this.numbers, high, low)] = next;
    this.size++;
    this.makeSlots();
    return next;
  }

  private slotOf(numbers: Uint32Array, high: number, low: number): number {
    const mask = numbers.length - 1;
    // In columns, a visitor's hash is a number followed by zeros.
    let slot = (high ^ low) & mask;
    for (let number = numbers[slot]!; number !== 0; number = numbers[slot]!) {
      if (this.high[number] === high && this.low[number] === low) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private put(number: number, high: number, low: number): void {
    if (number >= this.high.length) {
      const size = Math.max(number + 1, 2 * this.high.length);
      this.high = larger(this.high, size);
      this.low = larger(this.low, size);
    }
    this.high[number] = high;
    this.low[number] = low;
  }

  /** Moves a few numbers with each new hash, because moving all at once takes long. */
  private makeSlots(): void {
    if (2 * this.size > this.numbers.length) {
      [this.smaller, this.moved] = [this.numbers, 0];
      this.numbers = new Uint32Array(2 * this.numbers.length);
    }
    const { numbers, smaller, high, low } = this;
    if (!smaller) return;
    for (let left = MOVED_AT_ONCE; left > 0 && this.moved < smaller.length; left--) {
      const number = smaller[this.moved++]!;
      if (number !== 0) numbers[this.slotOf(numbers, high[number]!, low[number]!)] = number;
    }
    if (this.moved === smaller.length) this.smaller = undefined;
  }
}

function larger(numbers: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(size);
  more.set(numbers);
  return more;
}

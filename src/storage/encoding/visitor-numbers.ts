import { VISITOR_BYTES } from '../../common/visitor-bytes';

const FIRST_SLOTS = 64;
const FIRST_HASHES = 32;
const BYTES_PER_SLOT = 4;
const BYTES_PER_HASH = 8;
/** Half of the slots are filled at most, there are twice as many after each growth, and those before stay for a while. */
const SLOTS_PER_VISITOR = 6;
/** Room for hashes is doubled too. */
const HASHES_PER_VISITOR = 2;

/** With each hash. A table of twice the size is half full before all are moved. */
const MOVED_AT_ONCE = 4;

/** About what the numbers of some visitors take, at most. */
export function bytesOfVisitors(visitors: number): number {
  const slots = Math.max(FIRST_SLOTS, SLOTS_PER_VISITOR * visitors);
  return BYTES_PER_SLOT * slots + BYTES_PER_HASH * Math.max(FIRST_HASHES, HASHES_PER_VISITOR * visitors);
}

/**
 * Numbers the visitors of a day from 1, in the order in which they come. A table of numbers and 64 bits of each hash take
 * a tenth of what a map of texts would; two visitors of a million share a number with a probability of 10^-7.
 */
export class VisitorNumbers {
  size = 0;
  /** By number; signed, since larger numbers would be objects wherever they are handed on. */
  private high = new Int32Array(FIRST_HASHES);
  private low = new Int32Array(FIRST_HASHES);
  private numbers = new Uint32Array(FIRST_SLOTS);
  /** The slots before, as long as some of them are not moved to those that took their place. */
  private smaller: Uint32Array | undefined;
  private moved = 0;
  /** Most hits follow one of the same visitor. */
  private last: { visitor: string; number: number } = { visitor: '', number: 0 };

  get bytes(): number {
    const slots = this.numbers.length + (this.smaller?.length ?? 0);
    return BYTES_PER_SLOT * slots + BYTES_PER_HASH * this.high.length;
  }

  /** Null where a hit came too late to tell its visitor. */
  of(visitor: string): number | null {
    if (visitor === '') return null;
    if (visitor !== this.last.visitor)
      this.last = { visitor, number: this.ofBytes(Buffer.from(visitor, 'base64url'), 0, this.size + 1) };
    return this.last.number;
  }

  /** The number of a hash, which is the next one where it is new. */
  ofBytes(hash: Buffer, begin: number, next: number): number {
    return this.ofHash(hash.readInt32LE(begin), hash.readInt32LE(begin + 4), next);
  }

  /** True once for each hash. */
  add(high: number, low: number): boolean {
    const { size } = this;
    this.ofHash(high, low, size + 1);
    return this.size > size;
  }

  /** The number of a hash; 0 where it has none. */
  find(hash: Buffer, begin: number): number {
    return this.findHash(hash.readInt32LE(begin), hash.readInt32LE(begin + 4));
  }

  findHash(high: number, low: number): number {
    if (this.size === 0) return 0;
    const { numbers, smaller } = this;
    const number = numbers[this.slotOf(numbers, high, low)]!;
    return number === 0 && smaller ? smaller[this.slotOf(smaller, high, low)]! : number;
  }

  /** The second halves of the hashes, in their own order. */
  secondHalves(): Uint32Array {
    return new Uint32Array(this.low.subarray(1, this.size + 1)).sort();
  }

  /** The hashes of the first numbers, in their order; zeros for a number that no hash has. */
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
    // Of columns a visitor is a number at the beginning of the hash, and zeros.
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

  /** A few with each hash, since to move all at once takes long. */
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

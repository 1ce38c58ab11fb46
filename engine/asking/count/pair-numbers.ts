const LEAST_SLOTS = 64;
/** A slot has the number of a pair, from one, or zero if it is free, and the pair. */
const WORDS = 3;
const MAX_FILLED = 0.6;

/** Numbers pairs of numbers in the order of their occurrence: a hash table without an object for each pair. */
export class PairNumbers {
  size = 0;
  private slots = LEAST_SLOTS;
  private table = new Uint32Array(WORDS * LEAST_SLOTS);

  get bytes(): number {
    return this.table.byteLength;
  }

  numberOf(one: number, other: number): number {
    const place = this.placeOf(one, other);
    const known = this.table[place]!;
    if (known > 0) return known - 1;
    this.set(place, ++this.size, one, other);
    if (this.size > MAX_FILLED * this.slots) this.enlarge();
    return this.size - 1;
  }

  /** Undefined for a new pair. */
  find(one: number, other: number): number | undefined {
    const number = this.table[this.placeOf(one, other)]!;
    return number === 0 ? undefined : number - 1;
  }

  copy(): PairNumbers {
    const copy = new PairNumbers();
    copy.size = this.size;
    copy.slots = this.slots;
    copy.table = this.table.slice();
    return copy;
  }

  /** The slot of a pair, or a free slot for it. */
  private placeOf(one: number, other: number): number {
    const { table, slots } = this;
    let slot = hashOf(one, other) & (slots - 1);
    for (;;) {
      const place = WORDS * slot;
      if (table[place] === 0 || (table[place + 1] === one && table[place + 2] === other)) return place;
      slot = (slot + 1) & (slots - 1);
    }
  }

  private set(place: number, number: number, one: number, other: number): void {
    this.table[place] = number;
    this.table[place + 1] = one;
    this.table[place + 2] = other;
  }

  private enlarge(): void {
    const smaller = this.table;
    this.slots *= 2;
    this.table = new Uint32Array(WORDS * this.slots);
    for (let place = 0; place < smaller.length; place += WORDS) {
      const [number, one, other] = [smaller[place]!, smaller[place + 1]!, smaller[place + 2]!];
      if (number > 0) this.set(this.placeOf(one, other), number, one, other);
    }
  }
}

/** Mixes all bits of both numbers into the lower bits. */
export function hashOf(one: number, other: number): number {
  const mixed = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
  const spread = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return spread ^ (spread >>> 13);
}

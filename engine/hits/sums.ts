const FIRST_COUNTS = 16;

/** The count of each value, by its code. Codes are dense, so an array is added up. */
export class Sums {
  constructor(public counts: Float64Array = new Float64Array(FIRST_COUNTS)) {}

  clear(): void {
    this.counts = new Float64Array(FIRST_COUNTS);
  }

  add(code: number, hits: number): void {
    this.makeRoom(code);
    this.counts[code]! += hits;
  }

  addAll({ counts }: Sums, times = 1): void {
    this.makeRoom(counts.length - 1);
    for (let code = 0; code < counts.length; code++) this.counts[code]! += counts[code]! * times;
  }

  total(): number {
    let total = 0;
    for (let code = 0; code < this.counts.length; code++) total += this.counts[code]!;
    return total;
  }

  copy(): Sums {
    return new Sums(this.counts.slice());
  }

  /** The codes with a count, in order. */
  codes(): Uint32Array {
    const { counts } = this;
    const codes = new Uint32Array(counts.length);
    let size = 0;
    for (let code = 0; code < counts.length; code++) if (counts[code] !== 0) codes[size++] = code;
    return codes.slice(0, size);
  }

  /** Grows by at least half, so that adding codes one by one is cheap. */
  makeRoom(code: number): void {
    if (code < this.counts.length) return;
    const larger = new Float64Array(Math.max(code + 1, Math.ceil(this.counts.length * 1.5)));
    larger.set(this.counts);
    this.counts = larger;
  }
}

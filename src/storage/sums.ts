/** How often each value was counted, by its code; codes are dense, so that adding up is an array's. */
export class Sums {
  constructor(public counts: Float64Array = new Float64Array(16)) {}

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

  /** Those that were counted at all, in their order. */
  codes(): Uint32Array {
    const { counts } = this;
    const codes = new Uint32Array(counts.length);
    let size = 0;
    for (let code = 0; code < counts.length; code++) if (counts[code] !== 0) codes[size++] = code;
    return codes.slice(0, size);
  }

  /** Grows at least by half, so that codes coming one by one are cheap. */
  makeRoom(code: number): void {
    if (code < this.counts.length) return;
    const larger = new Float64Array(Math.max(code + 1, Math.ceil(this.counts.length * 1.5)));
    larger.set(this.counts);
    this.counts = larger;
  }
}

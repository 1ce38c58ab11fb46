/** A growing list of numbers below 2^32. */
export class NumberList {
  size = 0;
  private numbers = new Uint32Array(64);

  get values(): Uint32Array {
    return this.numbers.subarray(0, this.size);
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  /** Keeps the allocated memory. */
  clear(): void {
    this.size = 0;
  }

  push(number: number): void {
    if (this.size === this.numbers.length) {
      const larger = new Uint32Array(2 * this.size);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.size++] = number;
  }
}

/** How often each value was counted, by its id in the dictionary; ids are dense, so that adding up is an array's. */
export class Sums {
  constructor(public counts = new Float64Array(64)) {}

  add(id: number, hits: number): void {
    this.makeRoom(id);
    this.counts[id]! += hits;
  }

  addAll({ counts }: Sums, times = 1): void {
    this.makeRoom(counts.length - 1);
    for (let id = 0; id < counts.length; id++) this.counts[id]! += counts[id]! * times;
  }

  total(): number {
    let total = 0;
    for (let id = 0; id < this.counts.length; id++) total += this.counts[id]!;
    return total;
  }

  copy(): Sums {
    return new Sums(this.counts.slice());
  }

  /** The ids that were counted at all, in their order. */
  ids(): Uint32Array {
    const { counts } = this;
    const ids = new Uint32Array(counts.length);
    let size = 0;
    for (let id = 0; id < counts.length; id++) if (counts[id] !== 0) ids[size++] = id;
    return ids.slice(0, size);
  }

  /** Grows at least by half, so that ids coming one by one are cheap. */
  makeRoom(id: number): void {
    if (id < this.counts.length) return;
    const larger = new Float64Array(Math.max(id + 1, Math.ceil(this.counts.length * 1.5)));
    larger.set(this.counts);
    this.counts = larger;
  }
}

/** A slot for each thread, in shared memory. */
export function slotsFor(threads: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads));
}

/**
 * One pool of memory shared by threads. Each thread counts its use in its own slot, so that it can be released if the
 * thread is ended.
 */
export class SharedBudget {
  constructor(
    private readonly slots: Int32Array,
    private readonly slot: number,
    readonly maxBytes: number,
  ) {}

  /** False if too little is left. If two threads compete for the last of it, both may be refused. */
  take(bytes: number): boolean {
    // A slot would overflow.
    if (bytes > this.maxBytes) return false;
    Atomics.add(this.slots, this.slot, bytes);
    if (this.taken <= this.maxBytes) return true;
    this.giveBack(bytes);
    return false;
  }

  giveBack(bytes: number): void {
    Atomics.sub(this.slots, this.slot, bytes);
  }

  /** The use of all threads together. */
  private get taken(): number {
    let taken = 0;
    for (let slot = 0; slot < this.slots.length; slot++) taken += Atomics.load(this.slots, slot);
    return taken;
  }
}

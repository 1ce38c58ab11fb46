/** A slot for each thread, in memory that all of them see. */
export function slotsFor(threads: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads));
}

/**
 * One pool of memory that threads share. What a thread has taken stands in a slot of its own, so that it can be given
 * back for a thread that was ended.
 */
export class SharedBudget {
  constructor(
    private readonly slots: Int32Array,
    private readonly slot: number,
    private readonly maxBytes: number,
  ) {}

  /** False where there is not so much left. Of two that ask for the last of it at once, both may be refused. */
  take(bytes: number): boolean {
    Atomics.add(this.slots, this.slot, bytes);
    if (this.taken <= this.maxBytes) return true;
    this.giveBack(bytes);
    return false;
  }

  giveBack(bytes: number): void {
    Atomics.sub(this.slots, this.slot, bytes);
  }

  /** By all threads together. */
  private get taken(): number {
    let taken = 0;
    for (let slot = 0; slot < this.slots.length; slot++) taken += Atomics.load(this.slots, slot);
    return taken;
  }
}

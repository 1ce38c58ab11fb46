const FIRST_VISITORS = 64;
const FIRST_SLOTS = 64;
/** Of a visitor without a value. */
const NONE = 0;

/** Which values each visitor has brought. Most bring one, which is a number for each visitor; the others are in a table. */
export class SeenPairs {
  /** Of each visitor the first value, from 1. */
  private firsts = new Uint32Array(FIRST_VISITORS);
  private size = 0;
  private visitors = new Uint32Array(FIRST_SLOTS);
  private values = new Uint32Array(FIRST_SLOTS);

  get bytes(): number {
    return this.firsts.byteLength + this.visitors.byteLength + this.values.byteLength;
  }

  /** True once for each pair of a visitor and a value, which are numbers from 1. */
  isNew(visitor: number, value: number): boolean {
    if (visitor >= this.firsts.length) this.makeRoom(visitor);
    const first = this.firsts[visitor]!;
    if (first === value) return false;
    if (first !== NONE) return this.isNewInTable(visitor, value);
    this.firsts[visitor] = value;
    return true;
  }

  private isNewInTable(visitor: number, value: number): boolean {
    const slot = this.slotOf(visitor, value);
    if (this.visitors[slot] !== NONE) return false;
    this.visitors[slot] = visitor;
    this.values[slot] = value;
    if (2 * ++this.size > this.visitors.length) this.grow();
    return true;
  }

  private slotOf(visitor: number, value: number): number {
    const mask = this.visitors.length - 1;
    let slot = (Math.imul(visitor, 0x9e3779b1) ^ Math.imul(value, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 16)) & mask;
    while (this.visitors[slot] !== NONE && (this.visitors[slot] !== visitor || this.values[slot] !== value))
      slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { visitors, values } = this;
    this.visitors = new Uint32Array(2 * visitors.length);
    this.values = new Uint32Array(2 * visitors.length);
    for (let index = 0; index < visitors.length; index++) {
      if (visitors[index] === NONE) continue;
      const slot = this.slotOf(visitors[index]!, values[index]!);
      this.visitors[slot] = visitors[index]!;
      this.values[slot] = values[index]!;
    }
  }

  private makeRoom(visitor: number): void {
    const larger = new Uint32Array(Math.max(visitor + 1, 2 * this.firsts.length));
    larger.set(this.firsts);
    this.firsts = larger;
  }
}

const FIRST_SLOTS = 64;
const FIRST_BYTES = 1024;
/** Of an entry: its hash, where its bytes begin, how many there are, and its number. */
const WORDS = 4;
/** Half of the slots are filled at most, and there are twice as many after each growth; that of bytes comes on top. */
export const BYTES_PER_KNOWN = 8 * (2 * WORDS + 2);

/** Finds the numbers of texts by their encoded bytes, so that no text is made of those that are known. */
export class KnownBytes {
  private size = 0;
  private slots = new Uint32Array(FIRST_SLOTS);
  private entries = new Uint32Array((WORDS * FIRST_SLOTS) / 2);
  private kept = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private keptEnd = 0;

  /** Bytes that many others have their slots before are not kept where so many are looked at. */
  constructor(private readonly maxProbes = Infinity) {}

  /** Zero where they are not known. */
  find(bytes: Uint8Array, begin: number, end: number): number {
    const { slots, entries, maxProbes } = this;
    const hash = hashOf(bytes, begin, end);
    for (let probe = 0; probe < maxProbes; probe++) {
      const entry = slots[(hash + probe) & (slots.length - 1)]!;
      if (entry === 0) return 0;
      const at = WORDS * (entry - 1);
      if (entries[at] === hash && this.isSame(at, bytes, begin, end)) return entries[at + 3]!;
    }
    return 0;
  }

  /** The number of bytes that are not known, which is not zero. */
  add(bytes: Buffer, begin: number, end: number, number: number): void {
    if (2 * this.size === this.slots.length) this.grow();
    const hash = hashOf(bytes, begin, end);
    if (!this.put(hash, this.size + 1)) return;
    const at = WORDS * this.size++;
    this.entries[at] = hash;
    this.entries[at + 1] = this.keptEnd;
    this.entries[at + 2] = end - begin;
    this.entries[at + 3] = number;
    this.keep(bytes, begin, end);
  }

  private isSame(at: number, bytes: Uint8Array, begin: number, end: number): boolean {
    const { kept, entries } = this;
    if (entries[at + 2] !== end - begin) return false;
    const before = entries[at + 1]! - begin;
    for (let place = begin; place < end; place++) if (bytes[place] !== kept[before + place]) return false;
    return true;
  }

  private put(hash: number, entry: number): boolean {
    const { slots, maxProbes } = this;
    for (let probe = 0; probe < maxProbes; probe++) {
      const slot = (hash + probe) & (slots.length - 1);
      if (slots[slot] !== 0) continue;
      slots[slot] = entry;
      return true;
    }
    return false;
  }

  private grow(): void {
    const entries = new Uint32Array(2 * this.entries.length);
    entries.set(this.entries);
    this.entries = entries;
    this.slots = new Uint32Array(2 * this.slots.length);
    for (let entry = 1; entry <= this.size; entry++) this.put(entries[WORDS * (entry - 1)]!, entry);
  }

  private keep(bytes: Buffer, begin: number, end: number): void {
    const keptEnd = this.keptEnd + end - begin;
    if (keptEnd > this.kept.length) {
      const kept = Buffer.allocUnsafeSlow(2 * keptEnd);
      this.kept.copy(kept);
      this.kept = kept;
    }
    for (let place = begin; place < end; place++) this.kept[this.keptEnd++] = bytes[place]!;
  }
}

/** Of four bytes at a time; mixed at the end as MurmurHash3 is, so that all bits tell near texts apart. */
function hashOf(bytes: Uint8Array, begin: number, end: number): number {
  let hash = end - begin;
  let place = begin;
  for (; place + 4 <= end; place += 4)
    hash = added(
      hash,
      bytes[place]! | (bytes[place + 1]! << 8) | (bytes[place + 2]! << 16) | (bytes[place + 3]! << 24),
    );
  for (; place < end; place++) hash = added(hash, bytes[place]!);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function added(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

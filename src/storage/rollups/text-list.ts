const FIRST_BYTES = 256;
const FIRST_TEXTS = 16;
const FIRST_SLOTS = 64;
/** Of the hash FNV-1a. */
const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];
/** Where a text of one code unit takes three bytes. */
const BYTES_PER_UNIT = 3;

/** The text that is looked up. */
let scratch = Buffer.allocUnsafeSlow(1024);

/** Puts a text into the scratch bytes; returns where it ends. */
function encoded(text: string): number {
  const most = BYTES_PER_UNIT * text.length;
  if (most > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * most);
  return scratch.write(text);
}

/** Distinct texts as UTF-8, numbered from 0 in the order in which they come. A million of them are three arrays. */
export class TextList {
  size = 0;
  private all = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Where each text ends. */
  private ends = new Uint32Array(FIRST_TEXTS);
  /** From 1, by hash; made once a text is looked for. */
  private slots: Uint32Array | undefined;

  get bytes(): number {
    return this.all.length + this.ends.byteLength + (this.slots?.byteLength ?? 0);
  }

  /** The first of these texts, as a list of its own. */
  first(size: number): TextList {
    const list = new TextList();
    list.addAll(this.all, this.ends.subarray(0, size));
    return list;
  }

  /** Where the text of a code begins among all bytes. */
  begin(code: number): number {
    return code === 0 ? 0 : this.ends[code - 1]!;
  }

  end(code: number): number {
    return this.ends[code]!;
  }

  lengthOf(code: number): number {
    return this.end(code) - this.begin(code);
  }

  /** Valid until a text is added. */
  bytesOf(code: number): Buffer {
    return this.all.subarray(this.begin(code), this.end(code));
  }

  textOf(code: number): string {
    return this.all.toString('utf8', this.begin(code), this.end(code));
  }

  /** The code of a text; -1 where it has none. */
  find(text: string): number {
    const end = encoded(text);
    return this.findBytes(scratch, 0, end);
  }

  findBytes(bytes: Buffer, begin: number, end: number): number {
    return this.slotsMade()[this.slotOf(bytes, begin, end)]! - 1;
  }

  /** The code of a text, which is the next one where it is new. */
  codeOf(text: string): number {
    const end = encoded(text);
    return this.codeOfBytes(scratch, 0, end);
  }

  codeOfBytes(bytes: Buffer, begin: number, end: number): number {
    const slots = this.slotsMade();
    const slot = this.slotOf(bytes, begin, end);
    if (slots[slot] !== 0) return slots[slot]! - 1;
    slots[slot] = this.append(bytes, begin, end) + 1;
    if (2 * this.size > slots.length) this.slots = undefined;
    return this.size - 1;
  }

  /** Adds texts that follow one another in some bytes; none of them may be there already. */
  addAll(bytes: Buffer, ends: ArrayLike<number>): void {
    for (let index = 0, begin = 0; index < ends.length; index++) {
      this.append(bytes, begin, ends[index]!);
      begin = ends[index]!;
    }
    this.slots = undefined;
  }

  /** Below zero where the text of one code comes before that of another, by bytes. */
  compare(one: number, other: number): number {
    const { all } = this;
    let [at, otherAt] = [this.begin(one), this.begin(other)];
    const [end, otherEnd] = [this.end(one), this.end(other)];
    while (at < end && otherAt < otherEnd) {
      const difference = all[at++]! - all[otherAt++]!;
      if (difference !== 0) return difference;
    }
    return end - at - (otherEnd - otherAt);
  }

  /** Six bytes of a text from one on as a number, in the order of the bytes; less where the text ends before. */
  sixBytesOf(code: number, from: number): number {
    const end = this.end(code);
    let at = this.begin(code) + from;
    let number = 0;
    for (const last = at + 6; at < last; at++) number = 257 * number + (at < end ? this.all[at]! + 1 : 0);
    return number;
  }

  private append(bytes: Buffer, begin: number, end: number): number {
    const from = this.size === 0 ? 0 : this.ends[this.size - 1]!;
    const until = from + end - begin;
    if (until > this.all.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(until, 2 * this.all.length));
      this.all.copy(larger, 0, 0, from);
      this.all = larger;
    }
    if (this.size === this.ends.length) {
      const more = new Uint32Array(2 * this.size);
      more.set(this.ends);
      this.ends = more;
    }
    bytes.copy(this.all, from, begin, end);
    this.ends[this.size] = until;
    return this.size++;
  }

  private slotsMade(): Uint32Array {
    if (this.slots) return this.slots;
    let length = FIRST_SLOTS;
    while (length < 4 * this.size) length *= 2;
    const slots = (this.slots = new Uint32Array(length));
    const mask = length - 1;
    for (let code = 0; code < this.size; code++) {
      let slot = hashOf(this.all, this.begin(code), this.end(code)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = code + 1;
    }
    return slots;
  }

  /** Of a text that is there, or of a free slot for it. */
  private slotOf(bytes: Buffer, begin: number, end: number): number {
    const slots = this.slots!;
    const mask = slots.length - 1;
    let slot = hashOf(bytes, begin, end) & mask;
    while (slots[slot] !== 0 && !this.isAt(slots[slot]! - 1, bytes, begin, end)) slot = (slot + 1) & mask;
    return slot;
  }

  private isAt(code: number, bytes: Buffer, begin: number, end: number): boolean {
    const from = this.begin(code);
    if (this.end(code) - from !== end - begin) return false;
    for (let at = begin; at < end; at++) if (bytes[at] !== this.all[from + at - begin]) return false;
    return true;
  }
}

function hashOf(bytes: Buffer, begin: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = begin; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, FNV_PRIME);
  return (hash ^ (hash >>> 15)) >>> 0;
}

import { KeyedHash } from '../../../ground/lists/keyed-hash';

/** Texts are stored in pages, so that growth moves none. A text is shorter than a page. */
const PAGE_BITS = 20;
const PAGE_BYTES = 1 << PAGE_BITS;
const FIRST_BYTES = 256;
const FIRST_TEXTS = 16;
const FIRST_SLOTS = 64;
/** Moved with each new text. All are moved before a table of twice the size is half full. */
const MOVED_AT_ONCE = 4;
const HASH = new KeyedHash();
/** One code unit takes at most three bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** The bytes of the text that is looked up. */
let scratch = Buffer.allocUnsafeSlow(1024);

/** Encodes a text into `scratch`. Returns its length. */
function encoded(text: string): number {
  const most = BYTES_PER_UNIT * text.length;
  if (most > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * most);
  return scratch.write(text);
}

/** Distinct texts as UTF-8, numbered from 0 in the order of their addition. A million texts take a few arrays. */
export class DistinctTexts {
  size = 0;
  /** All pages but the last are full. */
  private pages: Buffer[] = [Buffer.allocUnsafeSlow(FIRST_BYTES)];
  /** The end of each text, as if the pages were joined. */
  private ends = new Uint32Array(FIRST_TEXTS);
  private hashes = new Uint32Array(FIRST_TEXTS);
  /** Codes from 1, by hash. */
  private slots = new Uint32Array(FIRST_SLOTS);
  /** The previous slots, until all of their codes are moved. */
  private smaller: Uint32Array | undefined;
  private moved = 0;

  /** The total length of the texts, without unused room. */
  get textBytes(): number {
    return this.size === 0 ? 0 : this.end(this.size - 1);
  }

  get bytes(): number {
    const ofPages = (this.pages.length - 1) * PAGE_BYTES + this.pages.at(-1)!.length;
    const ofSlots = this.slots.byteLength + (this.smaller?.byteLength ?? 0);
    return ofPages + this.ends.byteLength + this.hashes.byteLength + ofSlots;
  }

  lengthOf(code: number): number {
    return this.end(code) - this.begin(code);
  }

  /** Valid until the next text is added. */
  bytesOf(code: number): Buffer {
    const begin = this.begin(code);
    return this.pages[pageOf(begin)]!.subarray(placeIn(begin), placeIn(begin) + this.end(code) - begin);
  }

  textOf(code: number): string {
    return this.bytesOf(code).toString();
  }

  /** The code of a text; -1 if it has none. */
  find(text: string): number {
    const end = encoded(text);
    return this.findBytes(scratch, 0, end);
  }

  findBytes(bytes: Buffer, begin: number, end: number): number {
    return this.codeWith(HASH.of(bytes, begin, end), bytes, begin, end);
  }

  /** The code of a text. A new text gets the next code. */
  codeOf(text: string): number {
    const end = encoded(text);
    return this.codeOfBytes(scratch, 0, end);
  }

  codeOfBytes(bytes: Buffer, begin: number, end: number): number {
    const hash = HASH.of(bytes, begin, end);
    const known = this.codeWith(hash, bytes, begin, end);
    return known < 0 ? this.append(bytes, begin, end, hash) : known;
  }

  /** Adds the texts in some bytes, one after the other. All must be new. */
  addAll(bytes: Buffer, ends: ArrayLike<number>): void {
    for (let index = 0, begin = 0; index < ends.length; index++) {
      this.append(bytes, begin, ends[index]!, HASH.of(bytes, begin, ends[index]!));
      begin = ends[index]!;
    }
  }

  /** Adds a range of texts of another list. All must be new. */
  addFrom(other: DistinctTexts, from: number, before: number): void {
    for (let code = from; code < before; code++)
      this.append(other.bytesOf(code), 0, other.lengthOf(code), other.hashes[code]!);
  }

  /** Negative if the text of the first code comes first, by bytes. */
  compare(one: number, other: number): number {
    const [bytes, otherBytes] = [this.pageWith(one), this.pageWith(other)];
    let [at, otherAt] = [placeIn(this.begin(one)), placeIn(this.begin(other))];
    const [end, otherEnd] = [placeIn(this.end(one)), placeIn(this.end(other))];
    while (at < end && otherAt < otherEnd) {
      const difference = bytes[at++]! - otherBytes[otherAt++]!;
      if (difference !== 0) return difference;
    }
    return end - at - (otherEnd - otherAt);
  }

  /** Six bytes of a text as a number that sorts like the bytes. Fewer bytes count as followed by zeros. */
  sixBytesOf(code: number, from: number): number {
    const bytes = this.pageWith(code);
    const end = placeIn(this.end(code));
    let at = placeIn(this.begin(code)) + from;
    let number = 0;
    for (const last = at + 6; at < last; at++) number = 257 * number + (at < end ? bytes[at]! + 1 : 0);
    return number;
  }

  private begin(code: number): number {
    const before = code === 0 ? 0 : this.ends[code - 1]!;
    return Math.max(before, this.end(code) - placeIn(this.end(code)));
  }

  private end(code: number): number {
    return this.ends[code]!;
  }

  private pageWith(code: number): Buffer {
    return this.pages[pageOf(this.end(code))]!;
  }

  private append(bytes: Buffer, begin: number, end: number, hash: number): number {
    const from = this.placeFor(end - begin);
    if (this.size === this.ends.length) [this.ends, this.hashes] = [doubled(this.ends), doubled(this.hashes)];
    bytes.copy(this.pages.at(-1)!, placeIn(from), begin, end);
    this.ends[this.size] = from + end - begin;
    this.hashes[this.size] = hash;
    this.put(this.size++);
    this.makeSlots();
    return this.size - 1;
  }

  /** The place for a text of some bytes. No text crosses the end of a page. */
  private placeFor(length: number): number {
    if (length >= PAGE_BYTES) throw new RangeError(`a text of ${length} bytes is too long`);
    const end = this.size === 0 ? 0 : this.end(this.size - 1);
    const until = placeIn(end) + length;
    if (until >= PAGE_BYTES) {
      this.pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
      return (pageOf(end) + 1) * PAGE_BYTES;
    }
    const page = this.pages.at(-1)!;
    if (until > page.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(PAGE_BYTES, Math.max(until, 2 * page.length)));
      page.copy(larger);
      this.pages[this.pages.length - 1] = larger;
    }
    return end;
  }

  /** Moves a few codes with each new text, because moving all at once takes long. */
  private makeSlots(): void {
    if (2 * this.size > this.slots.length) {
      [this.smaller, this.moved] = [this.slots, 0];
      this.slots = new Uint32Array(2 * this.slots.length);
    }
    if (!this.smaller) return;
    const last = this.smaller.length / 2;
    for (let left = MOVED_AT_ONCE; left > 0 && this.moved <= last; left--) this.put(this.moved++);
    if (this.moved > last) this.smaller = undefined;
  }

  private put(code: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = this.hashes[code]! & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = code + 1;
  }

  private codeWith(hash: number, bytes: Buffer, begin: number, end: number): number {
    const code = this.codeIn(this.slots, hash, bytes, begin, end);
    return code < 0 && this.smaller ? this.codeIn(this.smaller, hash, bytes, begin, end) : code;
  }

  private codeIn(slots: Uint32Array, hash: number, bytes: Buffer, begin: number, end: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const code = slots[slot]! - 1;
      if (this.hashes[code] === hash && this.isAt(code, bytes, begin, end)) return code;
    }
    return -1;
  }

  private isAt(code: number, bytes: Buffer, begin: number, end: number): boolean {
    const own = this.pageWith(code);
    return own.compare(bytes, begin, end, placeIn(this.begin(code)), placeIn(this.end(code))) === 0;
  }
}

function pageOf(place: number): number {
  return place >>> PAGE_BITS;
}

function placeIn(place: number): number {
  return place & (PAGE_BYTES - 1);
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * numbers.length);
  more.set(numbers);
  return more;
}

import { fstatSync, openSync, readSync } from 'node:fs';

const PAGE_BYTES = 4096;
const NO_PAGE = -1;

/** A file with only its most recently used pages in memory. The file may be replaced, but never rewritten in place. */
export class PagedFile {
  readonly size: number;
  private readonly file: number;
  private readonly pages: Buffer;
  /** The page in each slot. A page can only be in one slot, so no search is needed. */
  private readonly held: Int32Array;

  /** The descriptor stays open until the process ends. */
  constructor(path: string, maxBytes: number) {
    this.file = openSync(path, 'r');
    this.size = fstatSync(this.file).size;
    const slots = Math.max(1, Math.min(Math.floor(maxBytes / PAGE_BYTES), Math.ceil(this.size / PAGE_BYTES)));
    this.pages = Buffer.allocUnsafe(slots * PAGE_BYTES);
    this.held = new Int32Array(slots).fill(NO_PAGE);
  }

  /** An unsigned integer of up to 6 bytes. */
  unsigned(offset: number, bytes: number): number {
    let value = 0;
    const page = Math.floor(offset / PAGE_BYTES);
    const within = offset - page * PAGE_BYTES;
    if (offset >= 0 && offset + bytes <= this.size && within + bytes <= PAGE_BYTES) {
      const start = this.start(page) + within;
      for (let i = 0; i < bytes; i++) value = value * 256 + this.pages[start + i]!;
    } else for (let i = 0; i < bytes; i++) value = value * 256 + this.byte(offset + i);
    return value;
  }

  byte(offset: number): number {
    if (offset < 0 || offset >= this.size) throw new RangeError('This is beyond the end of the file.');
    const page = Math.floor(offset / PAGE_BYTES);
    return this.pages[this.start(page) + offset - page * PAGE_BYTES]!;
  }

  copy(offset: number, bytes: number): Buffer {
    const copy = Buffer.alloc(Math.min(bytes, Math.max(0, this.size - offset)));
    for (let i = 0; i < copy.length; i++) copy[i] = this.byte(offset + i);
    return copy;
  }

  private start(page: number): number {
    const slot = page % this.held.length;
    const start = slot * PAGE_BYTES;
    if (this.held[slot] !== page) {
      this.held[slot] = NO_PAGE;
      readSync(this.file, this.pages, start, PAGE_BYTES, page * PAGE_BYTES);
      this.held[slot] = page;
    }
    return start;
  }
}

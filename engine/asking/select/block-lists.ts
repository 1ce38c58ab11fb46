import { type Codes, kindFor } from '../../hits/codes/code-list';
import { PeakMemory } from '../memory/peak-memory';

const FIRST_BUFFER_BYTES = 16 * 1024;
/** Lists of numbers begin at a multiple of their size. */
const ALIGNMENT = 8;

/**
 * Lists for the rows of a block. The next block uses their memory again: new memory costs page faults for each list, and
 * makes the garbage collector run for nothing.
 */
export class BlockLists {
  private readonly buffers: ArrayBuffer[] = [];
  private current = 0;
  private used = 0;

  constructor(private readonly memory = new PeakMemory()) {}

  /** The lists of the block before are no longer valid. */
  begin(): void {
    [this.current, this.used] = [0, 0];
  }

  /** Zeros. */
  bytes(length: number): Uint8Array {
    const { buffer, offset } = this.take(length);
    return new Uint8Array(buffer, offset, length).fill(0);
  }

  /** Zeros. */
  numbers(length: number): Uint32Array {
    const { buffer, offset } = this.take(length * Uint32Array.BYTES_PER_ELEMENT);
    return new Uint32Array(buffer, offset, length).fill(0);
  }

  /** Zeros, in the narrowest list for a code. */
  codes(largest: number, length: number): Codes {
    const Kind = kindFor(largest);
    const { buffer, offset } = this.take(length * Kind.BYTES_PER_ELEMENT);
    return new Kind(buffer, offset, length).fill(0);
  }

  has(list: ArrayBufferView): boolean {
    return this.buffers.some((buffer) => buffer === list.buffer);
  }

  private take(bytes: number): { buffer: ArrayBuffer; offset: number } {
    while (this.current < this.buffers.length && this.used + bytes > this.buffers[this.current]!.byteLength) {
      this.current++;
      this.used = 0;
    }
    if (this.current === this.buffers.length) this.addBuffer(bytes);
    const offset = this.used;
    this.used += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    return { buffer: this.buffers[this.current]!, offset };
  }

  /** Each new list is as large as all before it together, so that there are few, and little of them is unused. */
  private addBuffer(least: number): void {
    const before = this.buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const bytes = Math.max(least, before, FIRST_BUFFER_BYTES);
    this.memory.retain(bytes);
    this.buffers.push(new ArrayBuffer(bytes));
  }
}

import { hashesOfText } from './keyed-hash';

/** The hashes of a text. */
const WORDS = 2;
const SLOTS_PER_TEXT = 2;

/**
 * A set of texts that takes few bytes for each, however long they are: it has their hashes, of 64 bits together. The
 * keys are random, so nobody can make a text that is found though it is none of them.
 */
export class HashedTexts {
  private readonly table: Uint32Array;
  private readonly mask: number;

  constructor(texts: readonly string[]) {
    const slots = 2 ** Math.ceil(Math.log2(SLOTS_PER_TEXT * Math.max(1, texts.length)));
    this.mask = slots - 1;
    this.table = new Uint32Array(WORDS * slots);
    for (const text of texts) {
      const hashes = hashesOf(text);
      this.table.set(hashes, this.placeOf(hashes));
    }
  }

  get bytes(): number {
    return this.table.byteLength;
  }

  has(text: string): boolean {
    return this.table[this.placeOf(hashesOf(text)) + 1] !== 0;
  }

  /** The place of a text, or a free one for it. */
  private placeOf([one, other]: readonly [number, number]): number {
    const { table, mask } = this;
    for (let slot = one & mask; ; slot = (slot + 1) & mask) {
      const place = WORDS * slot;
      if (table[place + 1] === 0 || (table[place] === one && table[place + 1] === other)) return place;
    }
  }
}

/** The second one is never zero, which stands for a free place. */
function hashesOf(text: string): [number, number] {
  const [one, other] = hashesOfText(text);
  return [one, other === 0 ? 1 : other];
}

import { containing, placeFinder, foldCase } from '../../../ground/text-search';
import { DIMENSIONS, type StatName } from '../../../hits/stat-names';
import type { DistinctTexts } from '../../rollups/texts/distinct-texts';
import type { Pause } from './value-order';

const TEXTS_OF_STEP = 5000;
const BYTES_OF_STEP = 256 * 1024;
/** Separates entries. A text may contain it as well. */
const END = '\0';

/** The case-folded values and labels of a name, joined: a search compares bytes. */
export class SearchIndex {
  private bytesOfTexts = Buffer.alloc(0);
  /** The end of each code's entry. */
  private ends = new Uint32Array(0);
  private size = 0;

  constructor(private readonly name: StatName) {}

  get bytes(): number {
    return this.bytesOfTexts.length + this.ends.byteLength;
  }

  /** The codes whose value or label contains a case-folded text. */
  async matching(texts: DistinctTexts, search: string, pause: Pause): Promise<number[]> {
    await this.addNew(texts, pause);
    const wanted = Buffer.from(search);
    const placeIn = placeFinder(wanted);
    const isIn = search.includes(END) ? this.within(texts, search) : () => true;
    const found: number[] = [];
    for (let begin = 0; begin < this.begin(this.size);) {
      const end = begin + BYTES_OF_STEP;
      for (let matches = 0; begin < end && matches < TEXTS_OF_STEP; matches++) {
        const at = placeIn(this.bytesOfTexts.subarray(begin, end + wanted.length - 1));
        if (at < 0) {
          begin = end;
          break;
        }
        const code = this.codeAt(begin + at);
        // A match across the end of an entry may also be within the next one.
        if (begin + at + wanted.length <= this.ends[code]! && isIn(code)) found.push(code);
        begin = this.ends[code]!;
      }
      await pause();
    }
    return found;
  }

  /** Checks that a match is within a text. */
  private within(texts: DistinctTexts, search: string): (code: number) => boolean {
    const isIn = containing(search);
    const { label } = DIMENSIONS[this.name];
    return (code) => {
      const value = texts.textOf(code);
      return isIn(foldCase(value)) || isIn(foldCase(label(value)));
    };
  }

  private begin(code: number): number {
    return code === 0 ? 0 : this.ends[code - 1]!;
  }

  private codeAt(at: number): number {
    let [low, high] = [0, this.size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private async addNew(texts: DistinctTexts, pause: Pause): Promise<void> {
    if (this.size === texts.size) return;
    const { label } = DIMENSIONS[this.name];
    const pieces = [this.bytesOfTexts.subarray(0, this.begin(this.size))];
    const ends = new Uint32Array(texts.size);
    ends.set(this.ends.subarray(0, this.size));
    let end = this.begin(this.size);
    for (let code = this.size; code < texts.size;) {
      const before = Math.min(texts.size, code + TEXTS_OF_STEP);
      const words: string[] = [];
      for (; code < before; code++) {
        const value = texts.textOf(code);
        const word = wordOf(value, label(value));
        words.push(word);
        ends[code] = end += Buffer.byteLength(word);
      }
      pieces.push(Buffer.from(words.join('')));
      await pause();
    }
    [this.bytesOfTexts, this.ends, this.size] = [Buffer.concat(pieces), ends, ends.length];
  }
}

function wordOf(value: string, label: string): string {
  return label === value ? foldCase(value) + END : foldCase(value) + END + foldCase(label) + END;
}

import { dayText } from '../../../ground/time/days';
import type { StatName } from '../../../hits/stat-names';
import { TEXT_NAMES, type TextName } from '../../rollups/counted-names';
import type { DistinctTexts } from '../../rollups/texts/distinct-texts';
import { Sums } from '../../../hits/sums';
import type { Direction } from '../../../ground/rows';
import { day } from '../../../ground/time/parsed';
import { SearchIndex } from './search-index';
import { orderOf, type Pause } from './value-order';

/** The maximum number of codes to sort. For more, the order of all codes is used. */
const MAX_SORTED = 1000;
const BYTES_OF_OBJECTS = 1000;

/** The requested part of the values, in one direction. */
interface Page {
  readonly skip: number;
  readonly take: number;
  readonly direction: Direction;
}

/** The values of a name's codes, with their order and search. */
export interface NameValues {
  /** Unique in the thread. While it is the same, so is the meaning of codes. */
  readonly id: number;
  readonly bytes: number;
  /** Rollups have codes below it. */
  readonly stored: number;
  textOf(code: number): string;
  /** Undefined if it has no code. */
  codeOf(value: string): number | undefined;
  /** Tells whether the value of a code comes before another value. */
  isBefore(code: number, value: string): boolean;
  /** Some of the codes in the order of their values. */
  slice(codes: ArrayLike<number>, page: Page, pause: Pause): Promise<number[]>;
  /** The sums of values that contain a case-folded text in the value or its label. */
  matching(sums: Sums, search: string, pause: Pause): Promise<Sums>;
}

let lastId = 0;

/** The values of a name with days. A day is its own code. */
export class DayValues implements NameValues {
  readonly id = ++lastId;
  readonly bytes = BYTES_OF_OBJECTS;
  readonly stored = Infinity;

  textOf(code: number): string {
    return dayText(code);
  }

  codeOf(value: string): number {
    return day(value);
  }

  isBefore(code: number, value: string): boolean {
    return dayText(code) < value;
  }

  slice(codes: ArrayLike<number>, { skip, take, direction }: Page): Promise<number[]> {
    const ascending = Uint32Array.from(codes).sort();
    const inOrder = direction === 'asc' ? ascending : ascending.reverse();
    return Promise.resolve(Array.from(inOrder.subarray(skip, skip + take)));
  }

  matching(sums: Sums, search: string): Promise<Sums> {
    const found = sums.codes().filter((code) => dayText(code).includes(search));
    return Promise.resolve(only(sums, found));
  }
}

/** The values of a name with texts: first the texts of the table, then those of days that are counted from hits. */
export class TextValues implements NameValues {
  readonly id = ++lastId;
  /** The rollup version at which all texts of the table were read. */
  completeAt = NaN;
  private readonly index: SearchIndex;
  private order = new Uint32Array(0);

  constructor(
    name: StatName,
    readonly texts: DistinctTexts,
    /** The number of texts of the table. */
    readonly stored = texts.size,
  ) {
    this.index = new SearchIndex(name);
  }

  get bytes(): number {
    return BYTES_OF_OBJECTS + this.texts.bytes + this.index.bytes + this.order.byteLength;
  }

  textOf(code: number): string {
    return this.texts.textOf(code);
  }

  codeOf(value: string): number | undefined {
    const code = this.texts.find(value);
    return code < 0 ? undefined : code;
  }

  isBefore(code: number, value: string): boolean {
    return Buffer.compare(this.texts.bytesOf(code), Buffer.from(value)) < 0;
  }

  async slice(codes: ArrayLike<number>, { skip, take, direction }: Page, pause: Pause): Promise<number[]> {
    const end = Math.min(skip + take, codes.length);
    if (end <= skip) return [];
    if (direction === 'desc') {
      const fromEnd = { skip: codes.length - end, take: end - skip, direction: 'asc' } as const;
      return (await this.slice(codes, fromEnd, pause)).reverse();
    }
    if (codes.length <= MAX_SORTED)
      return Array.from(codes)
        .sort((one, other) => this.texts.compare(one, other))
        .slice(skip, end);
    return sliceOf(await this.allInOrder(pause), codes, skip, end - skip);
  }

  async matching(sums: Sums, search: string, pause: Pause): Promise<Sums> {
    const found = await this.index.matching(this.texts, search, pause);
    return only(
      sums,
      found.filter((code) => code < sums.counts.length),
    );
  }

  /** All codes in the order of their texts. */
  async allInOrder(pause: Pause): Promise<Uint32Array> {
    return (this.order = await orderOf(this.texts, this.order, pause));
  }
}

function only({ counts }: Sums, codes: ArrayLike<number>): Sums {
  const found = new Sums(new Float64Array(counts.length));
  for (let index = 0; index < codes.length; index++) found.counts[codes[index]!] = counts[codes[index]!]!;
  return found;
}

function sliceOf(order: Uint32Array, wanted: ArrayLike<number>, skip: number, take: number): number[] {
  const isWanted = new Uint8Array(order.length);
  for (let index = 0; index < wanted.length; index++) isWanted[wanted[index]!] = 1;
  const found: number[] = [];
  let left = skip;
  for (let index = 0; index < order.length && found.length < take; index++)
    if (isWanted[order[index]!] === 1 && --left < 0) found.push(order[index]!);
  return found;
}

export function isTextName(name: StatName): name is TextName {
  return (TEXT_NAMES as readonly StatName[]).includes(name);
}

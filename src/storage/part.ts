import { bytesOfCodes, type Codes, type FewCodes, slicedCodes } from './code-list';
import type { DayColumns } from './day-columns';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from './hit-columns';
import {
  decodedCodes,
  decodedStructure,
  decodedTimes,
  type EncodedPart,
  type PartDay,
  STRUCTURE,
  TIMES,
} from './part-format';
import type { WebsiteTexts } from './text-codes';

const BYTES_OF_OBJECTS = 2000;

/** Where the visitors and the hits of a day begin in a part. */
interface Place extends PartDay {
  visitor: number;
  hit: number;
}

/** A part in memory: its structure, and the columns that were asked for. Their codes are those of the website. */
export class Part {
  private readonly structure;
  private readonly places = new Map<number, Place>();
  private readonly codes = new Map<ColumnName, Codes | FewCodes>();
  private times: Uint32Array | undefined;

  /** The columns have to have the structure among them. */
  constructor(
    columns: EncodedPart,
    private readonly texts: WebsiteTexts,
  ) {
    this.structure = decodedStructure(columns.get(STRUCTURE)!);
    let [visitor, hit] = [0, 0];
    for (const day of this.structure.days) {
      this.places.set(day.day, { ...day, visitor, hit });
      visitor += day.visitors;
      hit += day.hits;
    }
    this.add(columns);
  }

  get bytes(): number {
    const { begins, isKnown, isDirect } = this.structure;
    const arrays = [begins, isKnown, isDirect, ...(this.times ? [this.times] : [])];
    const bytes = [
      ...arrays.map(({ byteLength }) => byteLength),
      ...[...this.codes.values()].map(bytesOfCodes),
    ];
    return bytes.reduce((sum, own) => sum + own, BYTES_OF_OBJECTS);
  }

  get days(): number[] {
    return [...this.places.keys()];
  }

  hitsOf(day: number): number {
    return this.places.get(day)?.hits ?? 0;
  }

  has(column: number): boolean {
    if (column === STRUCTURE) return true;
    if (column === TIMES) return this.times !== undefined;
    return [...this.codes.keys()].some((name) => COLUMNS[name].code === column);
  }

  add(columns: EncodedPart): void {
    const { visitors, hits } = this.structure;
    const times = columns.get(TIMES);
    if (times) this.times = decodedTimes(times, this.structure);
    for (const name of COLUMN_NAMES) {
      const { code, of } = COLUMNS[name];
      const bytes = columns.get(code);
      if (bytes)
        this.codes.set(name, decodedCodes(bytes, of === 'hit' ? hits : visitors, this.texts.of[name]));
    }
  }

  /** What the part has of a day; only of columns that were added. */
  columnsOf(day: number): DayColumns {
    const { visitor, hit, visitors, hits } = this.places.get(day)!;
    const { begins, isKnown, isDirect } = this.structure;
    const codes: Partial<Record<ColumnName, Codes | FewCodes>> = {};
    for (const [name, all] of this.codes) {
      const [begin, size] = COLUMNS[name].of === 'hit' ? [hit, hits] : [visitor, visitors];
      codes[name] = slicedCodes(all, begin, begin + size);
    }
    const { times } = this;
    return {
      day,
      hits,
      visitors,
      begins: begins.subarray(visitor, visitor + visitors + 1).map((begin) => begin - hit),
      isKnown: isKnown.subarray(visitor, visitor + visitors),
      isDirect: isDirect.subarray(visitor, visitor + visitors),
      get at() {
        if (!times) throw new Error('the times were not read');
        return times.subarray(hit, hit + hits);
      },
      codes,
    };
  }
}

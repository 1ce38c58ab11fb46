import { bytesOfCodes, type Codes, type FewCodes, owned, slicedCodes, unpacked } from './code-list';
import type { ColumnCodes } from './column-codes';
import type { DayColumns } from './day-columns';
import { type ColumnName, COLUMNS } from './hit-columns';
import {
  columnOf,
  decodedStructure,
  decodedTimes,
  type EncodedPart,
  momentsOf,
  type PartDay,
  STRUCTURE,
  type Structure,
  type Times,
  TIMES,
  writeBegins,
} from './part-format';
import type { PartTexts, Rows } from './part-texts';

const BYTES_OF_OBJECTS = 2000;

/** Where the visitors and the hits of a day begin in a part. */
interface Place extends PartDay {
  visitor: number;
  hit: number;
}

/** An array that is used again, since to give arrays back takes longer than to write into them. */
export class ScratchArray {
  private array = new Uint32Array(0);

  /** With anything in it. */
  of(size: number): Uint32Array {
    if (this.array.length < size) this.array = new Uint32Array(size);
    return this.array.subarray(0, size);
  }
}

/** A part in memory: its structure, and the columns that were asked for, as they are stored. */
export class Part {
  private readonly structure: Structure;
  private readonly places = new Map<number, Place>();
  private readonly codes = new Map<ColumnName, ColumnCodes>();
  private times: Times | undefined;
  /** What is kept of the columns. */
  private readonly kept: Record<'hit' | 'visitor', Rows>;

  /** The columns have to have the structure among them. Of the others only the rows of one day are kept, if it is said. */
  constructor(
    columns: EncodedPart,
    readonly texts: PartTexts,
    private readonly only?: number,
  ) {
    const structure = decodedStructure(columns.get(STRUCTURE)!);
    let [visitor, hit] = [0, 0];
    for (const day of structure.days) {
      if (only === undefined || day.day === only) this.places.set(day.day, { ...day, visitor, hit });
      visitor += day.visitors;
      hit += day.hits;
    }
    const [first, last] = [[...this.places.values()][0], [...this.places.values()].at(-1)];
    this.kept = {
      hit: { begin: first?.hit ?? 0, end: last ? last.hit + last.hits : 0 },
      visitor: { begin: first?.visitor ?? 0, end: last ? last.visitor + last.visitors : 0 },
    };
    const { visitor: rows } = this.kept;
    this.structure = {
      ...structure,
      furtherHits: this.rowsOf(structure.furtherHits, rows),
      isKnown: this.rowsOf(structure.isKnown, rows),
      isDirect: this.rowsOf(structure.isDirect, rows),
    };
    this.add(columns);
  }

  /** Without those of its texts. */
  get bytes(): number {
    const { furtherHits, isKnown, isDirect } = this.structure;
    const times = this.times ? [this.times.low, this.times.high] : [];
    const columns = Array.from(this.codes.values(), ({ rows }) => rows);
    return [furtherHits, isKnown, isDirect, ...times, ...columns]
      .map(bytesOfCodes)
      .reduce((sum, own) => sum + own, BYTES_OF_OBJECTS);
  }

  get days(): number[] {
    return [...this.places.keys()];
  }

  hitsOf(day: number): number {
    return this.places.get(day)?.hits ?? 0;
  }

  has(column: number): boolean {
    if (column === STRUCTURE) return true;
    return column === TIMES ? this.times !== undefined : this.codes.has(columnOf(column));
  }

  add(columns: EncodedPart): void {
    const { structure, kept } = this;
    for (const [kind, bytes] of columns) {
      if (kind === STRUCTURE) continue;
      if (kind === TIMES) {
        const { low, high } = decodedTimes(bytes, structure.hits);
        this.times = { low: this.rowsOf(low, kept.hit), high: this.rowsOf(high, kept.hit) };
      } else this.codes.set(columnOf(kind), this.column(columnOf(kind), bytes));
    }
  }

  remove(column: number): void {
    if (column === TIMES) this.times = undefined;
    else {
      this.codes.delete(columnOf(column));
      this.texts.remove(columnOf(column));
    }
  }

  /** What the part has of a day; only of columns that were added. The scratch array is needed until the next day is. */
  columnsOf(day: number, scratch = new ScratchArray()): DayColumns {
    const { begin, visitor, hit, visitors, hits } = this.places.get(day)!;
    const { times, kept, structure } = this;
    const first = { hit: hit - kept.hit.begin, visitor: visitor - kept.visitor.begin };
    const size = { hit: hits, visitor: visitors };
    const ofDay = <T extends Codes | FewCodes>(rows: T, of: 'hit' | 'visitor') =>
      slicedCodes(rows, first[of], first[of] + size[of]);
    const codes: Partial<Record<ColumnName, ColumnCodes>> = {};
    for (const [name, { rows, codeOf }] of this.codes)
      codes[name] = { rows: ofDay(rows, COLUMNS[name].of), codeOf };
    const ofVisitors = (rows: Codes | FewCodes) => unpacked(ofDay(rows, 'visitor'), visitors);
    const ofHits = (rows: Codes | FewCodes) => unpacked(ofDay(rows, 'hit'), hits);
    const seconds = times && { low: ofHits(times.low), high: ofHits(times.high) };
    const begins = scratch.of(visitors + 1);
    writeBegins(begins, ofVisitors(structure.furtherHits));
    let moments: Uint32Array | undefined;
    return {
      day,
      begin,
      hits,
      visitors,
      begins,
      isKnown: ofVisitors(structure.isKnown) as Uint8Array,
      isDirect: ofVisitors(structure.isDirect) as Uint8Array,
      get at() {
        if (!seconds) throw new Error('the times were not read');
        return (moments ??= momentsOf(begin, seconds));
      },
      ...(seconds && { seconds }),
      codes,
    };
  }

  private column(name: ColumnName, bytes: Buffer): ColumnCodes {
    const { structure, texts, kept, only } = this;
    const { of } = COLUMNS[name];
    const size = of === 'hit' ? structure.hits : structure.visitors;
    const { rows, codeOf } =
      only === undefined ? texts.column(name, bytes, size) : texts.someOf(name, bytes, size, kept[of]);
    return { rows: owned(rows), codeOf };
  }

  private rowsOf(rows: Codes | FewCodes, { begin, end }: Rows): Codes | FewCodes {
    return owned(this.only === undefined ? rows : slicedCodes(rows, begin, end));
  }
}

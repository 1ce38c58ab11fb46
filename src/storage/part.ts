import { bytesOfCodes, type Codes, type FewCodes, slicedCodes } from './code-list';
import type { DayColumns } from './day-columns';
import { type ColumnName, COLUMNS } from './hit-columns';
import {
  columnOf,
  decodedStructure,
  decodedTimes,
  type EncodedPart,
  type PartDay,
  type Structure,
  STRUCTURE,
  TIMES,
} from './part-format';
import { decodedCodes, type Rows } from './part-texts';
import type { WebsiteTexts } from './text-codes';

const BYTES_OF_OBJECTS = 2000;

/** Where the visitors and the hits of a day begin in a part. */
interface Place extends PartDay {
  visitor: number;
  hit: number;
  /** Of the day alone. */
  ofVisitors: Pick<DayColumns, 'begins' | 'isKnown' | 'isDirect'>;
}

/** A part in memory: its structure, and the columns that were asked for. Their codes are those of the website. */
export class Part {
  private readonly structure: Pick<Structure, 'days' | 'visitors' | 'hits'>;
  private readonly places = new Map<number, Place>();
  private readonly codes = new Map<ColumnName, Codes | FewCodes>();
  private times: Uint32Array | undefined;
  /** What is kept of the columns. */
  private readonly rows: Record<'hit' | 'visitor', Rows>;

  /** The columns have to have the structure among them. Of the others only the rows of one day are kept, if it is said. */
  constructor(
    columns: EncodedPart,
    private readonly texts: WebsiteTexts,
    only?: number,
  ) {
    const { begins, isKnown, isDirect, ...structure } = decodedStructure(columns.get(STRUCTURE)!);
    this.structure = structure;
    let [visitor, hit] = [0, 0];
    for (const day of structure.days) {
      if (only === undefined || day.day === only) {
        const [first, end] = [hit, visitor + day.visitors];
        const ofVisitors = {
          begins: begins.subarray(visitor, end + 1).map((begin) => begin - first),
          isKnown: isKnown.slice(visitor, end),
          isDirect: isDirect.slice(visitor, end),
        };
        this.places.set(day.day, { ...day, visitor, hit, ofVisitors });
      }
      visitor += day.visitors;
      hit += day.hits;
    }
    const [first, last] = [[...this.places.values()][0], [...this.places.values()].at(-1)];
    this.rows = {
      hit: { begin: first?.hit ?? 0, end: last ? last.hit + last.hits : 0 },
      visitor: { begin: first?.visitor ?? 0, end: last ? last.visitor + last.visitors : 0 },
    };
    this.add(columns);
  }

  get bytes(): number {
    const ofVisitors = [...this.places.values()].flatMap((place) => Object.values(place.ofVisitors));
    const bytes = [
      ...[...ofVisitors, ...(this.times ? [this.times] : [])].map(({ byteLength }) => byteLength),
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
    return column === TIMES ? this.times !== undefined : this.codes.has(columnOf(column));
  }

  add(columns: EncodedPart): void {
    const { structure, rows, texts } = this;
    for (const [kind, bytes] of columns) {
      if (kind === STRUCTURE) continue;
      if (kind === TIMES) this.times = decodedTimes(bytes, structure, rows.hit);
      else {
        const name = columnOf(kind);
        const { of } = COLUMNS[name];
        const size = of === 'hit' ? structure.hits : structure.visitors;
        this.codes.set(name, decodedCodes(bytes, size, texts.of[name], rows[of]));
      }
    }
  }

  remove(column: number): void {
    if (column === TIMES) this.times = undefined;
    else this.codes.delete(columnOf(column));
  }

  /** What the part has of a day; only of columns that were added. */
  columnsOf(day: number): DayColumns {
    const { begin, visitor, hit, visitors, hits, ofVisitors } = this.places.get(day)!;
    const { times, rows } = this;
    const first = { hit: hit - rows.hit.begin, visitor: visitor - rows.visitor.begin };
    const size = { hit: hits, visitor: visitors };
    const codes: Partial<Record<ColumnName, Codes | FewCodes>> = {};
    for (const [name, all] of this.codes) {
      const { of } = COLUMNS[name];
      codes[name] = slicedCodes(all, first[of], first[of] + size[of]);
    }
    return {
      day,
      begin,
      hits,
      visitors,
      ...ofVisitors,
      get at() {
        if (!times) throw new Error('the times were not read');
        return times.subarray(first.hit, first.hit + hits);
      },
      codes,
    };
  }
}

import { release } from '../../ground/memory/release';
import {
  bytesOfCodes,
  type Codes,
  type FewCodes,
  listsIn,
  owned,
  slicedCodes,
  unpacked,
} from '../../hits/codes/code-list';
import type { ColumnCodes } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS, IS_PASSIVE } from '../../hits/hit-columns';
import { TIMES } from '../../hits/hit-columns';
import {
  columnOf,
  decodedStructure,
  decodedTimes,
  directIn,
  type EncodedPart,
  STRUCTURE,
  type Structure,
  type Times,
  writeBegins,
} from './part-format';
import type { PartTexts, RowRange } from './part-texts';
import {
  type BlockDay,
  BYTES_OF_QUARTERS,
  type HitBlock,
  MIN_HITS_BY_QUARTERS,
  momentsOf,
  type QuarterCounts,
} from '../../hits/hit-block';

const BYTES_OF_OBJECTS = 2000;
const NO_CODES: ColumnCodes = {
  rows: { positions: new Uint32Array(0), codes: new Uint8Array(0) },
  codeOf: undefined,
};

/** A reused array: allocating a new one takes longer than overwriting it. */
export class ScratchArray {
  private array = new Uint32Array(0);

  /** Its content is undefined. */
  of(size: number): Uint32Array {
    if (this.array.length < size) this.array = new Uint32Array(size);
    return this.array.subarray(0, size);
  }
}

/** A part in memory: its structure, and the requested columns in their stored form. */
export class Part {
  private readonly structure: Structure;
  private direct: Codes | FewCodes | undefined;
  private readonly places: ReadonlyMap<number, BlockDay>;
  private readonly codes = new Map<ColumnName, ColumnCodes>();
  private times: Omit<Times, 'passive'> | undefined;
  private readonly quarters = new Map<number, QuarterCounts>();
  /** The range of rows in memory. */
  private readonly loaded: Record<'hit' | 'visitor', RowRange>;

  /** `columns` must include the structure. With `only`, just the rows of that day stay in memory. */
  constructor(
    columns: EncodedPart,
    readonly texts: PartTexts,
    private readonly only?: number,
  ) {
    const structure = decodedStructure(columns.get(STRUCTURE)!);
    const days = structure.days.filter(({ day }) => only === undefined || day === only);
    this.places = new Map(days.map((own) => [own.day, own]));
    this.loaded = spanned(days);
    const { visitor: rows } = this.loaded;
    this.structure = {
      ...structure,
      furtherHits: this.rowsOf(structure.furtherHits, rows),
      isKnown: this.rowsOf(structure.isKnown, rows),
      direct: ownedBytes(structure.direct),
    };
    this.add(columns);
  }

  /** Without the texts. Includes columns that are inflated on demand. */
  get bytes(): number {
    const { direct } = this.structure;
    const { begin, end } = this.loaded.visitor;
    const largeDays = this.times
      ? [...this.places.values()].filter(({ hits }) => hits >= MIN_HITS_BY_QUARTERS)
      : [];
    const bytesOfQuarters = BYTES_OF_QUARTERS * largeDays.length;
    return this.lists
      .map(bytesOfCodes)
      .reduce((sum, own) => sum + own, BYTES_OF_OBJECTS + bytesOfQuarters + direct.length + end - begin);
  }

  get days(): number[] {
    return [...this.places.keys()];
  }

  /** Frees the memory of large columns at once. Neither the part nor its blocks may be used afterwards. */
  release(): void {
    for (const list of this.lists) for (const own of listsIn(list)) release(own);
  }

  hitsOf(day: number): number {
    return this.places.get(day)?.hits ?? 0;
  }

  has(column: number): boolean {
    if (column === STRUCTURE) return true;
    return column === TIMES ? this.times !== undefined : this.codes.has(columnOf(column));
  }

  add(columns: EncodedPart): void {
    const { structure, loaded } = this;
    for (const [kind, bytes] of columns) {
      if (kind === STRUCTURE) continue;
      if (kind === TIMES) {
        const { low, high, passive } = decodedTimes(bytes, structure.hits);
        this.times = { low: this.rowsOf(low, loaded.hit), high: this.rowsOf(high, loaded.hit) };
        this.codes.set('passive', passive ? this.marks(this.rowsOf(passive, loaded.hit)) : NO_CODES);
      } else this.codes.set(columnOf(kind), this.column(columnOf(kind), bytes));
    }
  }

  remove(column: number): void {
    if (column === TIMES) this.times = undefined;
    this.codes.delete(columnOf(column));
    this.texts.remove(columnOf(column));
  }

  /** Tells whether the rows of the second day follow those of the first. */
  areNext(day: number, next: number): boolean {
    const { firstHit, hits } = this.places.get(day)!;
    return this.places.get(next)!.firstHit === firstHit + hits;
  }

  /**
   * The hits of one day, or of several days with consecutive rows. The block has the columns that were added. The
   * scratch array is in use until the next block is requested.
   */
  block(days: readonly number[], scratch = new ScratchArray()): HitBlock {
    const { times, loaded, structure, quarters } = this;
    const places = days.map((day) => this.places.get(day)!);
    const rows = spanned(places);
    const sliced = <T extends Codes | FewCodes>(all: T, of: 'hit' | 'visitor') =>
      slicedCodes(all, rows[of].begin - loaded[of].begin, rows[of].end - loaded[of].begin);
    const [hits, visitors] = [rows.hit.end - rows.hit.begin, rows.visitor.end - rows.visitor.begin];
    const codes: Partial<Record<ColumnName, ColumnCodes>> = {};
    for (const [name, { rows: all, codeOf }] of this.codes)
      codes[name] = { rows: sliced(all, COLUMNS[name].of), codeOf };
    const ofVisitors = (all: Codes | FewCodes) => unpacked(sliced(all, 'visitor'), visitors);
    const ofHits = (all: Codes | FewCodes) => unpacked(sliced(all, 'hit'), hits);
    const seconds = times && { low: wide(ofHits(times.low)), high: ofHits(times.high) as Uint8Array };
    const own = places.map((place) => ({
      ...place,
      firstVisitor: place.firstVisitor - rows.visitor.begin,
      firstHit: place.firstHit - rows.hit.begin,
    }));
    let begins: Uint32Array | undefined;
    let moments: Uint32Array | undefined;
    let isDirect: Uint8Array | undefined;
    const direct = () => ofVisitors(this.directRows());
    return {
      days: own,
      hits,
      visitors,
      // Queries that only count visitors do not need it.
      get begins() {
        if (!begins) writeBegins((begins = scratch.of(visitors + 1)), ofVisitors(structure.furtherHits));
        return begins;
      },
      isKnown: ofVisitors(structure.isKnown) as Uint8Array,
      get isDirect() {
        return (isDirect ??= direct() as Uint8Array);
      },
      get at() {
        if (!seconds) throw new Error('the times were not read');
        return (moments ??= momentsOf(own, seconds));
      },
      ...(seconds && { seconds }),
      quarters,
      codes,
    };
  }

  /** Without those that are inflated on demand. */
  private get lists(): (Codes | FewCodes)[] {
    const { furtherHits, isKnown } = this.structure;
    const times = this.times ? [this.times.low, this.times.high] : [];
    return [furtherHits, isKnown, ...times, ...Array.from(this.codes.values(), ({ rows }) => rows)];
  }

  private column(name: ColumnName, bytes: Buffer): ColumnCodes {
    const { structure, texts, loaded, only } = this;
    const { of } = COLUMNS[name];
    const size = of === 'hit' ? structure.hits : structure.visitors;
    const { rows, codeOf } =
      only === undefined ? texts.column(name, bytes, size) : texts.someOf(name, bytes, size, loaded[of]);
    return { rows: owned(rows), codeOf };
  }

  private marks(rows: Codes | FewCodes): ColumnCodes {
    return { rows, codeOf: this.texts.codeOfOnly('passive', IS_PASSIVE) };
  }

  private directRows(): Codes | FewCodes {
    return (this.direct ??= this.rowsOf(directIn(this.structure), this.loaded.visitor));
  }

  private rowsOf(rows: Codes | FewCodes, { begin, end }: RowRange): Codes | FewCodes {
    return owned(this.only === undefined ? rows : slicedCodes(rows, begin, end));
  }
}

/** A view would hold the whole row of a small part in memory. */
function ownedBytes(bytes: Buffer): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer);
}

function wide(codes: Codes): Uint16Array {
  return codes instanceof Uint16Array ? codes : Uint16Array.from(codes);
}

/** The rows from the first to the last of some days. */
function spanned(days: BlockDay[]): Record<'hit' | 'visitor', RowRange> {
  const [first, last] = [days[0], days.at(-1)];
  return {
    hit: { begin: first?.firstHit ?? 0, end: last ? last.firstHit + last.hits : 0 },
    visitor: { begin: first?.firstVisitor ?? 0, end: last ? last.firstVisitor + last.visitors : 0 },
  };
}

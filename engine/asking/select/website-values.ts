import { bytesOfQuery } from '../../ground/memory/memory-limits';
import { InvalidFields } from '../../ground/errors';
import type { Codes } from '../../hits/codes/code-list';
import { Room, type TakeMemory, TextCodes, UNBOUNDED, type WebsiteTexts } from '../../hits/codes/text-codes';
import { OTHER } from '../../hits/rules/value-limits';
import { sourceColumns, type Derived, type Values } from '../../questions/plan/values-from-columns';

/** The limit for the distinct texts of one derivation. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** Below this limit, derivations are cached for further queries. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** The memory of a combination in a map. */
const BYTES_PER_COMBINATION = 60;
const MAX_COMBINATIONS = 200_000;
/** A combination's code and number are combined in one safe integer. */
const BITS = 52;
const NOT_MADE = 0xffffffff;

/** The codes of derived values, by the codes of their sources. */
class DerivedCodes {
  /** Tells whether a text, or a combination, has the code of `OTHER`. */
  isMerged = false;
  readonly texts: TextCodes;
  private readonly room: Room;
  /** Of one column, by its codes. */
  private table = new Uint32Array(0);
  /** Of several columns, by their combined codes. */
  private readonly combinations = new Map<number, number>();

  constructor(
    private readonly derived: Derived,
    private readonly sources: TextCodes[],
    private readonly takeMemory: TakeMemory,
  ) {
    this.room = new Room(MAX_TEXT_BYTES, takeMemory);
    this.texts = new TextCodes(this.room);
  }

  get bytes(): number {
    return this.room.used + this.table.byteLength + BYTES_PER_COMBINATION * this.combinations.size;
  }

  get isFull(): boolean {
    return this.room.isFull || this.combinations.size >= MAX_COMBINATIONS;
  }

  /** One code for each row. */
  of(columns: Codes[]): Codes {
    const [only, ...others] = columns;
    return others.length === 0 ? this.ofOne(only!) : this.ofSeveral(columns);
  }

  private ofOne(column: Codes): Codes {
    const size = this.sources[0]!.texts.length;
    if (this.table.length < size) {
      const table = new Uint32Array(Math.max(size, 2 * this.table.length)).fill(NOT_MADE);
      this.takeMemory(table.byteLength - this.table.byteLength);
      table.set(this.table);
      this.table = table;
    }
    const codes = new Uint32Array(column.length);
    for (let place = 0; place < column.length; place++) {
      const code = column[place]!;
      if (this.table[code] === NOT_MADE) this.table[code] = this.made([code]);
      codes[place] = this.table[code]!;
    }
    return codes;
  }

  private ofSeveral(columns: Codes[]): Codes {
    const radix = 2 ** Math.floor(BITS / columns.length);
    const codes = new Uint32Array(columns[0]!.length);
    let [last, lastCode] = [-1, 0];
    for (let place = 0; place < codes.length; place++) {
      let key = 0;
      for (const column of columns) key = key * radix + column[place]!;
      if (key !== last) {
        lastCode = this.combination(key, columns, place);
        last = key;
      }
      codes[place] = lastCode;
    }
    return codes;
  }

  private combination(key: number, columns: Codes[], place: number): number {
    const known = this.combinations.get(key);
    if (known !== undefined) return known;
    if (this.isFull || !this.takeMemory(BYTES_PER_COMBINATION)) {
      this.isMerged = true;
      return this.texts.codeOf(OTHER);
    }
    const made = this.made(columns.map((column) => column[place]!));
    this.combinations.set(key, made);
    return made;
  }

  private made(codes: number[]): number {
    const texts = codes.map((code, index) => this.sources[index]!.texts[code]!);
    const code = this.texts.codeOf(this.derived.text(...texts));
    this.isMerged ||= this.texts.isMerged;
    return code;
  }
}

/** The texts of a website's columns, and of values derived from them. */
export class WebsiteValues {
  private readonly derived = new Map<string, DerivedCodes>();

  constructor(
    readonly texts: WebsiteTexts,
    private readonly takeMemory = UNBOUNDED,
  ) {}

  get bytes(): number {
    return this.texts.bytes + this.bytesOfDerived;
  }

  of(values: Values): TextCodes {
    return typeof values === 'string' ? this.texts.of[values] : this.codesOf(values).texts;
  }

  /** The codes of derived values, from the codes of their sources. */
  derive(derived: Derived, columns: Codes[]): Codes {
    const codes = this.codesOf(derived).of(columns);
    if (this.bytesOfDerived > bytesOfQuery('derivedTexts'))
      throw new InvalidFields({ filters: ['name too many properties with too many values at once'] });
    return codes;
  }

  /** Tells whether a text has the code of `OTHER`. */
  isMerged(values: Values): boolean {
    if (typeof values === 'string') return this.texts.of[values].isMerged;
    return this.codesOf(values).isMerged || values.from.some((own) => this.isMerged(own));
  }

  /** Tells whether new texts get the code of `OTHER`. */
  isFull(values: Values): boolean {
    if (sourceColumns(values).some((column) => this.texts.of[column].isFull)) return true;
    return typeof values !== 'string' && this.codesOf(values).isFull;
  }

  /** Removes large derivations. Returns whether it did: codes of derived values are no longer valid then. */
  trim(): boolean {
    const areLarge = this.bytesOfDerived > MAX_CACHED_BYTES;
    if (areLarge) this.derived.clear();
    return areLarge;
  }

  private get bytesOfDerived(): number {
    let bytes = 0;
    for (const codes of this.derived.values()) bytes += codes.bytes;
    return bytes;
  }

  private codesOf(derived: Derived): DerivedCodes {
    const { key, from } = derived;
    let codes = this.derived.get(key);
    if (!codes) {
      codes = new DerivedCodes(
        derived,
        from.map((values) => this.of(values)),
        this.takeMemory,
      );
      this.derived.set(key, codes);
    }
    return codes;
  }
}

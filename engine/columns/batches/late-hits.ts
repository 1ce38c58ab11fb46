import { type Codes, unpacked } from '../../hits/codes/code-list';
import { type ColumnCodes, websiteRows } from '../../hits/codes/column-codes';
import { placesOf } from '../../hits/hits-of-block';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import { inserted, insertedCodes } from '../encoding/inserted-codes';
import { bytesOfBlock, leastOf, placeIn, type HitBlock } from '../../hits/hit-block';

type Columns = Partial<Record<ColumnName, ColumnCodes>>;

/** Hits that arrived after their day was sealed: hits of visitors who are in the columns, and of other visitors. */
export class LateHits {
  /** The hits of visitors in the columns, by visitor number. */
  private readonly known: Uint32Array;
  /** The visitor of each hit, computed on demand. */
  private visitorOf: Uint32Array | undefined;
  private ofOthers: HitBlock | undefined;

  /**
   * `numbers` has the number of each visitor in the columns, or -1. `firstPlace` is the place of the first of these
   * hits in the day.
   */
  constructor(
    readonly all: HitBlock,
    private readonly numbers: Int32Array,
    private readonly firstPlace: number,
  ) {
    this.known = indexesOf(numbers, (number) => number >= 0).sort(
      (one, other) => numbers[one]! - numbers[other]!,
    );
    const others = indexesOf(numbers, (number) => number < 0);
    if (this.known.length === 0) this.ofOthers = all;
    else if (others.length > 0) this.ofOthers = ofVisitors(all, others);
  }

  /** The approximate memory. */
  get bytes(): number {
    const { all, ofOthers, known, numbers } = this;
    const others = ofOthers && ofOthers !== all ? bytesOfBlock(ofOthers) : 0;
    const visitorOf = Uint32Array.BYTES_PER_ELEMENT * all.hits;
    return bytesOfBlock(all) + others + known.byteLength + numbers.byteLength + visitorOf;
  }

  /** The hits of visitors who are not in the columns. Undefined if there are none. */
  others(): HitBlock | undefined {
    return this.ofOthers;
  }

  /**
   * The hits of a part, with the late hits of its visitors. `firstVisitor` and `firstPlace` are the first visitor and
   * hit of the part. If the times of the part were not read, a visitor's late hits come last.
   */
  among(part: HitBlock, firstVisitor: number, firstPlace: number): HitBlock {
    const hits = this.hitsOf(firstVisitor, firstVisitor + part.visitors);
    if (hits.length === 0) return part;
    const { all, numbers } = this;
    const visitorOf = (this.visitorOf ??= visitorsOf(all));
    const own = hits.map((hit) => numbers[visitorOf[hit]!]! - firstVisitor);
    const at = hits.map((hit) => all.at[hit]!);
    const places = own.map((visitor, index) =>
      part.seconds ? placeIn(part, visitor, at[index]!) : part.begins[visitor + 1]!,
    );
    const size = part.hits + hits.length;
    const [day] = part.days;
    const lateFrom = this.firstPlace - firstPlace;
    let accepted: Uint32Array | undefined;
    let moments: Uint32Array | undefined;
    return {
      days: [{ ...day!, begin: Math.min(day!.begin, leastOf(at)), hits: size }],
      hits: size,
      visitors: part.visitors,
      begins: begins(part, own),
      isKnown: part.isKnown,
      isDirect: part.isDirect,
      get at() {
        return (moments ??= inserted(part.at, places, at, new Uint32Array(size)));
      },
      codes: this.codesAmong(part, places, hits),
      /** Counted from the first place of the part. */
      get accepted() {
        const late = () => hits.map((hit) => lateFrom + all.accepted![hit]!);
        return (accepted ??= inserted(placesOf(part), places, late(), new Uint32Array(size)));
      },
    };
  }

  /** The late hits of a range of visitors in the columns, by visitor and time. */
  private hitsOf(from: number, before: number): Uint32Array {
    const { all, known, numbers } = this;
    const hits: number[] = [];
    for (let index = firstFrom(known, numbers, from); index < known.length; index++) {
      const visitor = known[index]!;
      if (numbers[visitor]! >= before) break;
      for (let hit = all.begins[visitor]!; hit < all.begins[visitor + 1]!; hit++) hits.push(hit);
    }
    return Uint32Array.from(hits);
  }

  private codesAmong({ codes }: HitBlock, places: Uint32Array, hits: Uint32Array): Columns {
    const among: Columns = {};
    for (const name of Object.keys(codes) as ColumnName[]) {
      const late = this.all.codes[name];
      // A cached part may have columns that this query did not read.
      if (!late) continue;
      among[name] =
        COLUMNS[name].of === 'visitor' ? codes[name]! : this.column(codes[name]!, late, places, hits);
    }
    return among;
  }

  private column(part: ColumnCodes, late: ColumnCodes, places: Uint32Array, hits: Uint32Array): ColumnCodes {
    const codes = unpacked(late.rows, this.all.hits);
    const own = hits.map((hit) => codes[hit]!);
    return { rows: insertedCodes(websiteRows(part), places, own), codeOf: undefined };
  }
}

function indexesOf(numbers: Int32Array, isMeant: (number: number) => boolean): Uint32Array {
  const indexes = new Uint32Array(numbers.length);
  let size = 0;
  for (let index = 0; index < numbers.length; index++) if (isMeant(numbers[index]!)) indexes[size++] = index;
  return indexes.slice(0, size);
}

/** The index of the first visitor whose number is at least another number. */
function firstFrom(visitors: Uint32Array, numbers: Int32Array, from: number): number {
  let [low, high] = [0, visitors.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[visitors[middle]!]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first hit of each visitor, with the late hits inserted. `late` has the visitor of each late hit, in order. */
function begins({ begins: before, visitors }: HitBlock, late: Uint32Array): Uint32Array {
  const own = new Uint32Array(visitors + 1);
  for (let visitor = 0, next = 0; visitor <= visitors; visitor++) {
    while (next < late.length && late[next]! < visitor) next++;
    own[visitor] = before[visitor]! + next;
  }
  return own;
}

function visitorsOf({ begins, visitors, hits }: HitBlock): Uint32Array {
  const visitorOf = new Uint32Array(hits);
  for (let visitor = 0; visitor < visitors; visitor++)
    visitorOf.fill(visitor, begins[visitor], begins[visitor + 1]);
  return visitorOf;
}

/** Some of the visitors of a day, with all of their hits. */
function ofVisitors(all: HitBlock, visitors: Uint32Array): HitBlock {
  const begins = new Uint32Array(visitors.length + 1);
  for (const [index, visitor] of visitors.entries())
    begins[index + 1] = begins[index]! + all.begins[visitor + 1]! - all.begins[visitor]!;
  const hits = new Uint32Array(begins.at(-1)!);
  for (const [index, visitor] of visitors.entries())
    for (let hit = begins[index]!; hit < begins[index + 1]!; hit++)
      hits[hit] = all.begins[visitor]! + hit - begins[index]!;
  const codes: Columns = {};
  for (const name of Object.keys(all.codes) as ColumnName[]) {
    const [size, rows] = COLUMNS[name].of === 'hit' ? [all.hits, hits] : [all.visitors, visitors];
    codes[name] = { rows: chosen(unpacked(all.codes[name]!.rows, size), rows), codeOf: undefined };
  }
  const [day] = all.days;
  return {
    days: [{ ...day!, visitors: visitors.length, hits: hits.length }],
    hits: hits.length,
    visitors: visitors.length,
    begins,
    isKnown: chosen(all.isKnown, visitors) as Uint8Array,
    isDirect: chosen(all.isDirect, visitors) as Uint8Array,
    at: chosen(all.at, hits) as Uint32Array,
    codes,
    accepted: chosen(all.accepted!, hits) as Uint32Array,
  };
}

function chosen(codes: Codes, rows: Uint32Array): Codes {
  const some = new (codes.constructor as new (length: number) => Codes)(rows.length);
  for (let index = 0; index < rows.length; index++) some[index] = codes[rows[index]!]!;
  return some;
}

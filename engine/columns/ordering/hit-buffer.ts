import { NumberList } from '../../ground/lists/number-list';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { CodeList, type Codes, kindFor, unpacked } from '../../hits/codes/code-list';
import {
  type ColumnName,
  COLUMN_NAMES,
  COLUMNS,
  COLUMNS_OF_HITS,
  COLUMNS_OF_VISITORS,
} from '../../hits/hit-columns';
import { CodesAmong, putCodes } from '../encoding/codes-among';
import type { DecodedTexts } from '../segments/part-texts';
import { NOT_SET, type TextCodes } from '../../hits/codes/text-codes';
import { type HitColumns, type HitRange, isDirectIn, type KnownTexts } from '../batches/batch';

/** The limit of a fragment, so that it fits one row. */
const HITS_OF_FRAGMENT = 8192;
/** The bits of a visitor row; the partition is above them. */
const [IS_KNOWN, IS_DIRECT, PARTITION_SHIFT] = [1, 2, 2];
/** A visitor row that no hit had yet. */
const NONE = -1;

/** The hits of a buffer by partition. Within one, they have the order in which they were added. */
interface Division {
  order: Uint32Array;
  /** The first hit of each partition, and the number of hits at the end. */
  begins: Uint32Array;
}

/** Collects hits of many batches, and returns them by partition. */
export class HitBuffer {
  /** By hit. */
  private readonly at = new NumberList();
  private readonly rowOf = new NumberList();
  /** By visitor row: its partition and two bits. */
  private readonly flags = new NumberList();
  private readonly hashes = new NumberList();
  private readonly codes = new Map(COLUMN_NAMES.map((name) => [name, new CodeList()]));
  private division: Division | undefined;
  /** Its memory when it was last cleared. */
  private roomBytes = 0;
  /** The number of hits when it last exceeded its memory. */
  private mostHits = Infinity;

  constructor(
    private readonly partitions: number,
    private texts: Record<ColumnName, TextCodes>,
    /** The columns whose texts are stored with the hits, because codes cover only earlier texts. */
    private readonly withTexts: ReadonlySet<ColumnName>,
  ) {}

  /** Tells whether the visitors have hashes. This is the same for all batches. */
  get hasHashes(): boolean {
    return this.hashes.size > 0;
  }

  /** Tells whether it exceeds this memory, or has as many hits as when it last did. */
  isFull(maxBytes: number): boolean {
    if (this.bytes > Math.max(maxBytes, this.roomBytes)) this.mostHits = this.hits;
    return this.hits >= this.mostHits;
  }

  /** Removes all hits but keeps the memory for further hits with these texts. */
  clear(texts: Record<ColumnName, TextCodes>): void {
    this.texts = texts;
    this.division = undefined;
    for (const list of [this.at, this.rowOf, this.flags, this.hashes, ...this.codes.values()]) list.clear();
    this.roomBytes = this.bytes;
  }

  get hits(): number {
    return this.at.size;
  }

  /** The approximate memory. */
  get bytes(): number {
    const { at, rowOf, flags, hashes, codes, texts, withTexts, division } = this;
    const own = Array.from(withTexts, (name) => texts[name]);
    const lists = [at, rowOf, flags, hashes, ...codes.values(), ...own];
    return lists.reduce((sum, { bytes }) => sum + bytes, division?.order.byteLength ?? 0);
  }

  /** Adds hits of a batch. `partitionOf` has the partition of each visitor row. */
  add(batch: HitColumns, partitionOf: Uint32Array, { from, before }: HitRange): void {
    const first = this.at.size;
    const rows = this.addHits(batch, partitionOf, { from, before });
    for (const name of COLUMNS_OF_HITS) {
      const column = batch.texts(name);
      if (column) putCodes(this.codes.get(name)!, column, this.texts[name], first, { from, before });
    }
    for (const name of COLUMNS_OF_VISITORS) {
      const column = batch.texts(name);
      if (!column) continue;
      const own = unpacked(column.rows, batch.rows);
      const codes = this.codes.get(name)!;
      const codeOf = new CodesAmong(this.texts[name], column.texts);
      const firstRow = this.flags.size - rows.length;
      for (let index = 0; index < rows.length; index++) {
        const text = own[rows[index]!]!;
        if (text !== NOT_SET) codes.put(firstRow + index, codeOf.of(text));
      }
    }
  }

  /** The hits of a partition in fragments, with their visitor rows. */
  *fragments(partition: number): Generator<HitColumns> {
    const { order, begins } = (this.division ??= this.divided());
    const end = begins[partition + 1]!;
    for (let begin = begins[partition]!; begin < end; begin += HITS_OF_FRAGMENT)
      yield this.fragment(order.subarray(begin, Math.min(end, begin + HITS_OF_FRAGMENT)));
  }

  /** Returns the visitor rows of these hits in the order of their numbers. */
  private addHits(batch: HitColumns, partitionOf: Uint32Array, { from, before }: HitRange): number[] {
    const { rowOf, isKnown, hashes } = batch;
    const moments = batch.moments();
    const isDirect = isDirectIn(batch);
    const ownOf = new Int32Array(batch.rows).fill(NONE);
    const rows: number[] = [];
    for (let hit = from; hit < before; hit++) {
      const row = rowOf[hit]!;
      this.at.push(moments[hit]!);
      if (ownOf[row] === NONE) {
        ownOf[row] = this.flags.size;
        rows.push(row);
        this.flags.push(
          (partitionOf[row]! << PARTITION_SHIFT) |
            (isDirect(row, hit) ? IS_DIRECT : 0) |
            (isKnown[row] === 1 ? IS_KNOWN : 0),
        );
        if (hashes) {
          // Numbers beyond 32 signed bits would be heap objects.
          this.hashes.push(hashes.readInt32LE(VISITOR_BYTES * row));
          this.hashes.push(hashes.readInt32LE(VISITOR_BYTES * row + 4));
        }
      }
      this.rowOf.push(ownOf[row]!);
    }
    return rows;
  }

  private divided(): Division {
    const [rowOf, flags] = [this.rowOf.values, this.flags.values];
    const begins = new Uint32Array(this.partitions + 1);
    const partitionOf = (hit: number) => flags[rowOf[hit]!]! >>> PARTITION_SHIFT;
    for (let hit = 0; hit < rowOf.length; hit++) begins[partitionOf(hit) + 1]!++;
    for (let partition = 1; partition <= this.partitions; partition++)
      begins[partition]! += begins[partition - 1]!;
    const next = begins.slice();
    const order = new Uint32Array(rowOf.length);
    for (let hit = 0; hit < rowOf.length; hit++) order[next[partitionOf(hit)]!++] = hit;
    return { order, begins };
  }

  private fragment(own: Uint32Array): HitColumns {
    const { rows, rowOf } = numbered(chosen(this.rowOf.values, own));
    const flags = chosen(this.flags.values, rows);
    const placesOf = (name: ColumnName) => (COLUMNS[name].of === 'hit' ? own : rows);
    return {
      hits: own.length,
      rows: rows.length,
      rowOf,
      isKnown: bitsOf(flags, IS_KNOWN),
      isDirect: bitsOf(flags, IS_DIRECT),
      hashes: this.hasHashes ? this.hashesOf(rows) : undefined,
      moments: () => chosen(this.at.values, own),
      texts: (name) => this.textsOf(name, placesOf(name)),
      codes: (name) => (this.withTexts.has(name) ? undefined : this.codesOf(name, placesOf(name))),
    };
  }

  private hashesOf(rows: Uint32Array): Buffer {
    const all = this.hashes.values;
    const hashes = new Uint32Array(2 * rows.length);
    for (let index = 0; index < rows.length; index++) {
      hashes[2 * index] = all[2 * rows[index]!]!;
      hashes[2 * index + 1] = all[2 * rows[index]! + 1]!;
    }
    return Buffer.from(hashes.buffer);
  }

  private codesOf(name: ColumnName, places: Uint32Array): KnownTexts | undefined {
    const rows = this.codes.get(name)!.gathered(places);
    return rows && { texts: this.texts[name], rows };
  }

  private textsOf(name: ColumnName, places: Uint32Array): DecodedTexts | undefined {
    const codes = this.codes.get(name)!.gathered(places);
    if (!codes) return undefined;
    const { rows, rowOf } = numbered(codes, NOT_SET);
    if (rows.length === 1) return undefined;
    const { texts } = this.texts[name];
    return {
      texts: Array.from(rows.subarray(1), (code) => texts[code]!),
      rows: new (kindFor(rows.length))(rowOf),
    };
  }
}

function bitsOf(flags: Uint32Array, bit: number): Uint8Array {
  const bits = new Uint8Array(flags.length);
  for (let index = 0; index < flags.length; index++) bits[index] = (flags[index]! & bit) === 0 ? 0 : 1;
  return bits;
}

function chosen(all: Codes, places: Uint32Array): Uint32Array {
  const some = new Uint32Array(places.length);
  for (let index = 0; index < places.length; index++) some[index] = all[places[index]!]!;
  return some;
}

let scratch = new Uint32Array(0);

/** Numbers codes from 0 in the order of their occurrence, and lists the codes. `first` gets number 0 in any case. */
function numbered(all: Codes, first?: number): { rows: Uint32Array; rowOf: Uint32Array } {
  let largest = 0;
  for (let index = 0; index < all.length; index++) if (all[index]! > largest) largest = all[index]!;
  // It is reused, and only has zeros between two calls.
  if (scratch.length <= largest) scratch = new Uint32Array(2 * largest + 1);
  const numberOf = scratch;
  const rows = new Uint32Array(all.length + 1);
  const rowOf = new Uint32Array(all.length);
  let size = 0;
  if (first !== undefined) numberOf[(rows[size] = first)] = ++size;
  for (let index = 0; index < all.length; index++) {
    const own = all[index]!;
    if (numberOf[own] === 0) numberOf[(rows[size] = own)] = ++size;
    rowOf[index] = numberOf[own]! - 1;
  }
  for (let index = 0; index < size; index++) numberOf[rows[index]!] = 0;
  return { rows: rows.slice(0, size), rowOf };
}

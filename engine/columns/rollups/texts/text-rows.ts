import { yieldIfNeeded } from '../../../ground/time/yield-if-needed';
import {
  changedBy,
  insertAll,
  type Insertion,
  type Queryable,
  type Transaction,
} from '../../../database/rows';
import { DIMENSIONS, type StatName } from '../../../hits/stat-names';
import type { DistinctTexts } from './distinct-texts';
import type { ValueLimits } from '../../../hits/rules/value-limits';
import { readTextRows } from './value-texts';
import {
  bytesOfStoredText,
  eachText,
  FULL_ROW_BYTES,
  MAX_BYTES_OF_TEXTS,
  type TextRow,
  textRow,
  textsIn,
  type TextTable,
} from './value-texts-format';

const COLUMNS = ['website_id', 'generation', 'name', 'first_code', 'size', 'data'];
/** Sorting this many does not block the event loop. */
const SORTED_AT_ONCE = 8192;

/** The last row of a table. */
type LastRow = Pick<TextRow, 'firstCode' | 'size'>;

/** A new last row of a table. */
export interface TextWrite {
  row: TextRow;
  /** The previous last row. It is replaced if both begin at the same code. */
  last: LastRow | undefined;
}

/** The codes of texts in a table, and the rows that must be written first. */
export interface CodedTexts {
  /** By the code in the list; -1 if a text was not requested. */
  codes: Int32Array;
  writes: TextWrite[];
}

/** Another process added texts to a table. Prepared rows must not be written. */
export class TextsChanged extends Error {}

/**
 * Looks up counted texts with one pass over their table. New texts get the next codes, in the order of their bytes.
 * Undefined if the table would exceed its limit of texts or bytes. A table no larger than a new generation always has
 * room.
 */
export async function findCodes(
  reader: Queryable,
  { websiteId, generation }: Pick<TextTable, 'websiteId' | 'generation'>,
  name: StatName,
  texts: DistinctTexts,
  counts: Float64Array,
  limits: Pick<ValueLimits, 'all' | 'textBytes'>,
  pause = yieldIfNeeded,
): Promise<CodedTexts | undefined> {
  const codes = new Int32Array(counts.length).fill(-1);
  let missing = unknownTexts(codes, counts).length;
  let last: TextRow | undefined;
  let bytes = 0;
  const stored = readTextRows(reader, websiteId, generation, name, 0);
  for (let row = await nextOf(stored, missing); row; row = await nextOf(stored, missing)) {
    const known = textsIn(row);
    eachText(known, (stored, begin, end) => {
      const code = texts.findBytes(known.bytes, begin, end);
      if (code < 0 || !(counts[code]! > 0)) return;
      codes[code] = stored;
      missing--;
    });
    bytes += known.bytes.length;
    last = row;
    await pause();
  }
  if (missing === 0) return { codes, writes: [] };
  const unknown = await inOrder(texts, unknownTexts(codes, counts), pause);
  const size = last ? last.firstCode + last.size : 0;
  const added = unknown.reduce((sum, code) => sum + texts.lengthOf(code), 0);
  const isHeavy = bytes > limits.textBytes / 2 && bytes + added > limits.textBytes;
  if (size + unknown.length > limits.all || isHeavy) return undefined;
  const rows = new TextRowBuilder({ websiteId, generation, name: DIMENSIONS[name].code }, last);
  for (const code of unknown) {
    const bytes = texts.bytesOf(code);
    codes[code] = rows.add(bytes, 0, bytes.length);
    await pause();
  }
  return { codes, writes: chained(rows.finish(), last) };
}

/** Writes consecutive rows of each table, if the row before the first one is still the last. */
export async function writeTexts(manager: Transaction, writes: TextWrite[]): Promise<void> {
  const added: TextRow[] = [];
  for (const { row, last } of writes) {
    if (last?.firstCode === row.firstCode) {
      const changed = await changedBy(
        manager,
        `UPDATE value_texts SET size = ?, data = ?
        WHERE website_id = ? AND generation = ? AND name = ? AND first_code = ? AND size = ?`,
        [row.size, row.data, row.websiteId, row.generation, row.name, row.firstCode, last.size],
      );
      if (changed !== 1) throw new TextsChanged();
      continue;
    }
    const isBehind = writes.some(
      (other) => isSameTable(other.row, row) && other.row.firstCode === last?.firstCode,
    );
    if (!isBehind && !areSame(await readLastRow(manager, row), last)) throw new TextsChanged();
    added.push(row);
  }
  await insertAll(manager, [textInsertion(added)]);
}

export function textInsertion(rows: TextRow[]): Insertion {
  return {
    table: 'value_texts',
    columns: COLUMNS,
    rows: rows.map(({ websiteId, generation, name, firstCode, size, data }) => [
      ...[websiteId, generation, name],
      ...[firstCode, size, data],
    ]),
  };
}

/** Makes rows of texts that are added one by one, after the last row of their table, which is filled up first. */
export class TextRowBuilder {
  private rows: TextRow[] = [];
  private readonly bytes = Buffer.allocUnsafe(MAX_BYTES_OF_TEXTS);
  /** The first code of the open row. */
  private firstCode = 0;
  private ends: number[] = [];
  private end = 0;
  /** The size of its texts before packing. */
  private size = 0;
  /** The number of its texts that are stored already. A row is not made of these alone. */
  private known = 0;

  constructor(
    private readonly table: TextTable,
    last?: TextRow,
  ) {
    if (!last) return;
    this.firstCode = last.firstCode;
    if (last.data.length < FULL_ROW_BYTES) {
      const texts = textsIn(last);
      eachText(texts, (_, begin, end) => this.add(texts.bytes, begin, end));
    } else this.firstCode += last.size;
    this.known = this.ends.length;
  }

  /** Returns the code of the text. */
  add(bytes: Buffer, begin: number, end: number): number {
    const size = bytesOfStoredText(end - begin);
    if (this.size + size > MAX_BYTES_OF_TEXTS) this.close();
    this.size += size;
    this.end += bytes.copy(this.bytes, this.end, begin, end);
    this.ends.push(this.end);
    return this.firstCode + this.ends.length - 1;
  }

  /** The full rows. */
  take(): TextRow[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  /** The full rows, and the last row. */
  finish(): TextRow[] {
    this.close();
    return this.take();
  }

  private close(): void {
    const { firstCode, bytes, end } = this;
    const ends = Uint32Array.from(this.ends);
    if (ends.length > this.known)
      this.rows.push(textRow(this.table, { firstCode, bytes: bytes.subarray(0, end), ends }));
    this.firstCode += ends.length;
    this.ends = [];
    [this.end, this.size, this.known] = [0, 0, 0];
  }
}

function chained(rows: TextRow[], before: LastRow | undefined): TextWrite[] {
  return rows.map((row, index) => ({ row, last: index === 0 ? before : rows[index - 1] }));
}

/** Undefined if there is no next row, or nothing is missing. */
async function nextOf(rows: AsyncGenerator<TextRow>, missing: number): Promise<TextRow | undefined> {
  if (missing === 0) return undefined;
  const { value } = (await rows.next()) as IteratorResult<TextRow, undefined>;
  return value;
}

function unknownTexts(codes: Int32Array, counts: Float64Array): Uint32Array<ArrayBuffer> {
  const unknown = new Uint32Array(counts.length);
  let size = 0;
  for (let code = 0; code < counts.length; code++)
    if (counts[code]! > 0 && codes[code]! < 0) unknown[size++] = code;
  return unknown.subarray(0, size);
}

/** Sorts codes by the bytes of their texts: in pieces, which are merged afterwards. */
async function inOrder(
  texts: DistinctTexts,
  codes: Uint32Array<ArrayBuffer>,
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  const compare = (one: number, other: number) => texts.compare(one, other);
  for (let from = 0; from < codes.length; from += SORTED_AT_ONCE) {
    codes.subarray(from, from + SORTED_AT_ONCE).sort(compare);
    await pause();
  }
  let [sorted, into] = [codes, new Uint32Array(codes.length)];
  for (let size = SORTED_AT_ONCE; size < codes.length; size *= 2) {
    for (let from = 0; from < codes.length; from += 2 * size) {
      merge(texts, sorted, into, from, from + size, Math.min(from + 2 * size, codes.length));
      await pause();
    }
    [sorted, into] = [into, sorted];
  }
  return sorted;
}

function merge(
  texts: DistinctTexts,
  codes: Uint32Array,
  into: Uint32Array,
  from: number,
  middle: number,
  to: number,
): void {
  let [one, other] = [from, middle];
  for (let at = from; at < to; at++) {
    const isFirst = other >= to || (one < middle && texts.compare(codes[one]!, codes[other]!) < 0);
    into[at] = codes[isFirst ? one++ : other++]!;
  }
}

async function readLastRow(
  manager: Transaction,
  { websiteId, generation, name }: TextTable,
): Promise<LastRow | undefined> {
  const [row] = await manager.query<LastRow[]>(
    `SELECT first_code AS firstCode, size FROM value_texts WHERE website_id = ? AND generation = ? AND name = ?
    ORDER BY first_code DESC LIMIT 1`,
    [websiteId, generation, name],
  );
  return row;
}

function areSame(one: LastRow | undefined, other: LastRow | undefined): boolean {
  return one?.firstCode === other?.firstCode && one?.size === other?.size;
}

function isSameTable(one: TextTable, other: TextTable): boolean {
  return one.websiteId === other.websiteId && one.generation === other.generation && one.name === other.name;
}

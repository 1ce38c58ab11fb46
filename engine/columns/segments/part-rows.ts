import { crc32 } from 'node:zlib';
import { DamagedDay } from '../damaged-hits';
import { encodedNumbers, Numbers } from '../../hits/codes/leb128';
import { packFewBytes, unpackedBytes } from '../../hits/codes/packed-numbers';
import { TIMES } from '../../hits/hit-columns';
import type { EncodedPart } from './part-format';

/**
 * A part is one or more rows of `hit_columns`: a small one has all of its columns in one row, another one a row for each
 * column, or several of them for a large one, so that each fits a statement. The bytes of a row:
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of the row's key, as text, and of all that follows; little endian
 *     pieces      one for each column in the row; packed, where the row has all of them:
 *       column      the number of the column
 *       size        how many bytes the column has
 *       begin       where in the column the piece begins
 *       bytes       how many follow
 *       …           the bytes
 *
 * where numbers are unsigned LEB128, and `packed-numbers.ts` says how bytes are packed.
 */
const VERSION = 1;
const HEADER_BYTES = 5;
const WORD_BYTES = 4;
/** A smaller part is one row. */
const MAX_SMALL_BYTES = 64 * 1024;
/** A row fits a packet of 1 MiB, even in hexadecimal digits. */
export const MAX_PART_ROW_BYTES = 256 * 1024;
/** Stored instead of a column's number if the row has all columns. */
export const ALL_COLUMNS = 0;

export interface PartKey {
  websiteId: number;
  segment: number;
  part: number;
}

export interface PartRow extends PartKey {
  /** The column, or `ALL_COLUMNS`. */
  kind: number;
  piece: number;
  data: Buffer;
}

export class DamagedColumns extends DamagedDay {
  constructor({ websiteId, part }: PartKey, day: number) {
    super(websiteId, day, `part ${part}`);
  }
}

export function rowsOfPart(key: PartKey, columns: EncodedPart): PartRow[] {
  const size = [...columns.values()].reduce((sum, { length }) => sum + length, 0);
  if (size <= MAX_SMALL_BYTES) {
    const pieces = [...columns].map(([column, bytes]) => pieceOf(column, bytes, 0, bytes.length));
    return [rowOf({ ...key, kind: ALL_COLUMNS, piece: 0 }, [packFewBytes(Buffer.concat(pieces), 'texts')])];
  }
  return [...columns].flatMap(([kind, bytes]) => rowsOfColumn(key, kind, bytes));
}

/** The rows of one column of a large part. */
export function rowsOfColumn(key: PartKey, kind: number, bytes: Buffer): PartRow[] {
  const rows: PartRow[] = [];
  for (let begin = 0; begin === 0 || begin < bytes.length; begin += MAX_PART_ROW_BYTES)
    rows.push(
      rowOf({ ...key, kind, piece: rows.length }, [pieceOf(kind, bytes, begin, begin + MAX_PART_ROW_BYTES)]),
    );
  return rows;
}

function pieceOf(column: number, bytes: Buffer, begin: number, end: number): Buffer {
  const own = bytes.subarray(begin, end);
  return Buffer.concat([encodedNumbers([column, bytes.length, begin, own.length]), own]);
}

function rowOf(key: Omit<PartRow, 'data'>, pieces: Buffer[]): PartRow {
  const header = Buffer.alloc(HEADER_BYTES);
  const data = Buffer.concat([header, ...pieces]);
  data[0] = VERSION;
  data.writeUInt32LE(checksum(key, data.subarray(HEADER_BYTES)), 1);
  return { ...key, data };
}

/** The columns in some rows of a part, in the order of their keys. Undefined if they are damaged. */
export function columnsIn(rows: PartRow[]): EncodedPart | undefined {
  const pieces = new Map<number, { size: number; read: number; bytes: Buffer[] }>();
  for (const row of rows) {
    if (!isTrusted(row)) return undefined;
    const body = row.data.subarray(HEADER_BYTES);
    const own = row.kind === ALL_COLUMNS ? unpackedBytes(new Numbers(body)) : body;
    const numbers = new Numbers(own);
    while (numbers.at < own.length) {
      const [column, size, begin] = [numbers.next(), numbers.next(), numbers.next()];
      const bytes = numbers.take(numbers.next());
      const piece = pieces.get(column) ?? { size, read: 0, bytes: [] };
      pieces.set(column, piece);
      if (begin !== piece.read) return undefined;
      piece.read += bytes.length;
      piece.bytes.push(bytes);
    }
  }
  if ([...pieces.values()].some(({ size, read }) => read !== size)) return undefined;
  return new Map(
    [...pieces].map(([column, { size, bytes }]) => [
      column,
      bytes.length === 1 ? bytes[0]! : joinedPieces(bytes, size, column),
    ]),
  );
}

/**
 * Aligned, so that lists of numbers need not be copied again: the list of times begins at an even place, others end at
 * a word.
 */
function joinedPieces(pieces: Buffer[], size: number, column: number): Buffer {
  const begin = column === TIMES ? 0 : (WORD_BYTES - (size % WORD_BYTES)) % WORD_BYTES;
  const joined = Buffer.from(new ArrayBuffer(begin + size), begin);
  let end = 0;
  for (const piece of pieces) end += piece.copy(joined, end);
  return joined;
}

function isTrusted({ data, ...key }: PartRow): boolean {
  if (data.length < HEADER_BYTES || data[0] !== VERSION) return false;
  return data.readUInt32LE(1) === checksum(key, data.subarray(HEADER_BYTES));
}

function checksum({ websiteId, segment, part, kind, piece }: Omit<PartRow, 'data'>, bytes: Buffer): number {
  return crc32(bytes, crc32([websiteId, segment, part, kind, piece].join(' ')));
}

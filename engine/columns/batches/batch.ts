import { crc32 } from 'node:zlib';
import { VISITOR_BYTES } from '../../ground/visitor-bytes';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import { type Codes, type FewCodes, packedCodes, unpacked } from '../../hits/codes/code-list';
import { DamagedDay } from '../damaged-hits';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from '../../hits/hit-columns';
import { encodedNumbers, Numbers } from '../../hits/codes/leb128';
import {
  inflateBytes,
  packBytes,
  packBytesUndeflated,
  packNumbersUndeflated,
  unpackedNumbers,
} from '../../hits/codes/packed-numbers';
import { type DecodedTexts, decodedTexts, storedTexts } from '../segments/part-texts';
import { leastOf } from '../../hits/hit-block';
import { NOT_SET, type TextCodes } from '../../hits/codes/text-codes';

/**
 * A batch: hits of one website and day in the order in which they were accepted, column by column.
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of the batch's key, as text, and of all that follows; little endian
 *     packed      as `packed-numbers.ts` says:
 *       hits        how many there are
 *       rows        how many visitor rows
 *       begin       the first moment, in seconds since 1970
 *       columns     one behind the other: its number, how many bytes it has, and these
 *
 * A visitor row is a visitor with what is said once of a visitor; one of whom hits say different things has several. A
 * column is one of
 *
 *     VISITORS    a list of the visitor row of each hit; a list: whether each visitor row is of a known visitor
 *     TIMES       a list of how many seconds after `begin` each hit was: the low 16 bits; a list of the others
 *     DIRECT      a list: whether each visitor row brought no referrer first; it is missing where the first hit tells
 *     a text      as `part-texts.ts` says, for each hit or each visitor row; it is missing where none has one
 *
 * The visitors' hashes are never inside of a batch. They are a row of their own, so that they can be forgotten: 4 bytes
 * for the CRC-32 as above, and 8 bytes for each visitor row.
 */
const VERSION = 1;
const HEADER_BYTES = 5;
const CHECKSUM_BYTES = 4;
const VISITORS = 1;
const TIMES = 2;
const DIRECT = 3;
/** A batch is merged, and deflated again, several times. */
const LEVEL = 1;

export interface BatchKey {
  websiteId: number;
  day: number;
  firstHit: number;
  size: number;
}

export interface BatchMoments {
  /** The moment of the latest hit, in seconds. */
  lastAt: number;
  /** The moment at which its visitors must be forgotten, by the database's clock. */
  forgetAt: number;
}

/** A batch as it is stored. */
export interface StoredBatch extends BatchKey, BatchMoments {
  data: Buffer;
  /** Null once they are forgotten. */
  hashes: Buffer | null;
}

/** Hits in the order of their acceptance, as columns. */
export interface HitColumns {
  readonly hits: number;
  /** The number of visitor rows. */
  readonly rows: number;
  /** The visitor row of each hit. */
  readonly rowOf: Codes;
  /** Tells whether the visitor of each row is known. */
  readonly isKnown: Codes;
  /** A hash for each visitor row. Undefined once they are forgotten. */
  readonly hashes: Buffer | undefined;
  /** Tells whether the first accepted hit of each visitor row had no referrer. Only set if that hit is not among these. */
  readonly isDirect?: Codes | undefined;
  /** The moment of each hit, in seconds since 1970. */
  moments(): Uint32Array;
  /** One text for each hit or visitor row. Undefined if all are empty. */
  texts(name: ColumnName): DecodedTexts | undefined;
  /** The texts with their codes, if they already have codes. */
  codes?(name: ColumnName): KnownTexts | undefined;
}

/** A range of hits of a batch, by number. */
export interface HitRange {
  from: number;
  before: number;
}

/** The code of each row's text. */
export interface KnownTexts {
  texts: TextCodes;
  rows: Codes | FewCodes;
}

export interface EncodedBatch {
  data: Buffer;
  hashes: Buffer;
  /** Before deflation. */
  bytes: number;
}

/** Tells whether the first hit of a visitor row had no referrer. Call it with that hit. */
export function isDirectIn(batch: HitColumns): (row: number, firstHit: number) => boolean {
  const { isDirect } = batch;
  if (isDirect) return (row) => isDirect[row] === 1;
  const referrers = batch.texts('referrer')?.rows;
  if (!referrers) return () => true;
  const referrerOf = unpacked(referrers, batch.hits);
  return (_, firstHit) => referrerOf[firstHit] === NOT_SET;
}

export class DamagedBatch extends DamagedDay {
  constructor({ websiteId, day, firstHit }: Pick<BatchKey, 'websiteId' | 'day' | 'firstHit'>) {
    super(websiteId, day, `from number ${firstHit} on`);
  }
}

export async function encodeBatch(key: BatchKey, of: HitColumns, isDeflated = true): Promise<EncodedBatch> {
  const { hits, rows } = of;
  const moments = of.moments();
  const begin = leastOf(moments);
  const columns: [number, Buffer][] = [
    [VISITORS, Buffer.concat([list(of.rowOf), list(of.isKnown)])],
    [
      TIMES,
      Buffer.concat([
        list(moments.map((own) => (own - begin) & 0xffff)),
        list(moments.map((own) => (own - begin) >>> 16)),
      ]),
    ],
  ];
  if (of.isDirect) columns.push([DIRECT, list(of.isDirect)]);
  for (const name of COLUMN_NAMES) {
    await yieldIfNeeded();
    const own = of.texts(name);
    if (own)
      columns.push([
        COLUMNS[name].code,
        storedTexts(own.texts, own.rows, COLUMNS[name].of === 'hit' ? hits : rows),
      ]);
  }
  const body = Buffer.concat([
    encodedNumbers([hits, rows, begin]),
    ...columns.flatMap(([column, bytes]) => [encodedNumbers([column, bytes.length]), bytes]),
  ]);
  const hashes = of.hashes ?? Buffer.alloc(0);
  const packed = isDeflated ? await packBytes(body, 'texts', LEVEL) : packBytesUndeflated(body);
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = VERSION;
  header.writeUInt32LE(checksum(key, packed), 1);
  return {
    data: Buffer.concat([header, packed]),
    hashes: withChecksum(key, hashes),
    bytes: body.length,
  };
}

/** The stored hashes of a batch after a change of each. Damaged ones are emptied, and stay damaged. */
export function changedHashes(key: BatchKey, stored: Buffer, change: (hashes: Buffer) => Buffer): Buffer {
  const own = stored.subarray(CHECKSUM_BYTES);
  if (stored.length < CHECKSUM_BYTES || stored.readUInt32LE() !== checksum(key, own)) return Buffer.alloc(0);
  return withChecksum(key, change(own));
}

function withChecksum(key: BatchKey, hashes: Buffer): Buffer {
  const check = Buffer.alloc(CHECKSUM_BYTES);
  check.writeUInt32LE(checksum(key, hashes));
  return Buffer.concat([check, hashes]);
}

function list(numbers: Codes): Buffer {
  return packNumbersUndeflated(packedCodes(new Uint32Array(numbers)), numbers.length);
}

function checksum({ websiteId, day, firstHit, size }: BatchKey, bytes: Buffer): number {
  return crc32(bytes, crc32([websiteId, day, firstHit, size].join(' ')));
}

/** A batch in memory. A column is decoded when it is first read. */
export class Batch implements HitColumns {
  readonly hits: number;
  readonly rows: number;
  readonly rowOf: Codes;
  readonly isKnown: Codes;
  readonly isDirect: Codes | undefined;
  private readonly begin: number;
  private readonly columns = new Map<number, Buffer>();

  private constructor(
    readonly key: BatchKey,
    body: Buffer,
    readonly hashes: Buffer | undefined,
  ) {
    const numbers = new Numbers(body);
    [this.hits, this.rows, this.begin] = [numbers.next(), numbers.next(), numbers.next()];
    while (numbers.at < body.length) this.columns.set(numbers.next(), numbers.take(numbers.next()));
    const visitors = new Numbers(this.columns.get(VISITORS)!);
    this.rowOf = unpacked(unpackedNumbers(visitors, this.hits), this.hits);
    this.isKnown = unpacked(unpackedNumbers(visitors, this.rows), this.rows);
    const direct = this.columns.get(DIRECT);
    this.isDirect = direct && unpacked(unpackedNumbers(new Numbers(direct), this.rows), this.rows);
  }

  /** Throws if the batch is damaged. */
  static async open({ data, hashes, websiteId, day, firstHit, size }: StoredBatch): Promise<Batch> {
    const key = { websiteId, day, firstHit, size };
    const packed = data.subarray(HEADER_BYTES);
    if (data[0] !== VERSION || data.length < HEADER_BYTES || data.readUInt32LE(1) !== checksum(key, packed))
      throw new DamagedBatch(key);
    const own = hashes?.subarray(CHECKSUM_BYTES);
    const batch = new Batch(key, await inflateBytes(new Numbers(packed)), own);
    const areWhole =
      own?.length === VISITOR_BYTES * batch.rows && hashes!.readUInt32LE() === checksum(key, own);
    if (batch.hits !== key.size || (own && !areWhole)) throw new DamagedBatch(key);
    return batch;
  }

  moments(): Uint32Array {
    const { begin, hits } = this;
    const numbers = new Numbers(this.columns.get(TIMES)!);
    const [low, high] = [unpackedNumbers(numbers, hits), unpackedNumbers(numbers, hits)];
    const moments = Uint32Array.from(unpacked(low, hits));
    const above = unpacked(high, hits);
    for (let hit = 0; hit < hits; hit++) moments[hit]! += begin + (above[hit]! << 16);
    return moments;
  }

  texts(name: ColumnName): DecodedTexts | undefined {
    const { code, of } = COLUMNS[name];
    const bytes = this.columns.get(code);
    return bytes && decodedTexts(bytes, of === 'hit' ? this.hits : this.rows);
  }
}

import { constants, crc32 } from 'node:zlib';
import { DamagedRollups } from '../../damaged-hits';
import { statNameWithCode } from '../../../hits/stat-names';
import { encodedNumbers, Numbers } from '../../../hits/codes/leb128';
import { packFewBytes, unpackedBytes } from '../../../hits/codes/packed-numbers';

/**
 * The text table of a website and name has the texts that rollups have codes of: from 0, each the next one. Texts are
 * added at the end, and none is ever changed; a table that is written anew is another generation. A row of `value_texts`
 * has some texts that follow one another. Its bytes:
 *
 *     1 byte      the version of this format
 *     4 bytes     the CRC-32 of the row's key and size, as text, and of all that follows; little endian
 *     packed      as `packed-numbers.ts` says:
 *       lengths     how many bytes each text has, as unsigned LEB128
 *       texts       in UTF-8, one behind the other
 */
const VERSION = 1;
const HEADER_BYTES = 5;
const LEVEL = constants.Z_BEST_SPEED;
/** The limit for the texts of a row before packing. Packed texts are never larger. */
export const MAX_BYTES_OF_TEXTS = 256 * 1024;
/** A row fits a packet of 1 MiB, even in hexadecimal digits. */
export const MAX_TEXT_ROW_BYTES = MAX_BYTES_OF_TEXTS + 32;
/** If the last row is smaller, further texts are added to it. */
export const FULL_ROW_BYTES = 64 * 1024;

export interface TextTable {
  websiteId: number;
  generation: number;
  /** The code of the name. */
  name: number;
}

/** A row of `value_texts`. */
export interface TextRow extends TextTable {
  firstCode: number;
  /** The number of its texts. */
  size: number;
  data: Buffer;
}

/** Consecutive texts in some bytes. */
export interface Texts {
  firstCode: number;
  bytes: Buffer;
  /** The end of each text in the bytes. */
  ends: Uint32Array;
}

export class DamagedTexts extends DamagedRollups {
  constructor({ websiteId, name }: TextTable, code: number) {
    super(
      `Values of ${statNameWithCode(name)} are damaged or missing (website ${websiteId}, from code ${code} on).`,
    );
  }
}

/** The size of a text before packing. */
export function bytesOfStoredText(length: number): number {
  return length + (length < 0x80 ? 1 : 2);
}

export function textRow(
  { websiteId, generation, name }: TextTable,
  { firstCode, bytes, ends }: Texts,
): TextRow {
  const lengths = ends.map((end, index) => end - (index === 0 ? 0 : ends[index - 1]!));
  const packed = packFewBytes(Buffer.concat([encodedNumbers(lengths), bytes]), 'texts', LEVEL);
  const row = { websiteId, generation, name, firstCode, size: ends.length };
  const data = Buffer.concat([Buffer.alloc(HEADER_BYTES), packed]);
  data[0] = VERSION;
  data.writeUInt32LE(checksum(row, packed), 1);
  return { ...row, data };
}

/** The texts of a row. Throws if the row is damaged. */
export function textsIn(row: TextRow): Texts {
  const { firstCode, size, data } = row;
  const packed = data.subarray(HEADER_BYTES);
  const isTrusted =
    data.length >= HEADER_BYTES && data[0] === VERSION && data.readUInt32LE(1) === checksum(row, packed);
  if (!isTrusted) throw new DamagedTexts(row, firstCode);
  const all = unpackedBytes(new Numbers(packed));
  const lengths = new Numbers(all);
  const ends = new Uint32Array(size);
  for (let index = 0, end = 0; index < size; index++) ends[index] = end += lengths.next();
  return { firstCode, bytes: all.subarray(lengths.at), ends };
}

export function eachText(
  { firstCode, ends }: Texts,
  visit: (code: number, begin: number, end: number) => void,
): void {
  for (let index = 0, begin = 0; index < ends.length; index++) {
    visit(firstCode + index, begin, ends[index]!);
    begin = ends[index]!;
  }
}

function checksum(
  { websiteId, generation, name, firstCode, size }: Omit<TextRow, 'data'>,
  packed: Buffer,
): number {
  return crc32(packed, crc32([websiteId, generation, name, firstCode, size].join(' ')));
}

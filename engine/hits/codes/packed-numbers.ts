import { promisify } from 'node:util';
import {
  constants,
  deflateRaw,
  deflateRawSync,
  inflateRaw,
  inflateRawSync,
  type InputType,
  type ZlibOptions,
} from 'node:zlib';
import { type Codes, type FewCodes, kindFor } from './code-list';
import { encodedNumbers, Numbers } from './leb128';

const deflate = promisify<InputType, ZlibOptions, Buffer>(deflateRaw);
const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);
const { Z_BEST_SPEED, Z_DEFAULT_COMPRESSION, Z_NO_COMPRESSION } = constants;
/** The level for columns that are deflated together, and for columns that are deflated alone. */
export const DEFLATE_LEVELS = { together: Z_NO_COMPRESSION, each: Z_DEFAULT_COMPRESSION };
/** Fewer bytes are deflated in less time than a turn of the event loop takes. */
const BYTES_AT_ONCE = 4 * 1024;
/** Deflating fewer bytes saves nothing. */
const MIN_BYTES = 48;

/**
 * How a column is written. Bytes are packed as
 *
 *     deflated    1 where they are deflated, 0 where that saves too little to be worth its time
 *     bytes       how many there are, before
 *     stored      how many follow
 *     …           the bytes
 *
 * and a list of numbers, whose length is known, as
 *
 *     0           they are all the same: the number
 *     1, 2, 4     the bytes of each, little endian, packed
 *     8           most are zero: how many are not, packed how far each of these is from the one before it, and the list
 *                 of their numbers
 *
 * where the first number, and all that stand alone, are unsigned LEB128.
 */
const SAME = 0;
const FEW = 8;
/**
 * The share of bytes that deflation must save. Inflating numbers takes several times as long as reading them, at each
 * query.
 */
const WORTHWHILE = { numbers: 0.2, texts: 0.95 };
const MIN_CHUNK_BYTES = 1024;
/** A damaged length can be anything. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/**
 * The sample of a long list. Deflating most lists is not worthwhile, and finding this out on the whole list takes long.
 */
const SAMPLE_BYTES = 16 * 1024;
const MIN_SAMPLED_BYTES = 4 * SAMPLE_BYTES;
const MAX_SAMPLE = 2 * WORTHWHILE.numbers;

export async function packBytes(
  bytes: Buffer,
  kind: keyof typeof WORTHWHILE,
  level = Z_DEFAULT_COMPRESSION,
): Promise<Buffer> {
  if (level === Z_NO_COMPRESSION || bytes.length < MIN_BYTES) return packBytesUndeflated(bytes);
  if (bytes.length <= BYTES_AT_ONCE) return packFewBytes(bytes, kind, level);
  if (kind === 'numbers' && !(await isSampleWorthwhile(bytes))) return packBytesUndeflated(bytes);
  const options = { level, chunkSize: chunkSizeFor(bytes.length / 2) };
  return smaller(bytes, await deflate(bytes, options), kind);
}

/** Packs few bytes. */
export function packFewBytes(
  bytes: Buffer,
  kind: keyof typeof WORTHWHILE,
  level = Z_DEFAULT_COMPRESSION,
): Buffer {
  return smaller(bytes, deflateRawSync(bytes, { level }), kind);
}

function smaller(bytes: Buffer, deflated: Buffer, kind: keyof typeof WORTHWHILE): Buffer {
  const isWorthwhile = deflated.length <= WORTHWHILE[kind] * bytes.length;
  return isWorthwhile ? withSizes(1, bytes.length, deflated) : packBytesUndeflated(bytes);
}

async function isSampleWorthwhile(bytes: Buffer): Promise<boolean> {
  if (bytes.length < MIN_SAMPLED_BYTES) return true;
  const begin = Math.floor(bytes.length / 2);
  const deflated = await deflate(bytes.subarray(begin, begin + SAMPLE_BYTES), { level: Z_BEST_SPEED });
  return deflated.length <= MAX_SAMPLE * SAMPLE_BYTES;
}

/** Packs bytes without deflation, because they are deflated together with others. */
export function packBytesUndeflated(bytes: Buffer): Buffer {
  return withSizes(0, bytes.length, bytes);
}

function withSizes(isDeflated: 0 | 1, size: number, stored: Buffer): Buffer {
  return Buffer.concat([encodedNumbers([isDeflated, size, stored.length]), stored]);
}

export function unpackedBytes(numbers: Numbers): Buffer {
  const [isDeflated, size, stored] = [numbers.next(), numbers.next(), numbers.next()];
  const bytes = numbers.take(stored);
  return isDeflated === 1 ? inflateRawSync(bytes, optionsFor(size)) : bytes;
}

/** Unpacks bytes without blocking the event loop. */
export async function inflateBytes(numbers: Numbers): Promise<Buffer> {
  const [isDeflated, size, stored] = [numbers.next(), numbers.next(), numbers.next()];
  const bytes = numbers.take(stored);
  if (isDeflated === 0) return bytes;
  return size <= BYTES_AT_ONCE ? inflateRawSync(bytes, optionsFor(size)) : inflate(bytes, optionsFor(size));
}

function optionsFor(size: number): ZlibOptions {
  return { maxOutputLength: Math.max(1, size), chunkSize: chunkSizeFor(size) };
}

/** Each chunk takes a turn of the event loop, and a full chunk has another one after it. */
function chunkSizeFor(size: number): number {
  return Math.min(Math.ceil(size) + MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
}

export function skipBytes(numbers: Numbers): void {
  numbers.next();
  numbers.next();
  numbers.take(numbers.next());
}

export async function packNumbers(
  numbers: Codes | FewCodes,
  length: number,
  level?: number,
): Promise<Buffer> {
  const pieces = piecesOf(numbers, length);
  const packed = pieces.map(async (own) => ('list' in own ? packBytes(own.list, 'numbers', level) : own));
  return Buffer.concat(await Promise.all(packed));
}

/** Packs numbers without deflation. */
export function packNumbersUndeflated(numbers: Codes | FewCodes, length: number): Buffer {
  return Buffer.concat(
    piecesOf(numbers, length).map((own) => ('list' in own ? packBytesUndeflated(own.list) : own)),
  );
}

/** The parts of a list of numbers: bytes that stay as they are, and bytes that may be deflated. */
function piecesOf(numbers: Codes | FewCodes, length: number): (Buffer | { list: Buffer })[] {
  if ('positions' in numbers) return piecesOfFew(numbers, length);
  if (areSame(numbers)) return [encodedNumbers([SAME, numbers[0] ?? 0])];
  const list = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return [encodedNumbers([numbers.BYTES_PER_ELEMENT]), { list }];
}

export function unpackedNumbers(numbers: Numbers, length: number): Codes | FewCodes {
  const kind = numbers.next();
  if (kind === SAME) return same(numbers.next(), length);
  if (kind === FEW) return unpackedFew(numbers);
  const bytes = unpackedBytes(numbers);
  if (kind === 1) return new Uint8Array(bytes.buffer, bytes.byteOffset, length);
  // A wider array must begin at a multiple of its width.
  const { buffer, byteOffset } = bytes.byteOffset % kind === 0 ? bytes : new Uint8Array(bytes);
  return kind === 2
    ? new Uint16Array(buffer, byteOffset, length)
    : new Uint32Array(buffer, byteOffset, length);
}

function piecesOfFew({ positions, codes }: FewCodes, length: number): (Buffer | { list: Buffer })[] {
  if (positions.length === 0) return [encodedNumbers([SAME, 0])];
  if (positions.length === length) return piecesOf(codes, length);
  const gaps = positions.map((position, index) => position - (index === 0 ? 0 : positions[index - 1]!));
  return [
    encodedNumbers([FEW, positions.length]),
    { list: encodedNumbers(gaps) },
    ...piecesOf(codes, codes.length),
  ];
}

function unpackedFew(numbers: Numbers): FewCodes {
  const size = numbers.next();
  const gaps = new Numbers(unpackedBytes(numbers));
  const positions = new Uint32Array(size);
  let position = 0;
  for (let index = 0; index < size; index++) positions[index] = position += gaps.next();
  return { positions, codes: unpackedNumbers(numbers, size) as Codes };
}

function same(number: number, length: number): Codes | FewCodes {
  if (number === 0) return { positions: new Uint32Array(0), codes: new Uint8Array(0) };
  return new (kindFor(number))(length).fill(number);
}

function areSame(numbers: Codes): boolean {
  const first = numbers[0];
  for (let index = 1; index < numbers.length; index++) if (numbers[index] !== first) return false;
  return true;
}

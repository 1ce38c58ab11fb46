import { type Codes, type FewCodes, packedCodes, unpacked } from './code-list';
import type { DayColumns } from './day-columns';
import { type ColumnName, COLUMN_NAMES, COLUMNS } from './hit-columns';
import { encodedNumbers, Numbers } from './leb128';
import { packedBytes, packedNumbers, unpackedBytes, unpackedNumbers } from './packed-numbers';
import { NOT_SET, type TextCodes, type WebsiteTexts } from './text-codes';

/**
 * The hits of one or more days as columns, each written by itself, so that a question reads those that it needs. Of
 * days with very many hits a part has some of the visitors, each with all hits of the day. There are no hashes of
 * visitors. `packed-numbers.ts` says how lists of numbers are written.
 *
 *     structure   how many days; for each of them the day, its first moment in seconds since 1970, and how many
 *                 visitors and hits follow; a list of how many hits each visitor has besides one; a list of which
 *                 visitors are known; one of which came without a referrer first
 *     times       how many seconds after the first moment of its day each hit was: the low 16 bits, and the others
 *     texts       1 where the texts are UTF-16 and else 0, since only UTF-16 holds half a character;
 *                 how many texts; packed how many code units each of them has, and then all of them; a list of the
 *                 number of each hit's or visitor's text, from 1, or 0 where it has none
 */
export const STRUCTURE = 1;
export const TIMES = 2;

export interface PartDay {
  day: number;
  begin: number;
  visitors: number;
  hits: number;
}

export interface Structure {
  days: PartDay[];
  visitors: number;
  hits: number;
  /** Where the hits of each visitor begin, and the number of hits at the end. */
  begins: Uint32Array;
  isKnown: Uint8Array;
  isDirect: Uint8Array;
}

/** The bytes of each column, by its number. */
export type EncodedPart = Map<number, Buffer>;

/** The days in their order. */
export async function encodedPart(days: DayColumns[], texts: WebsiteTexts): Promise<EncodedPart> {
  const firsts = days.map(({ at }) => at.reduce((first, moment) => Math.min(first, moment), Infinity));
  const part: EncodedPart = new Map([
    [STRUCTURE, await encodedStructure(days, firsts)],
    [TIMES, await encodedTimes(days, firsts)],
  ]);
  for (const name of COLUMN_NAMES)
    part.set(COLUMNS[name].code, await encodedTexts(days, name, texts.of[name].texts));
  return part;
}

async function encodedStructure(days: DayColumns[], firsts: number[]): Promise<Buffer> {
  const heads = days.flatMap(({ day, visitors, hits }, index) => [day, firsts[index]!, visitors, hits]);
  const visitors = sumOf(days.map((day) => day.visitors));
  const lists = [
    joined(days.map(({ begins, visitors }) => furtherHits(begins, visitors))),
    joined(days.map(({ isKnown }) => isKnown)),
    joined(days.map(({ isDirect }) => isDirect)),
  ];
  const packed = await Promise.all(lists.map((list) => packedNumbers(packedCodes(list), visitors)));
  return Buffer.concat([encodedNumbers([days.length, ...heads]), ...packed]);
}

function furtherHits(begins: Uint32Array, visitors: number): Uint32Array {
  const further = new Uint32Array(visitors);
  for (let visitor = 0; visitor < visitors; visitor++)
    further[visitor] = begins[visitor + 1]! - begins[visitor]! - 1;
  return further;
}

export function decodedStructure(bytes: Buffer): Structure {
  const numbers = new Numbers(bytes);
  const days: PartDay[] = [];
  for (let left = numbers.next(); left > 0; left--)
    days.push({
      day: numbers.next(),
      begin: numbers.next(),
      visitors: numbers.next(),
      hits: numbers.next(),
    });
  const visitors = sumOf(days.map((day) => day.visitors));
  const next = () => unpacked(unpackedNumbers(numbers, visitors), visitors);
  const further = next();
  const begins = new Uint32Array(visitors + 1);
  for (let visitor = 0; visitor < visitors; visitor++)
    begins[visitor + 1] = begins[visitor]! + 1 + further[visitor]!;
  return {
    days,
    visitors,
    hits: sumOf(days.map(({ hits }) => hits)),
    begins,
    isKnown: next() as Uint8Array,
    isDirect: next() as Uint8Array,
  };
}

async function encodedTimes(days: DayColumns[], firsts: number[]): Promise<Buffer> {
  const seconds = joined(days.map(({ at }, index) => at.map((moment) => moment - firsts[index]!)));
  const high = packedCodes(seconds.map((second) => second >>> 16));
  const { length } = seconds;
  return Buffer.concat([
    await packedNumbers(new Uint16Array(seconds), length),
    await packedNumbers(high, length),
  ]);
}

export function decodedTimes(bytes: Buffer, { days, hits }: Structure): Uint32Array {
  const numbers = new Numbers(bytes);
  const low = unpacked(unpackedNumbers(numbers, hits), hits);
  const high = unpacked(unpackedNumbers(numbers, hits), hits);
  const at = new Uint32Array(hits);
  let hit = 0;
  for (const { begin, hits } of days)
    for (const end = hit + hits; hit < end; hit++) at[hit] = begin + low[hit]! + high[hit]! * 0x10000;
  return at;
}

async function encodedTexts(
  days: DayColumns[],
  name: ColumnName,
  textOf: readonly (string | null)[],
): Promise<Buffer> {
  const ofHits = COLUMNS[name].of === 'hit';
  const rows = days.map(({ codes, hits, visitors }) => unpacked(codes[name]!, ofHits ? hits : visitors));
  const own = joined(rows);
  const ownTexts: string[] = [];
  const ownCodes = new Uint32Array(textOf.length);
  for (let row = 0; row < own.length; row++) {
    const code = own[row]!;
    if (code === NOT_SET) continue;
    own[row] = ownCodes[code] ||= ownTexts.push(textOf[code]!);
  }
  const isUtf16 = !ownTexts.every((text) => text.isWellFormed());
  const lengths = encodedNumbers(ownTexts.map(({ length }) => length));
  const all = Buffer.from(ownTexts.join(''), isUtf16 ? 'utf16le' : 'utf8');
  return Buffer.concat([
    encodedNumbers([Number(isUtf16), ownTexts.length]),
    await packedBytes(Buffer.concat([lengths, all]), 'texts'),
    await packedNumbers(packedCodes(own), own.length),
  ]);
}

/** Gives the texts their codes on the website; some of them new ones. */
export function decodedCodes(bytes: Buffer, rows: number, codes: TextCodes): Codes | FewCodes {
  const numbers = new Numbers(bytes);
  const codeOf = codesOf(textsOf(numbers), codes);
  const packed = unpackedNumbers(numbers, rows);
  if ('positions' in packed) return { positions: packed.positions, codes: translated(packed.codes, codeOf) };
  return translated(packed, codeOf);
}

/** One conversion for all texts: a slice of a text costs little. */
function textsOf(numbers: Numbers): string[] {
  const [isUtf16, size] = [numbers.next(), numbers.next()];
  const bytes = unpackedBytes(numbers);
  const lengths = new Numbers(bytes);
  const ends = new Uint32Array(size);
  for (let text = 0, end = 0; text < size; text++) ends[text] = end += lengths.next();
  const all = bytes.toString(isUtf16 === 1 ? 'utf16le' : 'utf8', lengths.at);
  const texts: string[] = [];
  for (let text = 0; text < size; text++) texts.push(all.slice(text === 0 ? 0 : ends[text - 1], ends[text]));
  return texts;
}

function codesOf(texts: string[], codes: TextCodes): Uint32Array {
  const codeOf = new Uint32Array(texts.length + 1);
  for (let text = 0; text < texts.length; text++)
    codeOf[text + 1] = codes.find(texts[text]!) ?? codes.codeOf(copyOf(texts[text]!));
  return codeOf;
}

/** A slice keeps the whole text that it is of in memory. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}

function translated(own: Codes, codeOf: Uint32Array): Codes {
  let largest = 0;
  for (let code = 0; code < codeOf.length; code++) largest = Math.max(largest, codeOf[code]!);
  const Wide = largest < 0x100 ? Uint8Array : largest < 0x10000 ? Uint16Array : Uint32Array;
  const codes = new Wide(own.length);
  for (let row = 0; row < own.length; row++) codes[row] = codeOf[own[row]!]!;
  return codes;
}

function joined(lists: ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(sumOf(lists.map(({ length }) => length)));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}

function sumOf(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

import {
  type Codes,
  type FewCodes,
  joined,
  kindFor,
  packedCodes,
  slicedCodes,
} from '../../hits/codes/code-list';
import { type ColumnCodes, websiteCodes, websiteRows } from '../../hits/codes/column-codes';
import { type ColumnName, COLUMNS } from '../../hits/hit-columns';
import { encodedNumbers, Numbers } from '../../hits/codes/leb128';
import {
  packBytes,
  packNumbers,
  skipBytes,
  packBytesUndeflated,
  packNumbersUndeflated,
  unpackedBytes,
  unpackedNumbers,
} from '../../hits/codes/packed-numbers';
import type { HitBlock } from '../../hits/hit-block';
import { NOT_SET, type TextCodes, type WebsiteTexts } from '../../hits/codes/text-codes';

/**
 * A column of texts in a part. Each text stands once, however many days the part has:
 *
 *     1 where the texts are UTF-16 and else 0, since only UTF-16 holds half a character;
 *     how many texts; packed how many code units each of them has, and then all of them; a list of the
 *     number of each hit's or visitor's text, from 1, or 0 where it has none
 */
export async function encodeTexts(
  blocks: HitBlock[],
  name: ColumnName,
  textOf: readonly (string | null)[],
  level: number,
): Promise<Buffer> {
  const size = blocks.reduce((sum, block) => sum + sizeOf(block, name), 0);
  const few = blocks.length === 1 ? fewOf(blocks[0]!, name) : undefined;
  const own =
    few?.codes ?? joined(blocks.map((block) => websiteCodes(block.codes[name]!, sizeOf(block, name))));
  const ownTexts: string[] = [];
  const ownCodes = new Uint32Array(textOf.length);
  for (let row = 0; row < own.length; row++) {
    const code = own[row]!;
    if (code === NOT_SET) continue;
    own[row] = ownCodes[code] ||= ownTexts.push(textOf[code]!);
  }
  const [head, list] = listOfTexts(ownTexts);
  return Buffer.concat([
    head,
    await packBytes(list, 'texts', level),
    await packNumbers(few ? { ...few, codes: narrowed(few.codes) } : packedCodes(own), size, level),
  ]);
}

function sizeOf({ hits, visitors }: HitBlock, name: ColumnName): number {
  return COLUMNS[name].of === 'hit' ? hits : visitors;
}

/** The rows with a text, if most rows have none. */
function fewOf(
  { codes }: HitBlock,
  name: ColumnName,
): { positions: Uint32Array; codes: Uint32Array } | undefined {
  const rows = websiteRows(codes[name]!);
  return 'positions' in rows ? { positions: rows.positions, codes: new Uint32Array(rows.codes) } : undefined;
}

/** Encodes known texts and numbers without deflation. */
export function storedTexts(texts: string[], rows: Codes | FewCodes, size: number): Buffer {
  const [head, list] = listOfTexts(texts);
  return Buffer.concat([head, packBytesUndeflated(list), packNumbersUndeflated(rows, size)]);
}

/** The head of the list of texts, and the list. */
function listOfTexts(texts: string[]): [Buffer, Buffer] {
  const isUtf16 = !texts.every((text) => text.isWellFormed());
  const lengths = encodedNumbers(texts.map(({ length }) => length));
  const all = Buffer.from(texts.join(''), isUtf16 ? 'utf16le' : 'utf8');
  return [encodedNumbers([Number(isUtf16), texts.length]), Buffer.concat([lengths, all])];
}

/** The texts of a column, and the number of each row's text, from 1. */
export interface DecodedTexts {
  texts: string[];
  rows: Codes | FewCodes;
}

export function decodedTexts(bytes: Buffer, size: number): DecodedTexts {
  const numbers = new Numbers(bytes);
  return { texts: textsOf(numbers), rows: unpackedNumbers(numbers, size) };
}

/** A range of rows; `before` is excluded. */
export interface RowRange {
  begin: number;
  end: number;
}

/** The website's codes of the texts of a part, by column. They are looked up once for many reads of the rows. */
export class PartTexts {
  private readonly known = new Map<ColumnName, Codes>();

  constructor(private readonly texts: WebsiteTexts) {}

  get bytes(): number {
    let bytes = 0;
    for (const { byteLength } of this.known.values()) bytes += byteLength;
    return bytes;
  }

  /** Decodes the rows of a column. */
  column(name: ColumnName, bytes: Buffer, size: number): ColumnCodes {
    const numbers = new Numbers(bytes);
    const known = this.known.get(name);
    if (known) skipTexts(numbers);
    const codeOf = known ?? narrowed(codesOf(textsOf(numbers), this.texts.of[name]));
    this.known.set(name, codeOf);
    return { rows: unpackedNumbers(numbers, size), codeOf };
  }

  /** Decodes a range of rows. Texts of other rows get no codes. */
  someOf(name: ColumnName, bytes: Buffer, size: number, { begin, end }: RowRange): ColumnCodes {
    const numbers = new Numbers(bytes);
    const texts = textsOf(numbers);
    const rows = slicedCodes(unpackedNumbers(numbers, size), begin, end);
    const own = 'positions' in rows ? rows.codes : rows;
    return { rows, codeOf: narrowed(codesOf(texts, this.texts.of[name], own)) };
  }

  /** The codes for rows of a column with one text that have it or not. */
  codeOfOnly(name: ColumnName, text: string): Codes {
    const known = this.known.get(name) ?? narrowed(Uint32Array.of(NOT_SET, this.texts.of[name].codeOf(text)));
    this.known.set(name, known);
    return known;
  }

  remove(name: ColumnName): void {
    this.known.delete(name);
  }
}

/** Adds the texts of a column to the website's codes. */
export function addTexts(bytes: Buffer, codes: TextCodes): void {
  codesOf(textsOf(new Numbers(bytes)), codes);
}

/** Converts all texts at once, because slicing a text is cheap. */
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

function skipTexts(numbers: Numbers): void {
  numbers.next();
  numbers.next();
  skipBytes(numbers);
}

/** The code of each text, or only of the texts of some rows. */
function codesOf(texts: string[], codes: TextCodes, rows?: Codes): Uint32Array {
  const codeOf = new Uint32Array(texts.length + 1);
  const missing: number[] = [];
  const find = (own: number) => {
    const code = codes.find(texts[own - 1]!);
    if (code === undefined) missing.push(own);
    return code ?? NOT_SET;
  };
  if (rows) {
    for (const own of new Set(rows)) if (own !== NOT_SET) codeOf[own] = find(own);
  } else {
    for (let own = 1; own <= texts.length; own++) codeOf[own] = find(own);
  }
  const keepsWhole = missing.length > texts.length / 2;
  for (const own of missing) {
    const text = texts[own - 1]!;
    codeOf[own] = codes.codeOf(keepsWhole ? text : copyOf(text));
  }
  return codeOf;
}

/** A slice holds the whole original text in memory, so it is copied. */
export function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}

function narrowed(codeOf: Uint32Array): Codes {
  let largest = 0;
  for (let own = 0; own < codeOf.length; own++) if (codeOf[own]! > largest) largest = codeOf[own]!;
  return new (kindFor(largest))(codeOf);
}

import { type Codes, type FewCodes, joined, kindFor, packedCodes, slicedCodes, unpacked } from './code-list';
import type { DayColumns } from './day-columns';
import { type ColumnName, COLUMNS } from './hit-columns';
import { encodedNumbers, Numbers } from './leb128';
import { packedBytes, packedNumbers, unpackedBytes, unpackedNumbers } from './packed-numbers';
import { NOT_SET, type TextCodes } from './text-codes';

/**
 * A column of texts in a part. Each text stands once, however many days the part has:
 *
 *     1 where the texts are UTF-16 and else 0, since only UTF-16 holds half a character;
 *     how many texts; packed how many code units each of them has, and then all of them; a list of the
 *     number of each hit's or visitor's text, from 1, or 0 where it has none
 */
export async function encodedTexts(
  days: DayColumns[],
  name: ColumnName,
  textOf: readonly (string | null)[],
): Promise<Buffer> {
  const ofHits = COLUMNS[name].of === 'hit';
  const own = joined(
    days.map(({ codes, hits, visitors }) => unpacked(codes[name]!, ofHits ? hits : visitors)),
  );
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

/** Rows from one to before another one. */
export interface Rows {
  begin: number;
  end: number;
}

/** Some of the rows of a column, with the codes that their texts have on the website; some of them new ones. */
export function decodedCodes(
  bytes: Buffer,
  size: number,
  codes: TextCodes,
  { begin, end }: Rows,
): Codes | FewCodes {
  const numbers = new Numbers(bytes);
  const texts = textsOf(numbers);
  const all = unpackedNumbers(numbers, size);
  if (begin === 0 && end === size) return translated(all, codesOf(texts, codes));
  const some = slicedCodes(all, begin, end);
  return translated(some, codesOf(texts, codes, 'positions' in some ? some.codes : some));
}

/** Gives the texts of a column codes. */
export function addTexts(bytes: Buffer, codes: TextCodes): void {
  codesOf(textsOf(new Numbers(bytes)), codes);
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

/** The code of each text, or of those that some rows have. */
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

/** A slice keeps the whole text that it is of in memory, of which most may be needed for nothing. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}

function translated(own: Codes | FewCodes, codeOf: Uint32Array): Codes | FewCodes {
  if ('positions' in own) return { positions: own.positions, codes: translated(own.codes, codeOf) as Codes };
  let [largest, isSame] = [0, true];
  for (let code = 0; code < codeOf.length; code++) {
    if (codeOf[code] !== code) isSame = false;
    if (codeOf[code]! > largest) largest = codeOf[code]!;
  }
  if (isSame) return own.slice();
  const codes = new (kindFor(largest))(own.length);
  for (let row = 0; row < own.length; row++) codes[row] = codeOf[own[row]!]!;
  return codes;
}

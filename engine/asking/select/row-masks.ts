import type { Codes, FewCodes } from '../../hits/codes/code-list';

/*
 * Lists of zeros and ones, one byte each. Branches on them cannot be predicted and would dominate the time of a scan.
 * So four of them are handled together as a word, and the places of ones are listed without branches.
 */
const BYTES_OF_WORD = 4;
/** Four ones. Multiplying a word by it leaves the sum of its bytes in the highest byte. */
const ONES = 0x01010101;
const SUM_SHIFT = 24;
/** A byte of zero or one, multiplied by it, has no bit or all bits. */
const ALL_BITS = 0xff;

/** The whole words of a list that begins at a multiple of a word. */
function wordsOf(list: Uint8Array): Uint32Array {
  return new Uint32Array(list.buffer, list.byteOffset, Math.floor(list.length / BYTES_OF_WORD));
}

/** One for each code that passes. */
export function mapped(
  codes: Codes,
  passes: Uint8Array,
  list: Uint8Array = new Uint8Array(codes.length),
): Uint8Array {
  const words = wordsOf(list);
  let row = 0;
  for (let word = 0; word < words.length; word++, row += BYTES_OF_WORD)
    words[word] =
      passes[codes[row]!]! |
      (passes[codes[row + 1]!]! << 8) |
      (passes[codes[row + 2]!]! << 16) |
      (passes[codes[row + 3]!]! << 24);
  for (; row < codes.length; row++) list[row] = passes[codes[row]!]!;
  return list;
}

/** Maps a list with few codes other than zero. */
export function mappedFew({ positions, codes }: FewCodes, passes: Uint8Array, list: Uint8Array): Uint8Array {
  list.fill(passes[0]!);
  for (let index = 0; index < positions.length; index++) list[positions[index]!] = passes[codes[index]!]!;
  return list;
}

/** Keeps the ones that the other list has too. */
export function intersect(list: Uint8Array, other: Uint8Array): Uint8Array {
  const [words, others] = [wordsOf(list), wordsOf(other)];
  for (let word = 0; word < words.length; word++) words[word]! &= others[word]!;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) list[row]! &= other[row]!;
  return list;
}

/** Adds the ones of the other list. */
export function unite(list: Uint8Array, other: Uint8Array): Uint8Array {
  const [words, others] = [wordsOf(list), wordsOf(other)];
  for (let word = 0; word < words.length; word++) words[word]! |= others[word]!;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) list[row]! |= other[row]!;
  return list;
}

export function invert(list: Uint8Array): Uint8Array {
  const words = wordsOf(list);
  for (let word = 0; word < words.length; word++) words[word]! ^= ONES;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) list[row]! ^= 1;
  return list;
}

/** Sets a bit, from 0 to 7, of each row with a one. */
export function setBit(rows: Uint8Array, list: Uint8Array, bit: number): void {
  const [words, ones] = [wordsOf(rows), wordsOf(list)];
  for (let word = 0; word < words.length; word++) words[word]! |= ones[word]! << bit;
  for (let row = BYTES_OF_WORD * words.length; row < rows.length; row++) rows[row]! |= list[row]! << bit;
}

/** Clears all bits of each row with a zero. */
export function clearZeros(rows: Uint8Array, list: Uint8Array): void {
  const [words, ones] = [wordsOf(rows), wordsOf(list)];
  for (let word = 0; word < words.length; word++) words[word]! &= Math.imul(ones[word]!, ALL_BITS);
  for (let row = BYTES_OF_WORD * words.length; row < rows.length; row++) rows[row]! &= ALL_BITS * list[row]!;
}

function countOf(list: Uint8Array): number {
  const words = wordsOf(list);
  let count = 0;
  for (let word = 0; word < words.length; word++) count += Math.imul(words[word]!, ONES) >>> SUM_SHIFT;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) count += list[row]!;
  return count;
}

/** The places of the ones, in order. */
export function placesOfOnes(
  list: Uint8Array,
  listFor: (size: number) => Uint32Array = (size) => new Uint32Array(size),
): Uint32Array {
  const words = wordsOf(list);
  // The place after the last one is written, but not part of the result.
  const places = listFor(countOf(list) + 1);
  let size = 0;
  for (let word = 0; word < words.length; word++) {
    if (words[word] === 0) continue;
    const row = BYTES_OF_WORD * word;
    places[size] = row;
    size += list[row]!;
    places[size] = row + 1;
    size += list[row + 1]!;
    places[size] = row + 2;
    size += list[row + 2]!;
    places[size] = row + 3;
    size += list[row + 3]!;
  }
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) {
    places[size] = row;
    size += list[row]!;
  }
  return places.subarray(0, size);
}

import type { Codes } from '../../../storage/encoding/code-list';

/*
 * Lists of zeros and ones, a byte each. Most of the time of a scan would go into branches that depend on them, since
 * which one comes next cannot be foreseen: so four of them are looked at together, as a word, and the places of the ones
 * are listed without a branch for each.
 */
const BYTES_OF_WORD = 4;
/** Four ones. Multiplied by it, a word has their sum in its highest byte. */
const ONES = 0x01010101;
const SUM_SHIFT = 24;

/** The whole words of a list that has an array of its own. */
function wordsOf(list: Uint8Array): Uint32Array {
  return new Uint32Array(list.buffer, list.byteOffset, Math.floor(list.length / BYTES_OF_WORD));
}

/** Whether each code passes. */
export function mapped(codes: Codes, passes: Uint8Array): Uint8Array {
  const list = new Uint8Array(codes.length);
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

/** Leaves those that the other list has as well. */
export function intersect(list: Uint8Array, other: Uint8Array): Uint8Array {
  const [words, others] = [wordsOf(list), wordsOf(other)];
  for (let word = 0; word < words.length; word++) words[word]! &= others[word]!;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) list[row]! &= other[row]!;
  return list;
}

/** Adds those of the other list. */
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

function countOf(list: Uint8Array): number {
  const words = wordsOf(list);
  let count = 0;
  for (let word = 0; word < words.length; word++) count += Math.imul(words[word]!, ONES) >>> SUM_SHIFT;
  for (let row = BYTES_OF_WORD * words.length; row < list.length; row++) count += list[row]!;
  return count;
}

/** The places of the ones, in their order. */
export function placesOfOnes(list: Uint8Array): Uint32Array {
  const words = wordsOf(list);
  // The place behind the last one is written and not kept.
  const places = new Uint32Array(countOf(list) + 1);
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

import type { Steps } from '../../../ground/time/work-in-steps';
import { largest } from './other-values';

/** No code is left out. */
const NO_CODE = -1;

/** What a new generation may keep of a full table. */
interface TextRoom {
  readonly texts: number;
  readonly bytes: number;
}

/**
 * Marks the codes with the largest counts, as many as have room; among equal counts, the last codes. `lengths` has the
 * bytes of the text of each code. Undefined if there is room for all.
 */
export function* largestWithin(
  counts: Float64Array,
  lengths: Uint32Array,
  room: TextRoom,
): Steps<Uint8Array | undefined> {
  let fitting = yield* largest(counts, room.texts, NO_CODE);
  if (bytesOf(counts, lengths, fitting) <= room.bytes) return fitting;
  let [fits, exceeds] = [0, room.texts];
  fitting = new Uint8Array(counts.length);
  while (exceeds - fits > 1) {
    const size = (fits + exceeds) >> 1;
    const marked = yield* largest(counts, size, NO_CODE);
    if (bytesOf(counts, lengths, marked) > room.bytes) exceeds = size;
    else [fits, fitting] = [size, marked];
  }
  return fitting;
}

function bytesOf(counts: Float64Array, lengths: Uint32Array, marked: Uint8Array | undefined): number {
  let bytes = 0;
  for (let code = 0; code < counts.length; code++)
    if (marked ? marked[code] === 1 : counts[code]! > 0) bytes += lengths[code]!;
  return bytes;
}

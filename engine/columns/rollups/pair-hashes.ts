import { DIMENSIONS } from '../../hits/stat-names';
import type { NameOf } from './counted-names';

/*
 * A visitor with one of their values is identified by 64 bits, as a visitor is. These depend on the visitor's hash, so
 * they reveal nothing without it, and are forgotten with it.
 */

/** Hashes of texts, by their codes from 1. */
interface TextHashes {
  readonly high: Int32Array;
  readonly low: Int32Array;
}

/** The result of `hashOfPair`. */
export const pairHash = new Int32Array(2);

/** A visitor has one hash for each value. */
export function hashOfPair(high: number, low: number, textHigh: number, textLow: number): void {
  let [one, other] = [high ^ textHigh, low ^ textLow];
  one = (one + Math.imul(other ^ (other >>> 16), 0x85ebca6b)) | 0;
  other ^= Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  one = (one + Math.imul(other ^ (other >>> 15), 0x9e3779b1)) | 0;
  other ^= Math.imul(one ^ (one >>> 16), 0x27d4eb2f);
  pairHash[0] = one;
  pairHash[1] = other;
}

export function hashesOfTexts(name: NameOf['values'], texts: string[]): TextHashes {
  const [high, low] = [new Int32Array(texts.length + 1), new Int32Array(texts.length + 1)];
  for (const [index, text] of texts.entries()) {
    let [one, other] = [0xdeadbeef ^ DIMENSIONS[name].code, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      one = Math.imul(one ^ unit, 0x9e3779b1);
      other = Math.imul(other ^ unit, 0x5f356495);
      one ^= one >>> 15;
      other ^= other >>> 13;
    }
    high[index + 1] = one;
    low[index + 1] = other;
  }
  return { high, low };
}

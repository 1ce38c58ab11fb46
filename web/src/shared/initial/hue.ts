const HUES = 360;
/** Spreads the hashes of similar texts. */
const GOLDEN = 0x9e3779b1;

/** The hue that a domain always has, in degrees. */
export function hueOf(domain: string): number {
  let hash = 0;
  for (const character of domain) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return (Math.imul(hash, GOLDEN) >>> 8) % HUES;
}

/** The one way in which texts are folded for a search, on both sides and on both databases. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}

/** Orders by code point, as the bytes of UTF-8 are ordered; `<` orders by the halves of surrogate pairs. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [unit, otherUnit] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

/** Surrogates come behind all other units. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

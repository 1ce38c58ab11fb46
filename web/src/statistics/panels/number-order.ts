const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

/** In the order of the numbers that values are; other values, which anyone may send, come last as they are. */
export function byNumber<T extends { value: string }>(entries: readonly T[], number = NUMBER): T[] {
  const placeOf = ({ value }: T) => (number.test(value) ? Number(value) : Infinity);
  // Infinity less itself is no number.
  const isAfter = (one: number, other: number) => (one === other ? 0 : one - other);
  return entries.toSorted((one, other) => isAfter(placeOf(one), placeOf(other)));
}

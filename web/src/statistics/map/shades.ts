/** The number of shades that can be told apart on a map. */
export const SHADES = 5;

/**
 * A step of a scale from few to many, from 1 to `SHADES`; 0 for none. The cube root keeps the small ones apart where one
 * country has most visitors.
 */
export function shadeOf(count: number, largest: number): number {
  if (count <= 0) return 0;
  return Math.max(1, Math.ceil(SHADES * Math.cbrt(count / Math.max(count, largest))));
}

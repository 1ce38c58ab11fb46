/** The number of values of a name with counts of their own. Further values are counted as `OTHER`. */
export interface ValueLimits {
  /** In all rollups of a website. */
  all: number;
  /** The bytes of their texts in a new generation. */
  textBytes: number;
  /** On a day. */
  newPerDay: number;
}

export const OTHER = '(other)';
export const VALUE_LIMITS: ValueLimits = {
  all: 1_000_000,
  textBytes: 64 * 1024 * 1024,
  newPerDay: 250_000,
};

/** An open day counts this many times as many values as its rollup keeps. */
const TIMES_WHILE_OPEN = 4;

/** A new generation keeps half of the texts, so it always has room for a day. */
export function valueLimitsOf(newPerDay: number): ValueLimits {
  const { all } = VALUE_LIMITS;
  return { ...VALUE_LIMITS, newPerDay: Math.min(newPerDay, Math.floor(all / 2) - 1) };
}

export function valuesWhileOpen(newPerDay: number): number {
  return TIMES_WHILE_OPEN * newPerDay;
}

/** How many values of a name have counts of their own; further ones are counted as `OTHER`. */
export interface ValueLimits {
  /** On a website, in what is rolled up. */
  all: number;
  /** Of the texts of these values, as a new generation is begun. */
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

/** How many times as many values an open day counts by themselves as are kept of it once it is sealed. */
const TIMES_WHILE_OPEN = 4;

/** A new generation of texts, which keeps half of them, has room for a day in any case. */
export function valueLimitsOf(newPerDay: number): ValueLimits {
  const { all } = VALUE_LIMITS;
  return { ...VALUE_LIMITS, newPerDay: Math.min(newPerDay, Math.floor(all / 2) - 1) };
}

export function valuesWhileOpen(newPerDay: number): number {
  return TIMES_WHILE_OPEN * newPerDay;
}

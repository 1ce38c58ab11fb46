/** Of a visitor's hash: two visitors of a million on one day share one with a probability of 10^-7. */
export const VISITOR_BYTES = 8;

/** As long as a salt outlives its day; no hit of the day is accepted any more by then. */
export const KEYS_OUTLIVE_DAY_MS = 48 * 3_600_000;

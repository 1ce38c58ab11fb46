/** Of a visitor's hash: two visitors of a million on one day share one with a probability of 10^-7. */
export const VISITOR_BYTES = 8;

/** The salt of a day is kept for so long after its end, as are hashes. By then no hit of the day is accepted any more. */
export const SALT_OUTLIVES_DAY_MS = 48 * 3_600_000;

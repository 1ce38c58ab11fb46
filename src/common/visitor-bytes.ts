/** Of a visitor's hash: two visitors of a million on one day share one with a probability of 10^-7. */
export const VISITOR_BYTES = 8;

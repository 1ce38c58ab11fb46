/** The length of a visitor hash: among a million visitors of a day, two collide with a probability of 10^-7. */
export const VISITOR_BYTES = 8;

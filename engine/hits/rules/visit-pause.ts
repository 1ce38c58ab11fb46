/** A visit ends with a longer pause. */
export const VISIT_PAUSE_S = 30 * 60;

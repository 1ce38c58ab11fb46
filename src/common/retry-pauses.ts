const MINUTE_MS = 60_000;

/** The pauses before further attempts at a mail or a delivery. After the last attempt it fails. */
export const PAUSES_BEFORE_ATTEMPTS_MS = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_BEFORE_ATTEMPTS_MS);

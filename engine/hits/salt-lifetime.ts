const HOUR_MS = 3_600_000;

/** The lifetime of a salt and of the hashes after their day ends. No hit of the day is accepted after that. */
export const SALT_OUTLIVES_DAY_MS = 48 * HOUR_MS;
/** The age of the oldest events that are accepted: they wait some seconds in the inbox. */
export const MAX_EVENT_AGE_MS = SALT_OUTLIVES_DAY_MS - HOUR_MS;
export const MAX_EVENT_AGE = `${MAX_EVENT_AGE_MS / HOUR_MS} hours`;

/** The lifetime of a salt and of the hashes after their day ends. No hit of the day is accepted after that. */
export const SALT_OUTLIVES_DAY_MS = 48 * 3_600_000;

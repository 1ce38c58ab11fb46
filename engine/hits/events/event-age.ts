import { SALT_OUTLIVES_DAY_MS } from '../rules/salt-lifetime';

const HOUR_MS = 3_600_000;

/** The age of the oldest events that are accepted: they wait some seconds in the inbox. */
export const MAX_EVENT_AGE_MS = SALT_OUTLIVES_DAY_MS - HOUR_MS;
export const MAX_EVENT_AGE = `${MAX_EVENT_AGE_MS / HOUR_MS} hours`;

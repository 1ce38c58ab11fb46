export const MIB = 1024 * 1024;

/** The most webhooks of a user. */
export const MAX_WEBHOOKS = 20;

/** The most deliveries of a webhook that wait; an endpoint that is down for long does not fill the database. */
export const MAX_WAITING = { deliveries: 1000, bytes: 16 * MIB };

/** The most ended deliveries that a webhook keeps, and for how long. */
export const MAX_ENDED = { deliveries: 2000, bytes: 16 * MIB, days: 30 };

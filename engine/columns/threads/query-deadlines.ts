/** When queries end, or give way to others. */
export const QUERY_TIMES = {
  /** With the wait for a turn, before a silent connection is closed. */
  patienceMs: 20_000,
  /** After this time, a query gives way to those of others, who wait ten seconds for their turn. */
  ownTurnMs: 5000,
  /** After this time, a query without a user gives way to users. */
  anonymousTurnMs: 500,
  /** A thread that misses a deadline by more does not answer others either, and is terminated. */
  graceMs: 5000,
};
export type QueryTimes = typeof QUERY_TIMES;

/** The patience of plain queries. */
export const PLAIN_PATIENCE_MS = 8000;

/** Which days and months have a rollup: fewer hits take less room in columns than their counts, and little time to count. */
export const ROLLED_UP_HITS = { day: 100, month: 2000 };

/** A day whose hits expire is rolled up before, however few hits it has. */
export const ROLLED_UP_AHEAD_DAYS = 10;
/** A day that could not be rolled up is given up, so that its hits expire. */
export const GIVEN_UP_AFTER_DAYS = 7;

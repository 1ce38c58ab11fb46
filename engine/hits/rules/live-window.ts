const MINUTE_S = 60;

/**
 * The time before a moment whose visitors count as live, in seconds. Days are sealed after it. Which hits count is in
 * `engine/columns/live/live-counts.ts`.
 */
export const LIVE_WINDOW_S = 30 * MINUTE_S;
/** The visitors of "now". */
export const SHORT_LIVE_WINDOW_S = 5 * MINUTE_S;

import type { WaitingRows } from './waiting-rows';

const LATE_AFTER_MS = 10_000;
/** Counting that stands still for as many windows is a fault, even if it fell behind before. */
const STANDSTILL_WINDOWS = 3;

/**
 * Events of a website are refused if they have waited for long, many wait, and within a window many arrived while
 * counting went on and fell behind. If counting makes no progress, the cause is a failure and not the load. If few
 * arrived, the backlog is old or other websites cause the load. In these cases the inbox keeps accepting events.
 */
export const BACKLOG = { waitedMs: 30_000, bytes: 8 * 1024 * 1024, windowMs: 10_000, newBytes: 1024 * 1024 };

/** A website with late events. */
export interface LateWebsite {
  /** At the last look. */
  seen: WaitingRows;
  /** At the start of its window. */
  window: WaitingRows;
  /** Its events are refused while a row up to this id waits. From this one on, many rows waited. */
  refusedUntil?: number;
}

export function isLate({ acceptedAt, now, isDeleted }: WaitingRows): boolean {
  return !isDeleted && acceptedAt < now - LATE_AFTER_MS;
}

/** A late website as of a further look. A new window begins unless rows must be read to judge the last one. */
export function seenAgain(before: LateWebsite | undefined, seen: WaitingRows): LateWebsite {
  if (!before) return { seen, window: seen };
  const again = { ...before, seen };
  if (mustBeJudged(again)) return again;
  const { window, refusedUntil } = again;
  const windows = (seen.now - window.now) / BACKLOG.windowMs;
  const hasProgress = seen.oldest !== window.oldest;
  if (refusedUntil !== undefined) {
    if (hasProgress) return { seen, window: seen, refusedUntil };
    return windows < STANDSTILL_WINDOWS ? again : { seen, window: seen };
  }
  return windows < 1 ? again : { seen, window: seen };
}

/** Tells whether the rows of a website must be read to judge it. */
export function mustBeJudged({ seen, window, refusedUntil }: LateWebsite): boolean {
  if (refusedUntil !== undefined) return seen.oldest > refusedUntil;
  const windowMs = seen.now - window.now;
  if (windowMs < BACKLOG.windowMs || seen.oldest === window.oldest) return false;
  const counted = seen.acceptedAt - window.acceptedAt;
  return seen.now - seen.acceptedAt > BACKLOG.waitedMs && counted <= windowMs;
}

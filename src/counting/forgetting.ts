import type { DayClock } from '../common/day-clock';

/** As long as a salt outlives its day; no hit of the day is accepted any more by then. */
export const KEYS_OUTLIVE_DAY_MS = 48 * 3_600_000;

/** When the visitors of a day's hits are forgotten: with the day's salt, and later only where it was past when they came. */
export function forgetAt(clock: Pick<DayClock, 'endOf'>, day: number, acceptedAt: number): number {
  const withSalt = clock.endOf(day) + KEYS_OUTLIVE_DAY_MS;
  return acceptedAt < withSalt ? withSalt : acceptedAt + KEYS_OUTLIVE_DAY_MS;
}

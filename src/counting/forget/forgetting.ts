import type { DayClock } from '../../common/time/day-clock';
import { KEYS_OUTLIVE_DAY_MS } from '../../common/visitor-bytes';

/** When the visitors of a day's hits are forgotten: with the day's salt, and later only where it was past when they came. */
export function forgetAt(clock: Pick<DayClock, 'endOf'>, day: number, acceptedAt: number): number {
  const withSalt = clock.endOf(day) + KEYS_OUTLIVE_DAY_MS;
  return acceptedAt < withSalt ? withSalt : acceptedAt + KEYS_OUTLIVE_DAY_MS;
}

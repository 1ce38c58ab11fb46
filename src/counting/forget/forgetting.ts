import type { DayClock } from '../../common/time/day-clock';
import { SALT_OUTLIVES_DAY_MS } from '../../retention/salt-lifetime';

/** When the visitors of a day's hits are forgotten: with the day's salt, and later only where it was past when they came. */
export function forgetAt(clock: Pick<DayClock, 'endOf'>, day: number, acceptedAt: number): number {
  const withSalt = clock.endOf(day) + SALT_OUTLIVES_DAY_MS;
  return acceptedAt < withSalt ? withSalt : acceptedAt + SALT_OUTLIVES_DAY_MS;
}

import type { DayClock } from '../../ground/time/day-clock';
import { SALT_OUTLIVES_DAY_MS } from '../../hits/rules/salt-lifetime';

/** When the visitors of hits are forgotten: with the day's salt, or later if the hits arrived after that. */
export function forgetAt(clock: Pick<DayClock, 'endOf'>, day: number, acceptedAt: number): number {
  const withSalt = clock.endOf(day) + SALT_OUTLIVES_DAY_MS;
  return acceptedAt < withSalt ? withSalt : acceptedAt + SALT_OUTLIVES_DAY_MS;
}

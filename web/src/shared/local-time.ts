import { DayClock } from '../../../engine/ground/time/day-clock';
import { LocalTime } from '../../../engine/ground/time/local-time';

/** The last zone of each is cached: a page has one zone, and both take longer to make than to use. */
let time: { timezone: string; local: LocalTime } | undefined;
let days: { timezone: string; clock: DayClock } | undefined;

export function localTimeIn(timezone: string): LocalTime {
  if (time?.timezone !== timezone) time = { timezone, local: new LocalTime(timezone) };
  return time.local;
}

export function dayClockIn(timezone: string): DayClock {
  if (days?.timezone !== timezone) days = { timezone, clock: new DayClock(timezone) };
  return days.clock;
}

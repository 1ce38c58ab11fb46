import type { DayClock } from '../../../../engine/ground/time/day-clock';
import { dayClockIn, localTimeIn } from '../../shared/local-time';
import { dayNumber, daysIn, momentText, type Span } from '../../shared/ranges';

/**
 * The part of an earlier range that corresponds to a range up to a moment: from the midnight of `firstDay`'s
 * counterpart, which is `back` days earlier, to the same time of day on the counterpart of the moment's day.
 */
export function momentsBefore(
  span: Span,
  firstDay: string,
  asOf: string,
  timezone: string,
  back = daysIn(span),
): [string, string] {
  const clock = dayClockIn(timezone);
  const at = Math.floor(Date.parse(asOf) / 1000);
  const today = clock.dayOf(1000 * at);
  const last = dayNumber(span.to);
  const begin = clock.endOf(dayNumber(firstDay) - back - 1) / 1000;
  const end =
    today > last ? clock.endOf(last - back) / 1000 - 1 : sameTime(today - back, at, clock, timezone);
  return [momentText(begin), momentText(end)];
}

/** When clocks change, a time of that day may occur twice or never: then the time since midnight counts. */
function sameTime(day: number, at: number, clock: DayClock, timezone: string): number {
  const time = localTimeIn(timezone);
  const [begin, last] = [clock.endOf(day - 1) / 1000, clock.endOf(day) / 1000 - 1];
  const wanted = day * 86_400 + ((at + time.offsetAt(at)) % 86_400);
  const [early, late] = [begin, last].map((moment) => wanted - time.offsetAt(moment)) as [number, number];
  const isSo = (moment: number) => moment + time.offsetAt(moment) === wanted;
  return Math.min(last, Math.max(begin, isSo(late) && !isSo(early) ? late : early));
}

import { dayText } from '../../ground/time/days';
import { compareTexts } from '../../ground/text-order';
import type { Span } from '../../hits/calendar';
import type { Order } from '../plain-request';
import { entryOf, type StatEntry } from '../stat-entry';
import type { DaysName, Ranges, Shown, Wanted } from './entries-for-viewers';
import { roundedDown } from './small-numbers';

/** Finds the count of each day of a span. */
export type CountsByDay = (name: DaysName, range: Span) => Promise<Map<number, number>>;

/** Days that are over have exact counts; other counts are rounded. */
export async function entriesOfDays(
  countsByDay: CountsByDay,
  { name, search = '', order, page, allDays }: Wanted & { name: DaysName },
  { whole, previous }: Ranges,
  today: number,
): Promise<Shown> {
  const countsOf = async (range: Span) => {
    const counts = await countsByDay(name, range);
    for (const [day, count] of counts) if (day >= today) counts.set(day, roundedDown(count));
    return counts;
  };
  const now = await countsOf(whole);
  const before = previous && (await countsOf(previous.whole));
  const distance = previous ? whole.from - previous.whole.from : 0;
  const shown = (at: number) =>
    entryOf(name, dayText(at), now.get(at) ?? 0, before && (before.get(at - distance) ?? 0));
  const isFound = (at: number) => dayText(at).includes(search);
  const days = allDays?.fill
    ? Array.from({ length: whole.to - whole.from + 1 }, (_, index) => whole.from + index)
    : Array.from(now.keys()).filter((at) => now.get(at)! > 0 && isFound(at));
  const entries = days.map(shown).sort(comparing(order));
  const earlier = Array.from(before ?? []).filter(([at]) => isFound(at + distance));
  return {
    entries: allDays ? entries : entries.slice(page.skip, page.skip + page.take),
    total: entries.length,
    sum: entries.reduce((sum, { count }) => sum + count, 0),
    ...(before && { previousSum: earlier.reduce((sum, [, count]) => sum + count, 0) }),
  };
}

function comparing({ by, direction }: Order): (one: StatEntry, other: StatEntry) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (one, other) =>
    (by === 'count' && sign * (one.count - other.count)) ||
    (by === 'value' ? sign : 1) * compareTexts(one.value, other.value);
}

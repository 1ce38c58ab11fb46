import type { Order } from '../plain/snapshot';

/**
 * What viewers of a shared page see where the website's option `share_filters` is off: so much of each number that
 * nobody can follow one visitor by them.
 */
/** On a day with fewer visitors no value has a row. */
const FEW_VISITORS = 10;
/** A row that counts fewer in its range is part of `(other)`. */
const FEW_IN_ROW = 3;
const TENS = 10;

/** A number of today, or of the last minutes. */
export function roundedDown(count: number): number {
  return count - (count % TENS);
}

/** The days whose values have rows, and those whose values have none. */
export interface DaysByVisitors {
  busy: Set<number>;
  quiet: Set<number>;
}

export function byVisitors(visitors: ReadonlyMap<number, number>): DaysByVisitors {
  const [busy, quiet] = [new Set<number>(), new Set<number>()];
  for (const [day, count] of visitors) (count < FEW_VISITORS ? quiet : busy).add(day);
  return { busy, quiet };
}

/**
 * What rows show of their counts on busy days, and what is left of everything that was counted on any day for `(other)`,
 * which may be a row itself. `counts` are by the place of the row, and zero for one that is part of `(other)`.
 */
export function shownRows(ofBusyDays: Float64Array, total: number, otherPlace?: number) {
  const counts = new Float64Array(ofBusyDays.length);
  let other = total;
  for (let place = 0; place < counts.length; place++) {
    const count = ofBusyDays[place]!;
    if (count < FEW_IN_ROW || place === otherPlace) continue;
    counts[place] = count;
    other -= count;
  }
  return { counts, other };
}

export interface Page {
  skip: number;
  take: number;
}

/** Which of the other rows a page has where one more row stands at a place, and where on the page that one is. */
export function pageAround(place: number | undefined, { skip, take }: Page): Page & { at?: number } {
  if (place === undefined) return { skip, take };
  const end = skip + take;
  if (place < skip) return { skip: skip - 1, take };
  return place < end ? { skip, take: take - 1, at: place - skip } : { skip, take };
}

/** Whether a row stands before `(other)`; `comesFirst` says whether its value comes before that text. */
export function standsBefore(
  { by, direction }: Order,
  count: number,
  other: number,
  comesFirst: () => boolean,
): boolean {
  const isAscending = direction === 'asc';
  if (by === 'value') return comesFirst() === isAscending;
  if (count === other) return comesFirst();
  return isAscending ? count < other : count > other;
}

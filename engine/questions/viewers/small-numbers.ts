import type { Order } from '../plain-request';

/**
 * The rules for viewers of a shared page whose website has `share_filters` off. Numbers are coarse enough that nobody
 * can follow a single visitor.
 */
/** A row with a smaller count is part of `(other)`. */
const FEW_IN_ROW = 3;
const TENS = 10;

/** Applies to numbers of today and of the last minutes. */
export function roundedDown(count: number): number {
  return count - (count % TENS);
}

/**
 * The visible rows of the shown days, and the rest of the total for `(other)`, which may be a row itself. `counts` are
 * by row, and zero if the row is part of `(other)`.
 */
export function shownRows(ofShownDays: Float64Array, total: number, otherPlace?: number) {
  const counts = new Float64Array(ofShownDays.length);
  let other = total;
  for (let place = 0; place < counts.length; place++) {
    const count = ofShownDays[place]!;
    if (count < FEW_IN_ROW || place === otherPlace) continue;
    counts[place] = count;
    other -= count;
  }
  return { counts, other };
}

export interface PageRange {
  skip: number;
  take: number;
}

/** The other rows of a page with an extra row at a place, and the place of that row on the page. */
export function pageAround(
  place: number | undefined,
  { skip, take }: PageRange,
): PageRange & { at?: number } {
  if (place === undefined) return { skip, take };
  const end = skip + take;
  if (place < skip) return { skip: skip - 1, take };
  return place < end ? { skip, take: take - 1, at: place - skip } : { skip, take };
}

/** Tells whether a row comes before `(other)`. `comesFirst` compares its value with that text. */
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

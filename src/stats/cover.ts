const DAY_MS = 86_400_000;

/** The first day of the month that a day belongs to, as days since 1970; or of one some months later. */
export function monthOf(day: number, later = 0): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1) / DAY_MS;
}

export interface Span {
  from: number;
  to: number;
}

export interface Cover {
  /** From the first day of a month to the last day of one. */
  months: Span | undefined;
  /** What is left of the range before and after them. */
  days: Span[];
}

/** Whole months where their sums are packed, days elsewhere. */
export function coverOf({ from, to }: Span, mergedBefore: number): Cover {
  const first = monthOf(from) === from ? from : monthOf(from, 1);
  const end = Math.min(monthOf(to + 1), mergedBefore);
  if (first >= end) return { months: undefined, days: [{ from, to }] };
  const days = [
    { from, to: first - 1 },
    { from: end, to },
  ];
  return { months: { from: first, to: end - 1 }, days: days.filter((span) => span.from <= span.to) };
}

import { monthOf, type Span } from '../storage/calendar';

export interface RangePlan {
  /** From the first day of a month to the last day of one. */
  months: Span | undefined;
  /** What is left of the range before and after them. */
  days: Span[];
}

/** Whole months where their sums are packed, days elsewhere. */
export function planRange({ from, to }: Span, mergedBefore: number): RangePlan {
  const first = monthOf(from) === from ? from : monthOf(from, 1);
  const end = Math.min(monthOf(to + 1), mergedBefore);
  if (first >= end) return { months: undefined, days: [{ from, to }] };
  const days = [
    { from, to: first - 1 },
    { from: end, to },
  ];
  return { months: { from: first, to: end - 1 }, days: days.filter((span) => span.from <= span.to) };
}

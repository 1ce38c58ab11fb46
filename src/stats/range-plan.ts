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

/** Some days as spans, in their order. */
export function spansOf(days: Iterable<number>): Span[] {
  const spans: Span[] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last?.to === day - 1) last.to = day;
    else spans.push({ from: day, to: day });
  }
  return spans;
}

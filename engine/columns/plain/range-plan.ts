import { monthOf, type Span } from '../../hits/calendar';

export interface RangePlan {
  /** The first days of the covered months, and other days between them. */
  months: Span | undefined;
  /** The rest of the range. */
  days: Span[];
}

/** Covers a range with days and with whole months, which are given by their first days in order. */
export function planRange({ from, to }: Span, months: readonly number[]): RangePlan {
  const days: Span[] = [];
  let next = from;
  for (const month of months) {
    if (month > next) days.push({ from: next, to: month - 1 });
    next = monthOf(month, 1);
  }
  if (next <= to) days.push({ from: next, to });
  const [first, last] = [months[0], months.at(-1)];
  return { months: first === undefined ? undefined : { from: first, to: last! }, days };
}

/** Groups days into spans, in order. */
export function spansOf(days: Iterable<number>): Span[] {
  const spans: Span[] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last?.to === day - 1) last.to = day;
    else spans.push({ from: day, to: day });
  }
  return spans;
}

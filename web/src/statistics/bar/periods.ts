import { shortSpanText } from '../../shared/format';
import {
  type Bounds,
  daysIn,
  daysOnly,
  daysOfMonth,
  FIRST_DAY,
  plusDays,
  rangeChange,
  type RangeName,
  RANGES,
  shifted,
  type Span,
  spanOf,
} from '../../shared/ranges';
import { texts } from '../../shared/texts';

type Calendar = 'month' | 'year';

/** The whole month of a day. */
export function monthOf(day: string): Span {
  return daysOfMonth(day.slice(0, 7), { from: '0000-01-01', to: '9999-12-31' });
}

function periodOf(day: string, calendar: Calendar): Span {
  if (calendar === 'month') return monthOf(day);
  const year = day.slice(0, 4);
  return { from: `${year}-01-01`, to: `${year}-12-31` };
}

const isSame = (one: Span | undefined, other: Span) =>
  one?.from === other.from && one.to === other.to && !one.moments;

/** Months are followed by months and years by years, other ranges by as many days. */
function calendarOf(range: RangeName, span: Span): Calendar | undefined {
  if (range === 'month' || range === 'year') return range;
  return (['month', 'year'] as const).find((calendar) => isSame(periodOf(span.from, calendar), span));
}

/** The change of the address that selects the period before (-1) or after (1) some days; undefined if there is none. */
export function stepChange(range: RangeName, span: Span, step: -1 | 1, bounds: Bounds) {
  const { lastDay } = bounds;
  const calendar = calendarOf(range, span);
  const next = calendar ? beside(span, step, calendar) : shifted(span, step * daysIn(span));
  if (span.moments || (step === 1 && span.to >= lastDay) || next.from < FIRST_DAY) return undefined;
  if (calendar) return spanChange({ from: next.from, to: earlier(next.to, lastDay) }, bounds, calendar);
  return spanChange(
    next.to <= lastDay ? next : { from: plusDays(lastDay, 1 - daysIn(span)), to: lastDay },
    bounds,
  );
}

const earlier = (one: string, other: string) => (one < other ? one : other);

function beside({ from }: Span, step: -1 | 1, calendar: Calendar): Span {
  const { from: first, to: last } = periodOf(from, calendar);
  return periodOf(plusDays(step === -1 ? first : last, step), calendar);
}

const OF_CALENDAR: readonly RangeName[] = ['month', 'last_month', 'year'];

/** The change of the address that selects a span, by its name if it has one. */
export function spanChange(span: Span, bounds: Bounds, calendar?: Calendar) {
  const none = new URLSearchParams();
  const names = bounds.ranges.filter((name) => isSame(spanOf(name, bounds, none), span));
  const isFitting = (name: RangeName) => OF_CALENDAR.includes(name) === (calendar !== undefined);
  const name = names.find(isFitting) ?? names[0];
  return name ? rangeChange(name) : { range: 'custom', ...daysOnly(span), by: undefined, at: undefined };
}

const { toYesterday } = texts.ranges;

/** What a range is called. Ranges that end yesterday are called the same for the owner and for viewers. */
export function rangeText(range: RangeName, bounds: Bounds, span?: Span): string {
  const isToYesterday = bounds.lastDay < bounds.today;
  if (range !== 'custom' || !span) return (isToYesterday && toYesterday[range]) || texts.ranges[range];
  const name = nameToYesterday(span, bounds);
  return name ? toYesterday[name]! : shortSpanText(span, bounds.today);
}

function nameToYesterday(span: Span, { today, hours }: Bounds): RangeName | undefined {
  const bounds = { today, hours, lastDay: plusDays(today, -1) };
  const none = new URLSearchParams();
  return RANGES.find((name) => name in toYesterday && isSame(spanOf(name, bounds, none), span));
}

import { dayNumber, daysIn, isDay, type RangeName, type Span } from '../shared/ranges';

const COMPARED = ['week', 'previous', 'year', 'custom', 'off'] as const;
export type Compared = (typeof COMPARED)[number];

const WEEK_DAYS = 7;
/** 52 weeks, so that the same weekdays are compared. */
const YEAR_DAYS = 364;
/** In that many days, each weekday comes about as often as any other. */
const MANY_DAYS = 28;

const isOneDay = (span: Span) => span.moments !== undefined || daysIn(span) === 1;
const defaultFor = (span: Span): Compared => (isOneDay(span) ? 'week' : 'previous');

/** What a range can be compared with. */
export function comparedFor(span: Span): readonly Compared[] {
  return isOneDay(span) ? COMPARED : COMPARED.filter((name) => name !== 'week');
}

/**
 * What an address compares a range with. By default that is the previous period, and for one day the same weekday of the
 * week before: a Saturday is not worse because fewer people come than on a Friday. Nothing comes before all days.
 */
export function comparedIn(address: URLSearchParams, range: RangeName, span: Span | undefined): Compared {
  if (range === 'all' || !span) return 'off';
  const name = comparedFor(span).find((known) => known === address.get('compare'));
  const isKnown = name !== 'custom' || isBefore(address.get('since'), span);
  return isKnown && name ? name : defaultFor(span);
}

function isBefore(since: string | null, span: Span): boolean {
  return isDay(since) && since < span.from;
}

/** Tells whether a span and the one that begins `back` days earlier have the same weekdays, or about as many of each. */
export function hasSameWeekdays(span: Span, back: number): boolean {
  const days = daysIn(span);
  return back % WEEK_DAYS === 0 || days % WEEK_DAYS === 0 || days >= MANY_DAYS;
}

interface Change {
  direction: 'up' | 'down' | 'same';
}

/** The class of a change, which has a color only if it says that something is better or worse. */
export function toneOf(change: Change | undefined, isComparable: boolean, isBetterLow = false): string {
  if (!change || change.direction === 'same' || !isComparable) return 'same';
  return (change.direction === 'down') === isBetterLow ? 'better' : 'worse';
}

/** How many days earlier the compared range begins, which is as long; undefined if nothing is compared. */
export function daysBack(compared: Compared, span: Span, address: URLSearchParams): number | undefined {
  switch (compared) {
    case 'week':
      return WEEK_DAYS;
    case 'previous':
      return span.moments ? 1 : daysIn(span);
    case 'year':
      return YEAR_DAYS;
    case 'custom':
      return dayNumber(span.from) - dayNumber(address.get('since')!);
    case 'off':
      return undefined;
  }
}

/** The change of the address that selects what to compare a span with; one of one's own begins on a day. */
export function comparedChange(compared: Compared, span: Span, since?: string) {
  return { compare: compared === defaultFor(span) ? undefined : compared, since };
}

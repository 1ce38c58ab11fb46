import { dayNumber, daysIn, isDay, type RangeName, type Span } from '../shared/ranges';

export const COMPARED = ['previous', 'year', 'custom', 'off'] as const;
export type Compared = (typeof COMPARED)[number];

/** 52 weeks, so that the same weekdays are compared. */
const YEAR_DAYS = 364;

/** What an address compares a range with; the previous period by default. Nothing comes before all days. */
export function comparedIn(address: URLSearchParams, range: RangeName, span: Span | undefined): Compared {
  if (range === 'all') return 'off';
  const name = COMPARED.find((known) => known === address.get('compare')) ?? 'previous';
  return name === 'custom' && !isBefore(address.get('since'), span) ? 'previous' : name;
}

function isBefore(since: string | null, span: Span | undefined): boolean {
  return isDay(since) && (span === undefined || since < span.from);
}

/** How many days earlier the compared range begins, which is as long; undefined if nothing is compared. */
export function daysBack(compared: Compared, span: Span, address: URLSearchParams): number | undefined {
  switch (compared) {
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

/** The change of the address that selects what to compare with; one of one's own begins on a day. */
export function comparedChange(compared: Compared, since?: string) {
  return { compare: compared === 'previous' ? undefined : compared, since };
}

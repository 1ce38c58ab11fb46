import type { Period } from './period';

export interface Compared {
  count: number;
  /** Of the period before. */
  previous: number;
}

export interface DayCounts {
  day: number;
  visitors: number;
  pageviews: number;
}

export interface Entry {
  label: string;
  count: number;
}

/** What a report tells of a website. */
export interface Report {
  domain: string;
  period: Period;
  timezone: string;
  visitors: Compared;
  pageviews: Compared;
  days: DayCounts[];
  pages: Entry[];
  referrers: Entry[];
  countries: Entry[];
  events: Entry[];
  /** The page of these days, where the website shares its statistics and the service's address is known. */
  page: string | undefined;
  /** Up to when every event is in the numbers. */
  asOf: number;
}

export function isEmpty({ visitors, pageviews, events }: Report): boolean {
  return visitors.count === 0 && pageviews.count === 0 && events.length === 0;
}

import type { Language } from '../../engine/ground/languages';
import type { Period } from './period';

export interface Compared {
  count: number;
  /** In the previous period. */
  previous: number;
}

/** Undefined of nothing, or of days whose hits are not all kept. */
export interface ComparedRate {
  rate: number | undefined;
  previous: number | undefined;
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

/** Its label is in the words of the API. */
export interface CountedValue extends Entry {
  value: string;
}

/** The contents of a report. */
export interface Report {
  /** The language of its mail. */
  language: Language;
  domain: string;
  period: Period;
  timezone: string;
  visitors: Compared;
  pageviews: Compared;
  bounceRate: ComparedRate;
  /** The first day with visitors, if the previous period began before it. */
  since: number | undefined;
  days: DayCounts[];
  pages: CountedValue[];
  referrers: CountedValue[];
  countries: CountedValue[];
  events: CountedValue[];
  /** Their conversions. */
  goals: CountedValue[];
  /** All events up to this moment are in the numbers. */
  asOf: number;
}

/** Whom a report is sent to. */
export interface Reader {
  address: string;
  isOwner: boolean;
}

/** What the report of one reader has for them alone. */
export interface ForReader {
  isOwner: boolean;
  /** To the statistics of these days, if the reader may see them. */
  statistics: string | undefined;
  /** Stops the reports: all of the website for its owner, those to the address for others. */
  stop: string;
}

export function isEmpty({ visitors, pageviews, events }: Report): boolean {
  return visitors.count === 0 && pageviews.count === 0 && events.length === 0;
}

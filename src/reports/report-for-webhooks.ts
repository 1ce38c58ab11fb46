import { dayText } from '../../engine/ground/time/days';
import type { Website } from '../websites/website.entity';
import type { Rhythm } from './period';
import type { Entry, Report } from './report';

/** A report that was mailed, and its website. */
export interface MailedReport {
  website: Pick<Website, 'id' | 'userId' | 'domain'>;
  report: Report;
}

const EVERY: Record<Rhythm, string> = { weekly: 'week', monthly: 'month' };
/** So that the longest labels fit a delivery. */
const MAX_LABEL_LENGTH = 255;

/** What a webhook gets of a report. */
export function reportContent({ report }: MailedReport): object {
  const { period, visitors, pageviews, pages, referrers, countries, events } = report;
  return {
    report: {
      every: EVERY[period.every],
      from: dayText(period.from),
      to: dayText(period.to),
      ...{ visitors, pageviews },
      pages: shortened(pages),
      referrers: shortened(referrers),
      countries: shortened(countries),
      events: shortened(events),
    },
  };
}

function shortened(entries: readonly Entry[]): Entry[] {
  return entries.map(({ label, count }) => ({
    label: [...label].slice(0, MAX_LABEL_LENGTH).join(''),
    count,
  }));
}

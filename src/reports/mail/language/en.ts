import type { Language } from '../../../../engine/ground/languages';

const visitorsText = (count: string) => (count === '1' ? '1 visitor' : `${count} visitors`);
const pageviewsText = (count: string) => (count === '1' ? '1 page view' : `${count} page views`);

/** The texts of reports. */
export const en = {
  language: 'en' as Language,
  dayOfMonth: (day: string) => day,
  days: (first: string, last: string) => `${first} to ${last}`,
  title: { weekly: 'Weekly report', monthly: 'Monthly report' },
  titleOf: (title: string, days: string) => `${title}, ${days}`,
  subject: (title: string, domain: string, days: string) => `${title} of ${domain}: ${days}`,
  preview: (visitors: string, pageviews: string) =>
    `${visitorsText(visitors)} and ${pageviewsText(pageviews)}`,
  nothing: {
    weekly: 'Nobody visited this website during the week.',
    monthly: 'Nobody visited this website during the month.',
  },
  visitors: 'Visitors',
  pageviews: 'Page views',
  bounceRate: 'Bounce rate',
  none: 'none',
  before: {
    weekly: (count: string) => `${count} the week before`,
    monthly: (count: string) => `${count} the month before`,
  },
  since: (day: string) => `since ${day}`,
  chart: 'Visitors and page views by day',
  bar: (day: string, visitors: string, pageviews: string) =>
    `${day}: ${visitorsText(visitors)}, ${pageviewsText(pageviews)}`,
  columns: { visitors: 'visitors', pageviews: 'views' },
  lists: {
    pages: { title: 'Pages', counts: 'page views' },
    referrers: { title: 'Referrers', counts: 'visitors' },
    countries: { title: 'Countries', counts: 'visitors' },
    events: { title: 'Events', counts: 'times' },
    goals: { title: 'Goals', counts: 'conversions' },
  },
  values: { '(direct)': 'Direct or unknown', '(unknown)': 'Unknown', '(other)': 'Other' } as Record<
    string,
    string
  >,
  statistics: 'View all statistics',
  daysNote: (timezone: string) => `Days are in ${timezone}. Visitors are counted once per day.`,
  reason: {
    owner: (domain: string) => `You receive this mail as the owner of ${domain} in Milepost.`,
    recipient: (domain: string) =>
      `You receive this mail because reports about ${domain} in Milepost are sent to this address.`,
  },
  stop: 'Stop these reports',
  confirmation: {
    subject: (domain: string) => `Get reports about ${domain}?`,
    question: (domain: string) =>
      `The owner of ${domain} wants Milepost to email you regular reports about the visits to this website.`,
    confirm: 'Confirm this address',
    otherwise: 'If you don’t want reports, ignore this mail: nothing is sent without your confirmation.',
    never: 'Never ask again',
  },
};

export type Words = typeof en;

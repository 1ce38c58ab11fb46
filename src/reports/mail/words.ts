import { UNREADABLE } from '../../storage/labels';
import { periodWording } from '../period';
import type { Compared, Entry, Report } from '../report';

const MAX_LABEL_LENGTH = 80;
const numbers = new Intl.NumberFormat('en');
const percents = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero' });

const RHYTHMS: Record<Report['period']['every'], string> = { weekly: 'Weekly', monthly: 'Monthly' };
export const STOP = 'Stop these reports';

export function subjectOf({ domain, period }: Report): string {
  return `${RHYTHMS[period.every]} report of ${domain}: ${periodWording(period)}`;
}

export function titleOf({ period }: Report): string {
  return `${RHYTHMS[period.every]} report, ${periodWording(period)}`;
}

export function numberText(count: number): string {
  return numbers.format(count);
}

/** A visitor-chosen value on one line, with bounded length. */
export function labelText(label: string): string {
  const characters = [...label.toWellFormed().replaceAll(new RegExp(UNREADABLE, 'gu'), '\uFFFD')];
  if (characters.length <= MAX_LABEL_LENGTH) return characters.join('');
  return `${characters.slice(0, MAX_LABEL_LENGTH - 1).join('')}…`;
}

interface Change {
  direction: 'up' | 'down' | 'same';
  text: string;
}

/** Undefined if there is nothing to compare with. */
export function changeOf({ count, previous }: Compared): Change | undefined {
  if (previous === 0) return undefined;
  const share = Math.round((count / previous - 1) * 100) / 100;
  const direction = share > 0 ? 'up' : share < 0 ? 'down' : 'same';
  return { direction, text: direction === 'same' ? '±0%' : percents.format(share).replace('-', '−') };
}

export function previousText({ previous }: Compared, { period }: Report): string {
  const before = period.every === 'weekly' ? 'the week before' : 'the month before';
  return `${previous === 0 ? 'none' : numberText(previous)} ${before}`;
}

export const NOTHING: Record<Report['period']['every'], string> = {
  weekly: 'Nobody visited this website this week.',
  monthly: 'Nobody visited this website this month.',
};

export interface List {
  title: string;
  counts: string;
  entries: Entry[];
}

/** The lists with entries. */
export function listsOf({ pages, referrers, countries, events }: Report): List[] {
  return [
    { title: 'Pages', counts: 'page views', entries: pages },
    { title: 'Referrers', counts: 'visitors', entries: referrers },
    { title: 'Countries', counts: 'visitors', entries: countries },
    { title: 'Events', counts: 'times', entries: events },
  ].filter(({ entries }) => entries.length > 0);
}

export function pageText(domain: string): string {
  return `All statistics of ${domain}`;
}

/** The line that mail programs show beside the subject. */
export function previewText({ visitors, pageviews }: Report): string {
  return `${numberText(visitors.count)} visitors and ${numberText(pageviews.count)} page views`;
}

export function daysNote({ timezone }: Report): string {
  return `Days are in ${timezone}. Visitors are counted once per day.`;
}

export function reasonText({ domain }: Report): string {
  return `You receive this mail because email reports are switched on for ${domain} in Milepost.`;
}

import type { Language } from '../../../engine/ground/languages';
import { type Compared, type ForReader, isEmpty, type Report } from '../report';
import { dayOfMonth, shortMonth, weekday } from './language/dates';
import {
  changeOf,
  labelText,
  type List,
  listsOf,
  nothingText,
  numberText,
  previousText,
  rateTexts,
  subjectOf,
  wordsOf,
} from './words';

const COUNT_WIDTH = 10;

/** The report as plain text. */
export function reportText(report: Report, { isOwner, statistics, stop }: ForReader): string {
  const { domain, timezone } = report;
  const words = wordsOf(report);
  const parts = isEmpty(report) ? [nothingText(report)] : numbersIn(report);
  return [
    subjectOf(report),
    ...parts,
    ...(statistics === undefined ? [] : [`${words.statistics}: ${statistics}`]),
    words.daysNote(timezone),
    `${words.reason[isOwner ? 'owner' : 'recipient'](domain)}\n${words.stop}: ${stop}`,
  ].join('\n\n');
}

function numbersIn(report: Report): string[] {
  const { visitors, pageviews, bounceRate } = wordsOf(report);
  const width = Math.max(...[visitors, pageviews, bounceRate].map(({ length }) => length));
  const bounces = rateTexts(report);
  return [
    [
      totalLine(visitors.padEnd(width), report.visitors, report),
      totalLine(pageviews.padEnd(width), report.pageviews, report),
      ...(bounces
        ? [`${bounceRate.padEnd(width)} ${bounces.rate.padStart(COUNT_WIDTH)}  (${bounces.previous})`]
        : []),
    ].join('\n'),
    daysText(report, width),
    ...listsOf(report).map((list) => listText(list, report.language)),
  ];
}

function totalLine(title: string, total: Compared, report: Report): string {
  const { language } = report;
  const comparison = [changeOf(total, report)?.text, previousText(total, report)].filter(Boolean);
  return `${title} ${column(total.count, language)}  (${comparison.join(', ')})`;
}

function daysText(report: Report, width: number): string {
  const { days, language } = report;
  const { columns, dayOfMonth: worded } = wordsOf(report);
  const dayWidth = worded('30').length;
  const dateOf = (day: number) =>
    `${weekday(day, language)} ${dayOfMonth(day, language).padStart(dayWidth)} ${shortMonth(day, language)}`;
  const lines = days.map(({ day, visitors, pageviews }) =>
    [dateOf(day).padEnd(width), column(visitors, language), column(pageviews, language)].join(' '),
  );
  const heads = [columns.visitors, columns.pageviews].map((head) => head.padStart(COUNT_WIDTH));
  return [[''.padEnd(width), ...heads].join(' '), ...lines].join('\n');
}

function listText({ title, counts, entries }: List, language: Language): string {
  const lines = entries.map(({ label, count }) => `${column(count, language)}  ${labelText(label)}`);
  return [`${title} (${counts})`, ...lines].join('\n');
}

function column(count: number, language: Language): string {
  return numberText(count, language).padStart(COUNT_WIDTH);
}

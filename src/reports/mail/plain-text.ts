import { dayOfMonth, shortMonth, weekday } from '../period';
import { type Compared, isEmpty, type Report } from '../report';
import {
  changeOf,
  daysNote,
  labelText,
  type List,
  listsOf,
  NOTHING,
  numberText,
  pageText,
  previousText,
  reasonText,
  STOP,
  subjectOf,
} from './words';

const COUNT_WIDTH = 10;

/** The report as plain text. */
export function reportText(report: Report, unsubscribeLink: string): string {
  const parts = isEmpty(report) ? [NOTHING[report.period.every]] : numbersIn(report);
  return [
    subjectOf(report),
    ...parts,
    ...(report.page === undefined ? [] : [`${pageText(report.domain)}: ${report.page}`]),
    daysNote(report),
    `${reasonText(report)}\n${STOP}: ${unsubscribeLink}`,
  ].join('\n\n');
}

function numbersIn(report: Report): string[] {
  return [
    [totalLine('Visitors', report.visitors, report), totalLine('Page views', report.pageviews, report)].join(
      '\n',
    ),
    daysText(report),
    ...listsOf(report).map(listText),
  ];
}

function totalLine(title: string, total: Compared, report: Report): string {
  const change = changeOf(total);
  const comparison = [change?.text, previousText(total, report)].filter(Boolean).join(', ');
  return `${title.padEnd(COUNT_WIDTH)} ${column(total.count)}  (${comparison})`;
}

function daysText({ days }: Report): string {
  const lines = days.map(
    ({ day, visitors, pageviews }) =>
      `${weekday(day)} ${dayOfMonth(day).padStart(2)} ${shortMonth(day)} ${column(visitors)} ${column(pageviews)}`,
  );
  return [
    `${''.padEnd(COUNT_WIDTH)} ${'visitors'.padStart(9)} ${'views'.padStart(COUNT_WIDTH)}`,
    ...lines,
  ].join('\n');
}

function listText({ title, counts, entries }: List): string {
  const lines = entries.map(({ label, count }) => `${column(count)}  ${labelText(label)}`);
  return [`${title} (${counts})`, ...lines].join('\n');
}

function column(count: number): string {
  return numberText(count).padStart(COUNT_WIDTH);
}

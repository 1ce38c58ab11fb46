import type { Language } from '../../../engine/ground/languages';
import { displayName, UNREADABLE } from '../../../engine/hits/readable-labels';
import type { Compared, CountedValue, Entry, Report } from '../report';
import { dayOfMonth, dayWording, periodWording, weekday } from './language/dates';
import type { Words } from './language/en';
import { inEachLanguage, WORDS } from './language/language';

const MAX_LABEL_LENGTH = 80;
const numbers = inEachLanguage((language) => new Intl.NumberFormat(language));
const percents = inEachLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent', signDisplay: 'exceptZero' }),
);
const countries = inEachLanguage((language) => new Intl.DisplayNames(language, { type: 'region' }));

/** The texts in the language of a report. */
export function wordsOf({ language }: Report): Words {
  return WORDS[language];
}

export function subjectOf(report: Report): string {
  const { domain, period, language } = report;
  const { subject, title } = wordsOf(report);
  return subject(title[period.every], domain, periodWording(period, language));
}

export function titleOf(report: Report): string {
  const { title, titleOf } = wordsOf(report);
  return titleOf(title[report.period.every], periodWording(report.period, report.language));
}

export function numberText(count: number, language: Language): string {
  return numbers[language].format(count);
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

/** Undefined if there is nothing to compare with, or less than a period. */
export function changeOf(
  { count, previous }: Compared,
  { language, since }: Pick<Report, 'language' | 'since'>,
): Change | undefined {
  if (previous === 0 || since !== undefined) return undefined;
  const share = Math.round((count / previous - 1) * 100) / 100;
  const direction = share > 0 ? 'up' : share < 0 ? 'down' : 'same';
  const text = percents[language].format(share).replace('-', '−');
  return { direction, text: direction === 'same' ? `±${text}` : text };
}

export function previousText({ previous }: Compared, report: Report): string {
  const { before, none, since } = wordsOf(report);
  if (previous > 0 && report.since !== undefined) return since(dayWording(report.since, report.language));
  return before[report.period.every](previous === 0 ? none : numberText(previous, report.language));
}

const rates = inEachLanguage((language) => new Intl.NumberFormat(language, { style: 'percent' }));

/** Undefined for a period without a bounce rate. */
export function rateTexts({
  bounceRate,
  period,
  language,
}: Report): { rate: string; previous: string } | undefined {
  const { rate, previous } = bounceRate;
  if (rate === undefined) return undefined;
  const { before, none } = WORDS[language];
  return {
    rate: rates[language].format(rate),
    previous: before[period.every](previous === undefined ? none : rates[language].format(previous)),
  };
}

export function nothingText(report: Report): string {
  return wordsOf(report).nothing[report.period.every];
}

export interface List {
  title: string;
  counts: string;
  entries: Entry[];
}

const LISTS = ['goals', 'pages', 'referrers', 'countries', 'events'] as const;

/** The lists with entries. */
export function listsOf(report: Report): List[] {
  return LISTS.filter((name) => report[name].length > 0).map((name) => ({
    ...wordsOf(report).lists[name],
    entries: report[name].map((entry) => ({ label: labelOf(report, name, entry), count: entry.count })),
  }));
}

/** Visitors choose the values of pages and events. */
function labelOf(report: Report, list: (typeof LISTS)[number], { value, label }: CountedValue): string {
  const { values } = wordsOf(report);
  if (Object.hasOwn(values, value)) return values[value]!;
  return list === 'countries' ? displayName(countries[report.language], value) : label;
}

/** The line that mail programs show beside the subject. */
export function previewText(report: Report): string {
  const { visitors, pageviews, language } = report;
  return wordsOf(report).preview(numberText(visitors.count, language), numberText(pageviews.count, language));
}

export function barText(counts: Report['days'][number], report: Report): string {
  const { language } = report;
  const date = `${weekday(counts.day, language)} ${dayOfMonth(counts.day, language)}`;
  const [visitors, pageviews] = [counts.visitors, counts.pageviews].map((count) =>
    numberText(count, language),
  );
  return wordsOf(report).bar(date, visitors!, pageviews!);
}

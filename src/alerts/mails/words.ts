import type { Language } from '../../../engine/ground/languages';
import type { Firing } from '../firings/firing';
import { de } from './language/de';
import { type AlertWords, en } from './language/en';

const WORDS: Record<Language, AlertWords> = { en, de };

/** The texts of mails about alerts in a language. */
export function alertWords(language: Language): AlertWords {
  return WORDS[language];
}

export function numberText(count: number, { language }: AlertWords): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(count);
}

/** What is counted, after the count. */
export function countedText({ alert, value }: Firing, words: AlertWords): string {
  if (alert.condition === 'silent') return words.hits;
  const [one, several] = words.counted[alert.metric];
  return value === 1 ? one : several;
}

/** Why the alert fired. */
export function reasonOf({ alert, value, usual }: Firing, words: AlertWords): string {
  const { condition, threshold } = alert;
  switch (condition) {
    case 'above':
    case 'below':
      return words.reasons[condition](numberText(threshold!, words));
    case 'rises':
    case 'falls': {
      const percent = Math.round(Math.abs(value / usual! - 1) * 100);
      return words.reasons[condition](numberText(percent, words), numberText(usual!, words));
    }
    case 'silent':
      return words.reasons.silent;
  }
}

/** When it was, in the service's time zone. */
export function windowText(firing: Firing, timeZone: string, words: AlertWords): string {
  return `${spanText(firing, timeZone, words)} (${timeZone})`;
}

function spanText({ alert, from, to, firedAt }: Firing, timeZone: string, words: AlertWords): string {
  const format = (options: Intl.DateTimeFormatOptions) => (moment: number) =>
    new Intl.DateTimeFormat(words.dates, { ...options, timeZone }).format(moment);
  const [dayOf, timeOf] = [format({ dateStyle: 'long' }), format({ timeStyle: 'short' })];
  const day = dayOf(from);
  if (alert.condition === 'silent')
    return words.between({ day, time: timeOf(from) }, { day: dayOf(to), time: timeOf(to) });
  const isOver = firedAt >= to;
  if (alert.within === 'day') return isOver ? words.onDay(day) : words.onDayUntil(day, timeOf(firedAt));
  return isOver
    ? words.inHour(day, timeOf(from), timeOf(to))
    : words.inHourUntil(day, timeOf(from), timeOf(firedAt));
}

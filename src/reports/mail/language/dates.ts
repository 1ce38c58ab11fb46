import type { Language } from '../../../../engine/ground/languages';
import { DAY_MS } from '../../../../engine/ground/time/days';
import type { Period } from '../../period';
import { inEachLanguage, WORDS } from './language';

const part = (options: Intl.DateTimeFormatOptions) => {
  const formats = inEachLanguage(
    (language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }),
  );
  return (day: number, language: Language) => formats[language].format(day * DAY_MS);
};
const numberOf = part({ day: 'numeric' });
const monthIn = part({ month: 'long' });
const yearIn = part({ year: 'numeric' });

export const weekday = part({ weekday: 'short' });
export const shortMonth = part({ month: 'short' });

/** For example `2`, or `2.` in German. */
export function dayOfMonth(day: number, language: Language): string {
  return WORDS[language].dayOfMonth(numberOf(day, language));
}

/** For example `2 November`. */
export function dayWording(day: number, language: Language): string {
  return `${dayOfMonth(day, language)} ${monthIn(day, language)}`;
}

/** For example `16 to 22 November 2026` or `November 2026`. */
export function periodWording({ every, from, to }: Period, language: Language = 'en'): string {
  const [year, lastYear] = [yearIn(from, language), yearIn(to, language)];
  const [month, lastMonth] = [monthIn(from, language), monthIn(to, language)];
  if (every === 'monthly') return `${month} ${year}`;
  const first = [
    dayOfMonth(from, language),
    ...(month === lastMonth ? [] : [month]),
    ...(year === lastYear ? [] : [year]),
  ];
  const last = `${dayOfMonth(to, language)} ${lastMonth} ${lastYear}`;
  return WORDS[language].days(first.join(' '), last);
}

import type { AlertWords } from './en';

/** The texts in German. */
export const de: AlertWords = {
  language: 'de',
  dates: 'de',
  confirmation: {
    subject: (domain) => `Meldungen von ${domain} erhalten?`,
    question: (domain) =>
      `Der Inhaber von ${domain} möchte, dass Milepost Ihnen Meldungen über die Besuche dieser Website sendet.`,
    confirm: 'Diese Adresse bestätigen',
    otherwise:
      'Wenn Sie keine Meldungen wünschen, ignorieren Sie diese E-Mail: Ohne Ihre Bestätigung wird nichts gesendet.',
    never: 'Nie wieder fragen',
  },
  subject: (domain, name) => `Meldung von ${domain}: ${name}`,
  title: (name) => `Meldung: ${name}`,
  counted: {
    visitors: ['Besucher', 'Besucher'],
    visits: ['Besuch', 'Besuche'],
    pageviews: ['Seitenaufruf', 'Seitenaufrufe'],
    events: ['Ereignis', 'Ereignisse'],
    conversions: ['Abschluss', 'Abschlüsse'],
    converters: ['Besucher mit Abschluss', 'Besucher mit Abschluss'],
  },
  hits: 'Seitenaufrufe und Ereignisse',
  reasons: {
    above: (threshold) => `mehr als ${threshold}`,
    below: (threshold) => `weniger als ${threshold}`,
    rises: (percent, usual) =>
      `${percent} % mehr als die üblichen ${usual} dieser Stunde und dieses Wochentags`,
    falls: (percent, usual) =>
      `${percent} % weniger als die üblichen ${usual} dieser Stunde und dieses Wochentags`,
    silent: 'obwohl es vorher welche gab',
  },
  onDay: (day) => `am ${day}`,
  onDayUntil: (day, time) => `am ${day}, bis ${time} Uhr`,
  inHour: (day, from, to) => `am ${day} von ${from} bis ${to} Uhr`,
  inHourUntil: (day, from, time) => `am ${day} von ${from} Uhr an, gezählt bis ${time} Uhr`,
  between: (from, to) => `vom ${from.day}, ${from.time} Uhr, bis zum ${to.day}, ${to.time} Uhr`,
  page: (domain) => `Statistik von ${domain}`,
  why: (domain) =>
    `Sie erhalten diese E-Mail, weil Meldungen von ${domain} in Milepost an diese Adresse gesendet werden.`,
  stop: 'Diese Meldungen abbestellen',
};

import type { Words } from './en';

const pageviewsText = (count: string) => (count === '1' ? '1 Seitenaufruf' : `${count} Seitenaufrufe`);

/** The texts in German. */
export const de: Words = {
  language: 'de',
  dayOfMonth: (day) => `${day}.`,
  days: (first, last) => `${first} bis ${last}`,
  title: { weekly: 'Wochenbericht', monthly: 'Monatsbericht' },
  titleOf: (title, days) => `${title}, ${days}`,
  subject: (title, domain, days) => `${title} für ${domain}: ${days}`,
  preview: (visitors, pageviews) => `${visitors} Besucher und ${pageviewsText(pageviews)}`,
  nothing: {
    weekly: 'In dieser Woche hat niemand diese Website besucht.',
    monthly: 'In diesem Monat hat niemand diese Website besucht.',
  },
  visitors: 'Besucher',
  pageviews: 'Seitenaufrufe',
  bounceRate: 'Absprungrate',
  none: 'keine',
  before: {
    weekly: (count) => `${count} in der Woche davor`,
    monthly: (count) => `${count} im Monat davor`,
  },
  since: (day) => `seit dem ${day}`,
  chart: 'Besucher und Seitenaufrufe nach Tagen',
  bar: (day, visitors, pageviews) => `${day}: ${visitors} Besucher, ${pageviewsText(pageviews)}`,
  columns: { visitors: 'Besucher', pageviews: 'Aufrufe' },
  lists: {
    pages: { title: 'Seiten', counts: 'Seitenaufrufe' },
    referrers: { title: 'Verweise', counts: 'Besucher' },
    countries: { title: 'Länder', counts: 'Besucher' },
    events: { title: 'Ereignisse', counts: 'Anzahl' },
    goals: { title: 'Ziele', counts: 'Abschlüsse' },
  },
  values: { '(direct)': 'Direkt oder unbekannt', '(unknown)': 'Unbekannt', '(other)': 'Sonstige' },
  statistics: 'Die ganze Statistik ansehen',
  daysNote: (timezone) => `Tage sind in ${timezone}. Besucher werden je Tag einmal gezählt.`,
  reason: {
    owner: (domain) => `Sie erhalten diese E-Mail als Inhaber von ${domain} in Milepost.`,
    recipient: (domain) =>
      `Sie erhalten diese E-Mail, weil Berichte über ${domain} in Milepost an diese Adresse gesendet werden.`,
  },
  stop: 'Diese Berichte abbestellen',
  confirmation: {
    subject: (domain) => `Berichte über ${domain} erhalten?`,
    question: (domain) =>
      `Der Inhaber von ${domain} möchte, dass Milepost Ihnen regelmäßig Berichte über die Besuche dieser Website sendet.`,
    confirm: 'Diese Adresse bestätigen',
    otherwise:
      'Wenn Sie keine Berichte wünschen, ignorieren Sie diese E-Mail: Ohne Ihre Bestätigung wird nichts gesendet.',
    never: 'Nie wieder fragen',
  },
};

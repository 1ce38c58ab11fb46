import type { Language } from '../../../../engine/ground/languages';
import type { AlertMetric } from '../../../../engine/questions/plan/metrics';

/** The texts of mails about alerts. */
export const en = {
  language: 'en' as Language,
  dates: 'en-GB',
  confirmation: {
    subject: (domain: string) => `Get alerts about ${domain}?`,
    question: (domain: string) =>
      `The owner of ${domain} wants Milepost to email you alerts about the visits to this website.`,
    confirm: 'Confirm this address',
    otherwise: 'If you don’t want alerts, ignore this mail: nothing is sent without your confirmation.',
    never: 'Never ask again',
  },
  subject: (domain: string, name: string) => `Alert about ${domain}: ${name}`,
  title: (name: string) => `Alert: ${name}`,
  /** Of one, and of several. */
  counted: {
    visitors: ['visitor', 'visitors'],
    visits: ['visit', 'visits'],
    pageviews: ['page view', 'page views'],
    events: ['event', 'events'],
    conversions: ['conversion', 'conversions'],
    converters: ['visitor who converted', 'visitors who converted'],
  } as Record<AlertMetric, [one: string, several: string]>,
  hits: 'page views and events',
  reasons: {
    above: (threshold: string) => `more than ${threshold}`,
    below: (threshold: string) => `fewer than ${threshold}`,
    rises: (percent: string, usual: string) =>
      `${percent}% more than the usual ${usual} of this hour and weekday`,
    falls: (percent: string, usual: string) =>
      `${percent}% fewer than the usual ${usual} of this hour and weekday`,
    silent: 'although there were some before',
  },
  onDay: (day: string) => `on ${day}`,
  onDayUntil: (day: string, time: string) => `on ${day}, until ${time}`,
  inHour: (day: string, from: string, to: string) => `from ${from} to ${to} on ${day}`,
  inHourUntil: (day: string, from: string, time: string) => `from ${from} until ${time} on ${day}`,
  between: (from: { day: string; time: string }, to: { day: string; time: string }) =>
    `from ${from.time} on ${from.day} to ${to.time} on ${to.day}`,
  page: (domain: string) => `Statistics of ${domain}`,
  why: (domain: string) =>
    `You receive this mail because alerts about ${domain} in Milepost are sent to this address.`,
  stop: 'Stop these alerts',
};

export type AlertWords = typeof en;

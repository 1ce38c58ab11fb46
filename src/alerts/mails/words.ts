import type { AlertMetric } from '../alert/alert-rules';
import type { Firing } from '../firings/firing';

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const STOP = 'Stop these alerts';

const COUNTED: Record<AlertMetric, string> = {
  visitors: 'visitors',
  visits: 'visits',
  pageviews: 'page views',
  events: 'events',
  conversions: 'conversions',
  converters: 'visitors who converted',
};

export function numberText(count: number): string {
  return numbers.format(count);
}

export function subjectOf({ alert }: Firing, domain: string): string {
  return `Alert of ${domain}: ${alert.name}`;
}

/** What is counted, after the count. */
export function countedText({ alert }: Firing): string {
  return alert.condition === 'silent' ? 'page views and events' : COUNTED[alert.metric];
}

/** Why the alert fired. */
export function reasonOf({ alert, value, usual }: Firing): string {
  const { condition, threshold } = alert;
  switch (condition) {
    case 'above':
      return `more than ${numberText(threshold!)}`;
    case 'below':
      return `fewer than ${numberText(threshold!)}`;
    case 'rises':
    case 'falls': {
      const percent = numberText(Math.round(Math.abs(value / usual! - 1) * 100));
      const than = condition === 'rises' ? 'more than' : 'fewer than';
      return `${percent}% ${than} the usual ${numberText(usual!)} of this hour and weekday`;
    }
    case 'silent':
      return 'after there were some';
  }
}

/** When it was, in the service's time zone. */
export function windowText({ alert, from, to, firedAt }: Firing, timeZone: string): string {
  const dayOf = (moment: number) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(moment);
  const timeOf = (moment: number) =>
    new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(moment);
  const zone = `(${timeZone})`;
  if (alert.condition === 'silent')
    return `from ${timeOf(from)} on ${dayOf(from)} to ${timeOf(to)} on ${dayOf(to)} ${zone}`;
  const soFar = firedAt < to ? `, until ${timeOf(firedAt)}` : '';
  if (alert.within === 'day') return `on ${dayOf(from)}${soFar} ${zone}`;
  return `from ${timeOf(from)} ${soFar === '' ? `to ${timeOf(to)}` : `until ${timeOf(firedAt)}`} on ${dayOf(from)} ${zone}`;
}

export function pageText(domain: string): string {
  return `Statistics of ${domain}`;
}

export function whyText(domain: string): string {
  return `You receive this mail because alerts of ${domain} in Milepost are sent to this address.`;
}

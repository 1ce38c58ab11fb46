import type { Comparison } from '../statistics/comparison';
import type { Unit } from './ranges';
import type { Bucket } from '../statistics/chart/series';
import { texts } from './texts';

const locale = [...navigator.languages];
const numbers = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(locale, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const wholePercents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const changes = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
const date = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
const days = date({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const shortDays = date({ day: 'numeric', month: 'short' });
const months = date({ month: 'long', year: 'numeric' });
const hours = date({ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const shortHours = date({ hour: 'numeric', minute: '2-digit' });
/** A year of two digits would look like a day. */
const shortMonths = date({ month: 'short', year: 'numeric' });

const moment = (day: string) => new Date(`${day}T00:00:00Z`);
const localMoment = (hour: string) => new Date(`${hour}:00Z`);

export const numberText = (count: number) => numbers.format(count);
/** For narrow places; the title shows the exact number. */
export const shortNumberText = (count: number) => (count < 100_000 ? numbers : compact).format(count);
interface Money {
  /** A decimal, which a number may not represent exactly. */
  amount: string;
  currency: string;
}
/** Digits after the point of an amount. */
const DECIMALS = 4;

function moneyText({ amount, currency }: Money, options: Intl.NumberFormatOptions): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...options });
  return format.format(amount as Intl.StringNumericLiteral);
}

export const sumText = (sum: Money) => moneyText(sum, { maximumFractionDigits: DECIMALS });
export const shortSumText = (sum: Money) =>
  moneyText(
    sum,
    Math.abs(Number(sum.amount)) < 100_000 ? {} : { notation: 'compact', maximumFractionDigits: 1 },
  );
export const shareText = (part: number, whole: number) => percents.format(whole === 0 ? 0 : part / whole);
export const percentText = (part: number) => wholePercents.format(part);
export const decimalText = (number: number) => decimals.format(number);
/** Formats the time of day in a zone. */
export function clockIn(timeZone: string): (moment: string) => string {
  const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone });
  return (moment) => clock.format(new Date(moment));
}
export const dayText = (day: string) => days.format(moment(day));

interface Change {
  direction: 'up' | 'down' | 'same';
  text: string;
}

/** Undefined if there is nothing to compare with. */
export function changeOf(count: number, previous: number | undefined): Change | undefined {
  if (!previous) return undefined;
  const share = Math.round((count / previous - 1) * 100) / 100;
  return {
    direction: share > 0 ? 'up' : share < 0 ? 'down' : 'same',
    text: changes.format(share).replace('-', '−'),
  };
}

/** For example `1m 30s`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes === 0) return texts.units.seconds(numberText(rest));
  if (minutes < 60)
    return `${texts.units.minutes(numberText(minutes))} ${texts.units.seconds(numberText(rest))}`;
  return `${texts.units.hours(numberText(Math.floor(minutes / 60)))} ${texts.units.minutes(numberText(minutes % 60))}`;
}

export function bucketText({ from, to, hour }: Bucket, unit: Unit): string {
  if (hour !== undefined) return hours.format(localMoment(hour));
  if (unit === 'day' || from === to) return dayText(from);
  return unit === 'month' ? months.format(moment(from)) : shortDays.formatRange(moment(from), moment(to));
}

/** A short text for an axis. */
export function tickText({ from, hour }: Bucket, unit: Unit): string {
  if (hour !== undefined) return shortHours.format(localMoment(hour));
  return (unit === 'month' ? shortMonths : shortDays).format(moment(from));
}

export function spanText(from: string, to: string): string {
  return from === to
    ? days.format(moment(from))
    : date({ dateStyle: 'medium' }).formatRange(moment(from), moment(to));
}

export function comparedText({ span, until, days }: Comparison, timezone: string): string {
  const { compared, comparedUntil, comparedDays } = texts.chart;
  const before = spanText(span.from, span.to);
  if (days) return comparedDays(spanText(days.from, days.to), before);
  return until ? comparedUntil(before, clockIn(timezone)(until)) : compared(before);
}

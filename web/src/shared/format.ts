import type { Comparison } from '../statistics/comparison';
import { beginsUnit, daysIn, plusDays, type Span, type Unit } from './ranges';
import type { Bucket } from '../statistics/chart/series';
import { locale } from './language/language';
import { texts } from './texts';

// Formats are made once, because making one takes much longer than using it.
const numbers = new Intl.NumberFormat(locale);
/** From here on, numbers in narrow places have a unit. */
const COMPACT_FROM = 10_000;
/** Wherever a number has decimals, it has this many, so that numbers in a column are compared at a glance. */
const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const COMPACT = { notation: 'compact', ...ONE_DECIMAL } as const;
const compact = new Intl.NumberFormat(locale, COMPACT);
const steps = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
const percents = new Intl.NumberFormat(locale, { style: 'percent', ...ONE_DECIMAL });
/** For what is entered, not computed, for example the limits of alerts. */
const enteredPercents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
const decimals = new Intl.NumberFormat(locale, ONE_DECIMAL);
const changes = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
const points = new Intl.NumberFormat(locale, { ...ONE_DECIMAL, signDisplay: 'exceptZero' });
const date = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
const days = date({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const shortDays = date({ day: 'numeric', month: 'short' });
const months = date({ month: 'long', year: 'numeric' });
const hours = date({ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const times = date({
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: 'numeric', minute: '2-digit' },
});
const shortHours = date({ hour: 'numeric' });
const weekdays = date({ weekday: 'short' });
const longDays = date({ dateStyle: 'full' });
/** A year of two digits would look like a day. */
const shortMonths = date({ month: 'short', year: 'numeric' });
const mediumDays = date({ dateStyle: 'medium' });
const shortDaysOfYear = date({ day: 'numeric', month: 'short', year: 'numeric' });

const moment = (day: string) => new Date(`${day}T00:00:00Z`);
const localMoment = (hour: string) => new Date(`${hour}:00Z`);

export const numberText = (count: number) => numbers.format(count);
/** For narrow places; the title shows the exact number. */
export const shortNumberText = (count: number) =>
  (count >= COMPACT_FROM && isShort(compact, count) ? compact : numbers).format(count);
/** German has no unit for thousands: a rounded number would look like an exact one. */
const isShort = (format: Intl.NumberFormat, number: number) =>
  format.formatToParts(number).some(({ type }) => type === 'compact');
/** For the steps of an axis, which it shows exactly. */
export const stepText = (count: number) => steps.format(count);
interface Money {
  /** A decimal, which a number may not represent exactly. */
  amount: string;
  currency: string;
}
/** Digits after the point of an amount. */
const DECIMALS = 4;

/** By currency and options. */
const moneyFormats = new Map<string, Intl.NumberFormat>();

function moneyFormat(currency: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = currency + JSON.stringify(options);
  let format = moneyFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...options });
    moneyFormats.set(key, format);
  }
  return format;
}

function moneyText({ amount, currency }: Money, options: Intl.NumberFormatOptions): string {
  return moneyFormat(currency, options).format(amount as Intl.StringNumericLiteral);
}

export const sumText = (sum: Money) => moneyText(sum, { maximumFractionDigits: DECIMALS });
export function shortSumText(sum: Money): string {
  const number = Number(sum.amount);
  const isLarge = Math.abs(number) >= COMPACT_FROM && isShort(moneyFormat(sum.currency, COMPACT), number);
  return moneyText(sum, isLarge ? COMPACT : {});
}
/** A visitor with several values is in what stands for many values several times, which may be more than all. */
export const shareText = (part: number, whole: number) =>
  percents.format(whole === 0 ? 0 : Math.min(1, part / whole));
export const percentText = (part: number) => percents.format(part);
export const enteredPercentText = (part: number) => enteredPercents.format(part);
export const decimalText = (number: number) => decimals.format(number);
/** The last zone: a page has one. */
let clock: { timeZone: string; format: Intl.DateTimeFormat } | undefined;

/** Formats the time of day in a zone. */
export function clockIn(timeZone: string): (moment: string) => string {
  if (clock?.timeZone !== timeZone)
    clock = {
      timeZone,
      format: new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone }),
    };
  const { format } = clock;
  return (moment) => format.format(new Date(moment));
}
const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
/** In whole minutes. */
export const agoText = (seconds: number) => ago.format(-Math.max(1, Math.round(seconds / 60)), 'minute');
export const dayText = (day: string) => days.format(moment(day));
export const longDayText = (day: string) => longDays.format(moment(day));
export const monthText = (day: string) => months.format(moment(day));
export const weekdayText = (day: string) => weekdays.format(moment(day));

interface Change {
  direction: 'up' | 'down' | 'same';
  text: string;
}

const changed = (by: number, text: string): Change => ({
  direction: by > 0 ? 'up' : by < 0 ? 'down' : 'same',
  text: text.replace('-', '−'),
});

/** Undefined if there is nothing to compare with. */
export function changeOf(count: number, previous: number | undefined): Change | undefined {
  if (!previous) return undefined;
  const share = Math.round((count / previous - 1) * 100) / 100;
  return changed(share, changes.format(share));
}

/** The change of a share, in percentage points. */
export function changeInPoints(share: number, previous: number | undefined): Change | undefined {
  if (previous === undefined) return undefined;
  const by = Math.round((share - previous) * 1000) / 10;
  return changed(by, texts.units.points(points.format(by)));
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

export function bucketText({ from, to, hour, isOpen }: Bucket, unit: Unit): string {
  if (hour !== undefined) return hours.format(localMoment(hour));
  if (unit === 'day' || from === to) return dayText(from);
  if (unit === 'week') return shortDays.formatRange(moment(from), moment(to));
  const isMonth = beginsUnit(from, 'month') && (isOpen || beginsUnit(plusDays(to, 1), 'month'));
  return isMonth ? months.format(moment(from)) : spanText(from, to);
}

/** A local time, as `Y-m-dTHH:mm`. */
export const localText = (time: string) => times.format(localMoment(time));

/** A short text for an axis. */
export function tickText({ from, hour }: Bucket, unit: Unit): string {
  if (hour !== undefined) return shortHours.format(localMoment(hour));
  return (unit === 'month' ? shortMonths : shortDays).format(moment(from));
}

export function spanText(from: string, to: string): string {
  return from === to ? days.format(moment(from)) : mediumDays.formatRange(moment(from), moment(to));
}

/** For a menu: without the year where it is this one. */
export function shortSpanText({ from, to }: Span, today: string): string {
  const year = today.slice(0, 4);
  const format = to.startsWith(year) && from.startsWith(year) ? shortDays : shortDaysOfYear;
  return format.formatRange(moment(from), moment(to));
}

/** A day on one line, without its year where that is this year. */
export function sinceText(day: string, today = new Date().toISOString()): string {
  return shortSpanText({ from: day, to: day }, today).replaceAll(' ', '\u00a0');
}

export function comparedText({ span, until, days }: Comparison, timezone: string): string {
  const { compared, comparedUntil, comparedDays } = texts.chart;
  const before = spanText(span.from, span.to);
  if (days) return comparedDays(spanText(days.from, days.to), before);
  return until ? comparedUntil(before, clockIn(timezone)(until)) : compared(before);
}

/** Of more days, the time of day hardly matters. */
const FEW_DAYS = 7;

/** For the legend of a chart. */
export function shortComparedText({ span, until, days }: Comparison, timezone: string): string {
  const { versus, versusUntil, versusDays } = texts.chart;
  const before = spanText(span.from, span.to);
  if (days) return versusDays(before);
  return until && daysIn(span) <= FEW_DAYS ? versusUntil(before, clockIn(timezone)(until)) : versus(before);
}

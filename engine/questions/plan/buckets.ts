import { DayClock } from '../../ground/time/day-clock';
import { dayText } from '../../ground/time/days';
import { LocalTime } from '../../ground/time/local-time';
import { NumberList } from '../../ground/lists/number-list';
import type { Span } from '../../hits/calendar';
import type { Codes } from '../../hits/codes/code-list';
import { type HitBlock, MAX_QUARTERS, QUARTER_S, type Seconds } from '../../hits/hit-block';

const HOUR_S = 3600;
const DAYS_OF_WEEK = 7;

/** The parts of a range in a series, in order. */
export interface Buckets {
  readonly size: number;
  /** The bucket of a hit; `at` is in seconds since 1970. All hits of a quarter of an hour have the same bucket. */
  indexOf(day: number, at: number): number;
  valueOf(index: number): string;
}

/** The time zone of days. */
export class Zone {
  readonly time: LocalTime;
  private readonly clock: DayClock;

  constructor(timezone: string) {
    this.time = new LocalTime(timezone);
    this.clock = new DayClock(timezone);
  }

  /** The first and the last moment of a span, in seconds. */
  moments({ from, to }: Span): Span {
    return { from: this.clock.endOf(from - 1) / 1000, to: this.clock.endOf(to) / 1000 - 1 };
  }

  dayOf(second: number): number {
    return this.clock.dayOf(second * 1000);
  }
}

const OF_DAYS = ['day', 'week', 'month', 'weekday'];

/** Tells whether all hits of a day have the same bucket. */
export function isOfDay(name: BucketName): boolean {
  return OF_DAYS.includes(name);
}

export type BucketName = 'hour' | 'day' | 'week' | 'month' | 'weekday' | 'hour_of_day';

/** The maximum number of days for a series by hour. */
export const MAX_DAYS_OF_HOURS = 3660;

export const BUCKETS: Record<BucketName, (days: Span, zone: Zone) => Buckets> = {
  hour: hours,
  day: ({ from, to }) => ({
    size: to - from + 1,
    indexOf: (day) => day - from,
    valueOf: (index) => dayText(from + index),
  }),
  week: ({ from, to }) => ({
    size: weekOf(to) - weekOf(from) + 1,
    indexOf: (day) => weekOf(day) - weekOf(from),
    valueOf: (index) => weekText(weekOf(from) + index),
  }),
  month: ({ from, to }) => ({
    size: monthNumber(to) - monthNumber(from) + 1,
    indexOf: (day) => monthNumber(day) - monthNumber(from),
    valueOf: (index) => monthText(monthNumber(from) + index),
  }),
  weekday: () => ({
    size: DAYS_OF_WEEK,
    indexOf: (day) => mondayBased(day),
    valueOf: (index) => String(index + 1),
  }),
  hour_of_day: (_, { time }) => ({
    size: 24,
    indexOf: (_, at) => Math.floor(modulo(at + time.offsetAt(at), 24 * HOUR_S) / HOUR_S),
    valueOf: String,
  }),
};

/** Sets the bucket of each hit. */
export function setBucketsOfHits(
  indices: Codes,
  buckets: Buckets,
  { days }: HitBlock,
  { low, high }: Seconds,
): void {
  /** Buckets from one, by quarter of an hour; zero if not computed yet. */
  const ofQuarters = new Uint32Array(MAX_QUARTERS);
  for (const { day, begin, firstHit, hits } of days) {
    const first = QUARTER_S * Math.floor(begin / QUARTER_S);
    const ofFirst = begin - first;
    ofQuarters.fill(0);
    for (let hit = firstHit, end = firstHit + hits; hit < end; hit++) {
      const second = ofFirst + low[hit]! + (high[hit]! << 16);
      const quarter = (second / QUARTER_S) | 0;
      indices[hit] = (ofQuarters[quarter] ||= buckets.indexOf(day, first + second) + 1) - 1;
    }
  }
}

/** Sets the bucket of each visitor, if each day has one bucket. */
export function setBucketsOfVisitors(indices: Codes, buckets: Buckets, { days }: HitBlock): void {
  for (const { day, firstVisitor, visitors } of days)
    indices.fill(buckets.indexOf(day, 0), firstVisitor, firstVisitor + visitors);
}

/**
 * Local hours. When clocks are set back, two hours have the same digits and different offsets. A request may have 40
 * series of ten years, so an hour is stored as its first quarter, counted from the first one.
 */
function hours(days: Span, zone: Zone): Buckets {
  const { from, to } = zone.moments(days);
  const first = Math.floor(from / QUARTER_S);
  const list = new NumberList();
  let last: LocalHour | undefined;
  for (let quarter = first; quarter <= Math.floor(to / QUARTER_S); quarter++) {
    const hour = hourAt(quarter, zone);
    if (last?.local !== hour.local || last.offset !== hour.offset) list.push(quarter - first);
    last = hour;
  }
  const begins = list.values.slice();
  return {
    size: begins.length,
    // A day that was counted in another time zone may have hits outside of its current bounds.
    indexOf: (_, at) => placeOfLast(begins, Math.floor(at / QUARTER_S) - first),
    valueOf: (index) => hourText(hourAt(first + begins[index]!, zone)),
  };
}

interface LocalHour {
  local: number;
  offset: number;
}

function hourAt(quarter: number, { time }: Zone): LocalHour {
  const at = quarter * QUARTER_S;
  const offset = time.offsetAt(at);
  return { local: Math.floor((at + offset) / HOUR_S) * HOUR_S, offset };
}

/** The place of the last ascending number up to a limit; 0 if all are larger. */
function placeOfLast(numbers: Uint32Array, atMost: number): number {
  let [place, end] = [0, numbers.length];
  while (end - place > 1) {
    const middle = (place + end) >> 1;
    if (numbers[middle]! <= atMost) place = middle;
    else end = middle;
  }
  return place;
}

function hourText({ local, offset }: LocalHour): string {
  const ahead = Math.abs(offset);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(ahead / HOUR_S)}:${two((ahead % HOUR_S) / 60)}`;
  return `${new Date(local * 1000).toISOString().slice(0, 16)}${zone}`;
}

/** 1970-01-01 was a Thursday. */
function mondayBased(day: number): number {
  return modulo(day + 3, DAYS_OF_WEEK);
}

function weekOf(day: number): number {
  return Math.floor((day + 3) / DAYS_OF_WEEK);
}

/** A week of ISO 8601 belongs to the year of its Thursday. */
function weekText(week: number): string {
  const thursday = dayText(week * DAYS_OF_WEEK);
  const year = thursday.slice(0, 4);
  const ofYear = week * DAYS_OF_WEEK - Date.parse(`${year}-01-01`) / 86_400_000;
  return `${year}-W${String(Math.floor(ofYear / DAYS_OF_WEEK) + 1).padStart(2, '0')}`;
}

function monthNumber(day: number): number {
  const text = dayText(day);
  return 12 * Number(text.slice(0, 4)) + Number(text.slice(5, 7)) - 1;
}

function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

function modulo(number: number, by: number): number {
  return ((number % by) + by) % by;
}

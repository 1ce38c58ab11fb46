const DAY_MS = 86_400_000;

export const RANGES = ['today', 'yesterday', '7d', '30d', '90d', '12m', 'all'] as const;
export type RangeName = (typeof RANGES)[number] | 'custom';
export const UNITS = ['day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** Two days, as `Y-m-d`, both included. */
export interface Span {
  from: string;
  to: string;
}

/** Before any website. */
export const FIRST_DAY = '1970-01-01';

const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
const textOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function plusDays(text: string, days: number): string {
  return textOf(dayOf(text) + days);
}

export function daysIn({ from, to }: Span): number {
  return dayOf(to) - dayOf(from) + 1;
}

/** The day that it is in the time zone of the statistics. */
export function todayIn(timezone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date());
}

export function isDay(text: string | null): text is string {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && dayOf(text) >= 0 && textOf(dayOf(text)) === text;
}

/** The range that an address names; the last 30 days where it names none. */
export function rangeIn(address: URLSearchParams): RangeName {
  const name = address.get('range');
  const [from, to] = [address.get('from'), address.get('to')];
  if (name === 'custom' && isDay(from) && isDay(to) && from <= to) return 'custom';
  return RANGES.find((known) => known === name) ?? '30d';
}

/** Undefined for all days: when they begin has to be asked. */
export function spanOf(range: RangeName, today: string, address: URLSearchParams): Span | undefined {
  const last = (days: number) => ({ from: plusDays(today, 1 - days), to: today });
  switch (range) {
    case 'today':
      return last(1);
    case 'yesterday':
      return { from: plusDays(today, -1), to: plusDays(today, -1) };
    case '7d':
      return last(7);
    case '30d':
      return last(30);
    case '90d':
      return last(90);
    case '12m':
      return {
        from: plusDays(`${Number(today.slice(0, 4)) - 1}${today.slice(4)}`.replace('-02-29', '-02-28'), 1),
        to: today,
      };
    case 'all':
      return undefined;
    case 'custom':
      return { from: address.get('from')!, to: address.get('to')! };
  }
}

/** What makes a chart that can be read. */
export function unitFor(span: Span): Unit {
  const days = daysIn(span);
  if (days <= 92) return 'day';
  return days <= 200 ? 'week' : 'month';
}

/** Those of which a span has more than one, and not too many. */
export function unitsFor(span: Span): Unit[] {
  const days = daysIn(span);
  return UNITS.filter((unit) => (unit === 'day' ? days <= 1100 : days > (unit === 'week' ? 7 : 31)));
}

export interface Bucket extends Span {
  count: number;
  previous: number;
}

interface DayEntry {
  value: string;
  count: number;
  previous_count?: number;
}

/** Adds days up to weeks, which begin on a Monday, or months. Those at the ends may be parts. */
export function bucketsOf(entries: readonly DayEntry[], { from, to }: Span, unit: Unit): Bucket[] {
  const byDay = new Map(entries.map((entry) => [entry.value, entry]));
  const buckets: Bucket[] = [];
  const end = dayOf(to);
  for (let day = dayOf(from); day <= end; day++) {
    const text = textOf(day);
    const last = buckets.at(-1);
    const { count = 0, previous_count: previous = 0 } = byDay.get(text) ?? {};
    if (last && !beginsUnit(day, text, unit))
      Object.assign(last, { to: text, count: last.count + count, previous: last.previous + previous });
    else buckets.push({ from: text, to: text, count, previous });
  }
  return buckets;
}

function beginsUnit(day: number, text: string, unit: Unit): boolean {
  if (unit === 'month') return text.endsWith('-01');
  // 1970-01-01 was a Thursday.
  return unit === 'day' || (day + 3) % 7 === 0;
}

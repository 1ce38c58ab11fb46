import type { FilterJson } from '../../src/stats/questions/filter';
import type { Hit } from '../../src/storage/hit';
import { dayIn } from './counting-model';

/** A question in the words of the documentation. */
export interface ModelQuestion {
  from: string;
  to: string;
  /** In seconds, both included. */
  moments?: { from: number; to: number } | undefined;
  filters: FilterJson[];
  dimensions: string[];
}

export type ModelCounts = Record<
  'visitors' | 'pageviews' | 'events' | 'visits' | 'bounces' | 'seconds',
  number
>;

interface Visitor {
  isKnown: boolean;
  first: Hit;
  all: Placed[];
}

interface Visit {
  hits: Placed[];
}

interface Placed {
  hit: Hit;
  day: string;
  visitor: Visitor;
  visit: Visit;
}

type Value = string | null;

const PAUSE_S = 1800;
const NONE = '(direct)';
const BROUGHT = ['referrer', 'campaign'] as const;
const OF_FIRST = {
  browser: 'browser',
  operating_system: 'operatingSystem',
  device: 'device',
  language: 'language',
  screen_resolution: 'screen',
  continent: 'continent',
  country: 'country',
  city: 'city',
} as const satisfies Record<string, keyof Hit>;

/** What questions mean, by walking over plain hits. */
export class QuestionModel {
  private readonly placed: Placed[] = [];

  /** The hits in the order in which they were accepted. */
  constructor(
    hits: Hit[],
    private readonly timezone: string,
  ) {
    const visitors = new Map<string, Hit[]>();
    for (const [index, hit] of hits.entries()) {
      const key = hit.visitor === '' ? `unknown ${index}` : `${hit.day} ${hit.visitor}`;
      visitors.set(key, [...(visitors.get(key) ?? []), hit]);
    }
    for (const own of visitors.values()) this.place(own);
  }

  /** What is counted for each combination of values of the dimensions, as far as there is anything. */
  rows(question: ModelQuestion): Map<string, ModelCounts> {
    const rows = new Map<string, ModelCounts>();
    const once = new Set<string>();
    const row = (key: Value[]): ModelCounts => {
      const text = JSON.stringify(key);
      const known = rows.get(text) ?? NOTHING();
      rows.set(text, known);
      return known;
    };
    const isNew = (...parts: unknown[]) => {
      const key = JSON.stringify(parts);
      return !once.has(key) && Boolean(once.add(key));
    };
    for (const placed of this.placed) {
      if (!this.isAsked(placed, question)) continue;
      const key = question.dimensions.map((name) => this.valueOf(name, placed, placed));
      row(key)[placed.hit.event === null ? 'pageviews' : 'events']++;
      if (!placed.visitor.isKnown) continue;
      const visitor = this.numberOf(placed.visitor.all[0]!);
      for (const each of this.keysOf(question.dimensions, placed))
        if (isNew('visitor', visitor, each)) row(each).visitors++;
      const { hits } = placed.visit;
      const first = hits.find((one) => isWithin(one, question))!;
      const ofVisit = question.dimensions.map((name) => this.valueOf(name, placed, first));
      if (!isNew('visit', this.numberOf(hits[0]!), ofVisit)) continue;
      const counts = row(ofVisit);
      counts.visits++;
      const events = hits.filter(({ hit }) => hit.event !== null);
      if (events.length === 0 && hits.length === 1) counts.bounces++;
      counts.seconds += hits.at(-1)!.hit.at - hits[0]!.hit.at;
    }
    return rows;
  }

  private numberOf(placed: Placed): number {
    return this.placed.indexOf(placed);
  }

  private place(own: Hit[]): void {
    const visitor: Visitor = { isKnown: own[0]!.visitor !== '', first: own[0]!, all: [] };
    let last: Placed | undefined;
    for (const hit of [...own].sort((one, other) => one.at - other.at)) {
      const goesOn = last && hit.at - last.hit.at <= PAUSE_S;
      const visit: Visit = goesOn ? last!.visit : { hits: [] };
      const placed = { hit, day: new Date(hit.day * 86_400_000).toISOString().slice(0, 10), visitor, visit };
      visit.hits.push(placed);
      visitor.all.push(placed);
      this.placed.push(placed);
      last = placed;
    }
  }

  private isAsked(placed: Placed, question: ModelQuestion): boolean {
    if (placed.day < question.from || placed.day > question.to || !isWithin(placed, question)) return false;
    return question.filters.every((filter) => this.passes(filter, placed));
  }

  private passes(filter: FilterJson, placed: Placed): boolean {
    if (filter[0] === 'and') return filter[1].every((one) => this.passes(one, placed));
    if (filter[0] === 'or') return filter[1].some((one) => this.passes(one, placed));
    if (filter[0] === 'not') return !this.passes(filter[1], placed);
    if (filter[0] === 'has_done') return placed.visitor.all.some((one) => this.passes(filter[1], one));
    if (filter[0] === 'has_not_done') return !placed.visitor.all.some((one) => this.passes(filter[1], one));
    const [operator, name, wanted] = filter;
    const values = this.valuesOf(name, placed);
    const has = (test: (value: string, part: string) => boolean) =>
      values.some((value) =>
        wanted.some((part) => value !== null && test(value.toLowerCase(), (part ?? '').toLowerCase())),
      );
    if (operator === 'is') return values.some((value) => wanted.includes(value));
    if (operator === 'is_not') return !values.some((value) => wanted.includes(value));
    if (operator === 'contains') return has((value, part) => value.includes(part));
    if (operator === 'contains_not') return !has((value, part) => value.includes(part));
    return has((value, part) => (operator === 'starts' ? value.startsWith(part) : value.endsWith(part)));
  }

  /** All values that a filter looks at. */
  private valuesOf(name: string, placed: Placed): Value[] {
    const brought = BROUGHT.find((known) => known === name);
    if (!brought) return [this.valueOf(name, placed, placed)];
    const { first, all } = placed.visitor;
    const values: Value[] = all.map(({ hit }) => hit[brought]).filter((value) => value !== null);
    if (brought === 'referrer' && first.referrer === null) values.push(NONE);
    return values.length === 0 ? [null] : [...new Set(values)];
  }

  /** The one value under which hits and visits are counted. */
  private valueOf(name: string, { hit, visitor, visit }: Placed, moment: Placed): Value {
    if (name === 'page') return hit.page;
    if (name === 'event') return hit.event;
    if (Object.hasOwn(OF_FIRST, name)) return visitor.first[OF_FIRST[name as keyof typeof OF_FIRST]];
    const ofVisit = valueOfVisit(name, visit);
    return ofVisit === undefined ? this.bucketOf(name, moment) : ofVisit;
  }

  private keysOf([name, ...others]: string[], placed: Placed): Value[][] {
    if (name === undefined) return [[]];
    const isBrought = BROUGHT.some((known) => known === name);
    const own = isBrought ? this.valuesOf(name, placed) : [this.valueOf(name, placed, placed)];
    return own.flatMap((value) => this.keysOf(others, placed).map((rest) => [value, ...rest]));
  }

  private bucketOf(name: string, { hit, day }: Placed): string {
    const moment = hit.at * 1000;
    const noon = new Date(`${day}T12:00:00Z`);
    if (name === 'day') return day;
    if (name === 'month') return day.slice(0, 7);
    if (name === 'weekday') return String(noon.getUTCDay() || 7);
    if (name === 'week') return isoWeek(noon);
    const time = new Date(moment).toLocaleTimeString('en-GB', { timeZone: this.timezone });
    if (name === 'hour_of_day') return String(Number(time.slice(0, 2)));
    return `${dayIn(this.timezone, moment)}T${time.slice(0, 2)}:00${offsetIn(this.timezone, moment)}`;
  }
}

const NOTHING = (): ModelCounts => ({
  visitors: 0,
  pageviews: 0,
  events: 0,
  visits: 0,
  bounces: 0,
  seconds: 0,
});

function valueOfVisit(name: string, { hits }: Visit): Value | undefined {
  const brought = BROUGHT.find((known) => known === name);
  if (brought) {
    const value = hits.map(({ hit }) => hit[brought]).find((one) => one !== null);
    return value ?? (brought === 'referrer' ? NONE : null);
  }
  const views = hits.filter(({ hit }) => hit.event === null);
  if (name === 'entry_page') return views[0]?.hit.page ?? null;
  return name === 'exit_page' ? (views.at(-1)?.hit.page ?? null) : undefined;
}

function isWithin({ hit }: Placed, { moments }: ModelQuestion): boolean {
  return !moments || (hit.at >= moments.from && hit.at <= moments.to);
}

/** `+05:30`; `+00:00` in UTC. */
function offsetIn(timezone: string, moment: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')!.value;
  return name.replace('GMT', '') || '+00:00';
}

/** The week with the year's fourth of January is its first. */
function isoWeek(noon: Date): string {
  const year = [noon.getUTCFullYear() + 1, noon.getUTCFullYear(), noon.getUTCFullYear() - 1].find(
    (candidate) => noon >= firstMonday(candidate),
  )!;
  const weeks = Math.floor((noon.getTime() - firstMonday(year).getTime()) / (7 * 86_400_000));
  return `${year}-W${String(weeks + 1).padStart(2, '0')}`;
}

function firstMonday(year: number): Date {
  const fourth = new Date(Date.UTC(year, 0, 4));
  return new Date(Date.UTC(year, 0, 4 - ((fourth.getUTCDay() || 7) - 1)));
}

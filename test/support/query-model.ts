import {
  campaignKind,
  channelOf,
  clickKind,
  mediumKind,
  siteOfReferrer,
  siteOfSource,
} from '../../engine/hits/channels/channel';
import type { ResolvedFilter } from '../../engine/questions/parse/filter';
import { COUNTED_FIELDS, FIELDS } from '../../engine/hits/fields';
import type { Hit } from '../../engine/hits/hit';
import { bucketOf } from './model-buckets';

/** A query in the terms of the documentation. */
export interface ModelQuery {
  from: string;
  to: string;
  /** In seconds, both included. */
  moments?: { from: number; to: number } | undefined;
  filters: ResolvedFilter[];
  dimensions: string[];
}

export type ModelCounts = Record<
  'visitors' | 'pageviews' | 'events' | 'visits' | 'bounces' | 'seconds',
  number
> & {
  /** In 1/10,000. */
  value: bigint;
  currencies: Set<string>;
};

export interface Visitor {
  isKnown: boolean;
  first: Hit;
  all: Placed[];
  /** Filled by name on demand. */
  acquired: Map<string, Value[]>;
}

export interface Visit {
  hits: Placed[];
}

export interface Placed {
  number: number;
  hit: Hit;
  day: string;
  visitor: Visitor;
  visit: Visit;
}

type Value = string | null;

const PAUSE_S = 1800;
const PROPERTY = 'event_property:';

interface Acquired {
  by: (hit: Hit) => Value;
  none?: string;
}

/** The value that a hit contributes to a name, and the value if the first hit has none. */
const ACQUIRED: Record<string, Acquired> = {
  ...fieldsOf('acquisition', (by) => ({ by })),
  referrer: { by: (hit) => hit.referrer, none: '(direct)' },
  referrer_page: { by: (hit) => hit.referrerPage ?? hit.referrer, none: '(direct)' },
  channel: { by: channelOfHit, none: 'Direct' },
};

const OF_FIRST: Record<string, (hit: Hit) => Value> = {
  ...fieldsOf('visitor', (value) => value),
  browser_version: (hit) => withVersion(hit.browser, hit.browserVersion),
  operating_system_version: (hit) => withVersion(hit.operatingSystem, hit.operatingSystemVersion),
  region: ({ city }) => regionOfCity(city),
};

const OF_HIT: Record<string, (hit: Hit) => Value> = {
  ...fieldsOf('hit', (value) => value),
  event_properties: ({ properties }) =>
    properties === null ? null : JSON.stringify(properties.map(([name]) => name).sort()),
};

function fieldsOf<T>(level: string, made: (value: (hit: Hit) => Value) => T): Record<string, T> {
  const names = COUNTED_FIELDS.filter((name) => FIELDS[name].level === level);
  return Object.fromEntries(names.map((name) => [name, made((hit) => hit[FIELDS[name].key])]));
}

/** The meaning of hit queries, computed from plain hits. */
export class QueryModel {
  /** Each visitor's hits in their order. */
  readonly placed: Placed[] = [];

  /** The hits in the order of acceptance. */
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

  /** The counts of each combination of the dimensions' values, except empty ones. */
  rows(hitQuery: ModelQuery): Map<string, ModelCounts> {
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
      if (!this.isAsked(placed, hitQuery)) continue;
      const key = hitQuery.dimensions.map((name) => this.valueOf(name, placed, placed));
      row(key)[placed.hit.event === null ? 'pageviews' : 'events']++;
      if (placed.hit.value !== null) {
        row(key).value += BigInt(placed.hit.value);
        row(key).currencies.add(placed.hit.currency!);
      }
      if (!placed.visitor.isKnown) continue;
      const visitor = placed.visitor.all[0]!.number;
      for (const each of this.keysOf(hitQuery.dimensions, placed))
        if (isNew('visitor', visitor, each)) row(each).visitors++;
      const { hits } = placed.visit;
      const first = hits.find((one) => isWithin(one, hitQuery))!;
      const ofVisit = hitQuery.dimensions.map((name) => this.valueOf(name, placed, first));
      const active = hits.filter(({ hit }) => !hit.isPassive);
      if (active.length === 0 || !isNew('visit', hits[0]!.number, ofVisit)) continue;
      const counts = row(ofVisit);
      counts.visits++;
      if (active.length === 1 && active[0]!.hit.event === null) counts.bounces++;
      counts.seconds += active.at(-1)!.hit.at - active[0]!.hit.at;
    }
    return rows;
  }

  /** The model of what is left of a purge: visitors keep what their first hits told. */
  without(isPurged: (placed: Placed) => boolean): QueryModel {
    const left = new QueryModel([], this.timezone);
    for (const { all, first } of new Set(this.placed.map(({ visitor }) => visitor))) {
      const hits = all.filter((placed) => !isPurged(placed)).map(({ hit }) => hit);
      const agrees = hits.some(({ referrer }) => (referrer === null) === (first.referrer === null));
      const referrer = first.referrer === null ? 'gone' : null;
      if (hits.length > 0) left.place(hits, agrees ? first : { ...first, referrer });
    }
    return left;
  }

  private place(own: Hit[], first = own[0]!): void {
    const visitor: Visitor = {
      isKnown: own[0]!.visitor !== '',
      first,
      all: [],
      acquired: new Map(),
    };
    let visit: Visit | undefined;
    let lastActive: Hit | undefined;
    for (const hit of [...own].sort((one, other) => one.at - other.at)) {
      const goesOn = hit.isPassive || (lastActive && hit.at - lastActive.at <= PAUSE_S);
      if (!goesOn || !visit) visit = { hits: [] };
      if (!hit.isPassive) lastActive = hit;
      const number = this.placed.length;
      const placed = {
        number,
        hit,
        day: new Date(hit.day * 86_400_000).toISOString().slice(0, 10),
        visitor,
        visit,
      };
      visit.hits.push(placed);
      visitor.all.push(placed);
      this.placed.push(placed);
    }
  }

  private isAsked(placed: Placed, hitQuery: ModelQuery): boolean {
    if (placed.day < hitQuery.from || placed.day > hitQuery.to || !isWithin(placed, hitQuery)) return false;
    return hitQuery.filters.every((filter) => this.passes(filter, placed));
  }

  passes(filter: ResolvedFilter, placed: Placed): boolean {
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

  /** All values that a filter tests. */
  private valuesOf(name: string, placed: Placed): Value[] {
    const { visitor } = placed;
    if (!ACQUIRED[name]) return [this.valueOf(name, placed, placed)];
    const known = visitor.acquired.get(name) ?? acquiredBy(visitor, ACQUIRED[name]);
    visitor.acquired.set(name, known);
    return known;
  }

  /** The one value under which hits and visits are counted. */
  valueOf(name: string, { hit, visitor, visit }: Placed, moment: Placed): Value {
    if (OF_HIT[name]) return OF_HIT[name](hit);
    if (OF_FIRST[name]) return OF_FIRST[name](visitor.first);
    if (name.startsWith(PROPERTY)) return propertyOf(hit, name.slice(PROPERTY.length));
    const ofVisit = valueOfVisit(name, visit);
    return ofVisit === undefined ? bucketOf(name, moment.hit.at, moment.day, this.timezone) : ofVisit;
  }

  private keysOf([name, ...others]: string[], placed: Placed): Value[][] {
    if (name === undefined) return [[]];
    const own = ACQUIRED[name] ? this.valuesOf(name, placed) : [this.valueOf(name, placed, placed)];
    return own.flatMap((value) => this.keysOf(others, placed).map((rest) => [value, ...rest]));
  }
}

export const NOTHING = (): ModelCounts => ({
  visitors: 0,
  pageviews: 0,
  events: 0,
  visits: 0,
  bounces: 0,
  seconds: 0,
  value: 0n,
  currencies: new Set(),
});

function acquiredBy({ first, all }: Visitor, { by, none }: Acquired): Value[] {
  const values: Value[] = all.map(({ hit }) => by(hit)).filter((value) => value !== null);
  const arrived = first.referrer === null && all.find(({ hit }) => hit.referrer === null)!;
  if (none && arrived && by(arrived.hit) === null) values.push(none);
  return values.length === 0 ? [null] : [...new Set(values)];
}

function valueOfVisit(name: string, { hits }: Visit): Value | undefined {
  const acquired = ACQUIRED[name];
  if (acquired)
    return hits.map(({ hit }) => acquired.by(hit)).find((one) => one !== null) ?? acquired.none ?? null;
  const views = hits.filter(({ hit }) => hit.event === null);
  if (name === 'entry_page') return views[0]?.hit.page ?? null;
  return name === 'exit_page' ? (views.at(-1)?.hit.page ?? null) : undefined;
}

function regionOfCity(city: string): string {
  const parts = city.split(', ');
  const isWhole = parts.length > 2 && /^[A-Z]{2}$/.test(parts.at(-1)!);
  return isWhole ? parts.slice(1).join(', ') : '(unknown)';
}

function channelOfHit({ referrer, source, medium, clickId, campaign }: Hit): Value {
  return channelOf(
    siteOfReferrer(referrer),
    siteOfSource(source),
    mediumKind(medium),
    clickKind(clickId),
    campaignKind(campaign),
  );
}

function withVersion(name: string, version: string | null): string {
  return version === null ? name : `${name} ${version}`;
}

function propertyOf({ properties }: Hit, name: string): Value {
  const property = properties?.find(([own]) => own === name);
  return property ? String(property[1]) : null;
}

export function isWithin({ hit }: Placed, { moments }: ModelQuery): boolean {
  return !moments || (hit.at >= moments.from && hit.at <= moments.to);
}

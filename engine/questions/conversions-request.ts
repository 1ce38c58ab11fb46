import { conditionsIn, type Filter } from './parse/filter';
import { originOf, type QueryName } from './parse/names';
import type { QueryScope } from './plan/needed-values';

/** The hits of a conversion that are shown. */
export const MAX_LATEST = 20;

/** What may differ between the hits of a visitor, where the first one decides. The others follow from the hash. */
const VARYING: readonly QueryName[] = ['language', 'screen_resolution'];

/** How far the hits of a website were read: a text that only the store writes and reads. */
export type Cursor = string;

/** A request for the conversions among hits that were not read before. It is plain data. */
export interface ConversionsRequest {
  readonly websiteId: number;
  /** The hits up to it were read. */
  readonly since: Cursor;
  /** The moment of the reading. */
  readonly readAt: number;
  /** About this number of hits is read. A further request goes on with the others. */
  readonly maxHits: number;
  /** The filters of the goals. */
  readonly goals: readonly Filter[];
}

/** A hit that reaches a goal. */
export interface Conversion {
  /** Seconds since 1970. */
  readonly at: number;
  readonly page: string;
  readonly event: string | null;
  readonly country: string | null;
  readonly referrer: string | null;
}

export interface GoalConversions {
  readonly conversions: number;
  /** The sum of the events' values by currency, in 1/10,000. There are at most two: more are of no use. */
  readonly values: readonly (readonly [currency: string, amount: string])[];
  /** The latest first. */
  readonly latest: readonly Conversion[];
}

export interface ReadConversions {
  readonly cursor: Cursor;
  /** The number of hits that could not be read, because their days were sealed before. */
  readonly skipped: number;
  /** Tells whether no new hit is left. */
  readonly isAll: boolean;
  /** For each goal, in the order of the request. */
  readonly goals: readonly GoalConversions[];
}

/** The parts that decide which columns are read. The filters are those of goals, and of hits that are left out. */
export function scopeOfConversions(
  filters: readonly Filter[],
  days: QueryScope['range']['days'],
): QueryScope {
  return {
    range: { days },
    previous: undefined,
    filter: { kind: 'any', of: [...filters] },
    dimensions: ['page', 'referrer', 'country'],
    metrics: ['visits', 'value_high'],
  };
}

/** Tells whether a hit passes the filters by itself, whatever other hits its visitor has. */
export function areOfSingleHits(filters: readonly Filter[]): boolean {
  return filters.every((own) => !hasEver(own) && conditionsIn(own).every(({ name }) => isOfHit(name)));
}

function hasEver(filter: Filter): boolean {
  if (filter.kind === 'test' || filter.kind === 'days') return false;
  if (filter.kind === 'ever') return true;
  return Array.isArray(filter.of) ? filter.of.some(hasEver) : hasEver(filter.of);
}

function isOfHit(name: QueryName): boolean {
  const { level } = originOf(name);
  return level === 'hit' || level === 'moment' || (level === 'visitor' && !VARYING.includes(name));
}

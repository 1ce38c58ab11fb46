import { isDeepStrictEqual } from 'node:util';
import type { Span } from '../../storage/calendar';
import { type HitsOfDay, lateHits } from '../../storage/kept-hits';
import type { Found } from './asked-scans';
import { type AskedPart, partsOf } from './part-reader';
import type { Question } from './question';
import type { KnownSizes } from './translations';

interface SomeParts {
  readonly parts: AskedPart[];
  /** The days that have hits in them. */
  readonly days: HitsOfDay[];
}

/** Parts that another thread may scan for the thread that answers. */
export interface Portion extends SomeParts {
  readonly websiteId: number;
  readonly questions: Question[];
  /** All days that are asked for. */
  readonly span: Span;
  /** What the thread that answers knows of the texts of others. */
  readonly known: KnownSizes;
}

export interface PortionResult {
  readonly found: Found;
  /** How many hits each of the days has in the parts. */
  readonly hits: number[];
}

/** Undefined where nobody had begun with it, and nobody will then, or where it failed. It rejects at the deadline. */
export type Offered = () => Promise<PortionResult | undefined>;

/** How a thread that answers has others help it. */
export interface Sharing {
  readonly others: number;
  readonly offer: (portion: Portion) => Offered;
  /** Fewer hits in columns are scanned by one thread. */
  readonly leastHits: number;
}

export const ALONE: Sharing = {
  others: 0,
  offer: () => () => Promise.resolve(undefined),
  leastHits: Infinity,
};

/**
 * Divides the parts of some days between the thread that answers, which comes first and has all days with late hits, and
 * others. From the last part on,
 * so that a thread gets the same parts again, which it has in memory, for ranges that end on the same day.
 */
export function divided(days: HitsOfDay[], { others, leastHits }: Sharing): [SomeParts, ...SomeParts[]] {
  const parts = partsOf(days);
  const inParts = days.reduce((sum, { columns }) => sum + (columns?.hits ?? 0), 0);
  const inBatches = days.reduce((sum, { hits }) => sum + hits, -inParts);
  if (inParts < leastHits) return [{ parts, days }];
  const threads = Array.from({ length: others + 1 }, (_, index) => ({
    parts: [] as AskedPart[],
    hits: index === 0 ? inBatches : 0,
  }));
  const late = new Set(days.filter((day) => lateHits(day) > 0).map(({ day }) => day));
  for (const part of parts.toReversed()) {
    const hasLate = part.days.some((day) => late.has(day));
    const next = hasLate
      ? threads[0]!
      : threads.reduce((one, other) => (other.hits < one.hits ? other : one));
    next.parts.unshift(part);
    next.hits += part.hits;
  }
  const [own, ...further] = threads.map((thread) => ({
    parts: thread.parts,
    days: daysOf(thread.parts, days),
  }));
  return [own!, ...further.filter((portion) => portion.parts.length > 0)];
}

function daysOf(parts: AskedPart[], all: HitsOfDay[]): HitsOfDay[] {
  const days = new Set(parts.flatMap((part) => part.days));
  return all.filter(({ day }) => days.has(day));
}

/** Whether days have the same hits in the same columns as in another snapshot. */
export function areInSameColumns(days: HitsOfDay[], others: HitsOfDay[]): boolean {
  const columnsOf = new Map(others.map(({ day, columns }) => [day, columns]));
  return days.every(({ day, columns }) => isDeepStrictEqual(columns, columnsOf.get(day)));
}

import { type Listed, type Listing, queryOfValues } from './listing';
import type { QueryAnswer } from '../../shared/api';
import { type Counted, described, isMerged, type Name } from '../../shared/names';
import { queryRange } from '../../shared/ranges';
import { useAnswer } from '../../shared/use-answer';
import type { FigureName } from '../chart/figures';
import { type Counts, countsOf } from '../chart/series';
import { sinceIn } from '../coverage';
import type { Reading } from '../reading';

/** The figures beside the count of each value, if the reader may query them. */
export function figuresBeside(name: Name, { mayFilter }: Pick<Reading, 'mayFilter'>): readonly FigureName[] {
  if (!mayFilter) return [];
  const { counts } = described(name);
  if (counts === 'events') return ['visitors'];
  return counts === 'visitors' ? OF_VISITS : ['visitors', ...OF_VISITS];
}

const OF_VISITS = ['bounce_rate', 'visit_duration'] as const;
/** What figures are computed from. */
const PARTS: Partial<Record<FigureName, readonly Counted[]>> = {
  visitors: ['visitors'],
  bounce_rate: ['visits', 'bounces'],
  visit_duration: ['visits', 'seconds'],
};

/** The counts of what is listed, by value; none of values that were not counted in the whole range. */
export type Details = ReadonlyMap<string, Counts>;

/** Undefined until they are known. */
export function useDetails(
  { places }: Reading,
  listing: Listing,
  figures: readonly FigureName[],
  listed: Listed | undefined,
  first: string | undefined,
): Details | undefined {
  const { name, span } = listing;
  const values = listed?.entries.map(({ value }) => value).filter((value) => !isMerged(value)) ?? [];
  const metrics = [...new Set(figures.flatMap((figure) => PARTS[figure] ?? []))];
  const { data, isOther, failure } = useAnswer<QueryAnswer>(
    figures.length > 0 && values.length > 0
      ? queryOfValues(places, listing, values, queryRange(span), metrics)
      : undefined,
  );
  if (!data || isOther || failure) return failure && new Map();
  if (sinceIn(data, span, first) !== undefined) return new Map();
  return new Map(data.data.map((row) => [row[name]!, countsOf(row)]));
}

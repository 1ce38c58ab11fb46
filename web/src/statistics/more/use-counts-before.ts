import { isIncomplete, type QueryAnswer, type StatsAnswer } from '../../shared/api';
import { rangeBefore } from '../comparison';
import { type Listed, type Listing, queryOfValues } from './listing';
import { described, isMerged, type Name } from '../../shared/names';
import type { Places } from '../page-answer';
import { useAnswer } from '../../shared/use-answer';

/** The counts of a list by value in the range that it is compared with, which begins `back` days earlier. */
export function useCountsBefore(
  places: Places,
  listing: Listing,
  listed: Listed | undefined,
  answer: StatsAnswer | QueryAnswer | undefined,
  back: number | undefined,
  timezone: string,
): Map<string, number> | undefined {
  const values = listed?.entries.map(({ value }) => value).filter((value) => !isMerged(value)) ?? [];
  const range =
    answer && back !== undefined && listing.compares === 'values'
      ? rangeBefore(listing.span, back, answer.meta.as_of, timezone)
      : undefined;
  const requested =
    range && values.length > 0
      ? queryOfValues(places, listing, values, range, [described(listing.name).counts])
      : undefined;
  const { data, isLoading, failure } = useAnswer<QueryAnswer>(requested);
  return requested && data && !isLoading && !failure ? countsIn(data, listing.name) : undefined;
}

/** Undefined if hits of that age are no longer stored. */
function countsIn({ data, meta }: QueryAnswer, name: Name): Map<string, number> | undefined {
  if (isIncomplete({ meta })) return undefined;
  return new Map(data.map((row) => [row[name]!, row[described(name).counts] ?? 0]));
}

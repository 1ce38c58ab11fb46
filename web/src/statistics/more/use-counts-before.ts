import type { QueryToSend, QueryAnswer, StatsAnswer } from '../../shared/api';
import type { Listed, Listing } from './listing';
import { momentsBefore } from '../chart/moments';
import { described, isMerged, type Name } from '../../shared/names';
import { queryFilters } from '../filters/filters';
import type { Places } from '../page-answer';
import { useAnswer } from '../../shared/use-answer';

/** The counts of a list by value in the compared part of the previous period. */
export function useCountsBefore(
  places: Places,
  listing: Listing,
  listed: Listed | undefined,
  answer: StatsAnswer | QueryAnswer | undefined,
  timezone: string,
): Map<string, number> | undefined {
  const values = listed?.entries.map(({ value }) => value).filter((value) => !isMerged(value)) ?? [];
  const isAsked = answer !== undefined && listing.compares === 'part' && values.length > 0;
  const requested = isAsked ? hitQueryOf(places, listing, values, answer.meta.as_of, timezone) : undefined;
  const { data, isLoading, failure } = useAnswer<QueryAnswer>(requested);
  if (!isAsked || isLoading || failure || !data) return undefined;
  if (data.meta.warnings?.some(({ code }) => code === 'kept_since')) return undefined;
  const { name } = listing;
  return new Map(data.data.map((row) => [row[name]!, row[described(name).counts] ?? 0]));
}

function hitQueryOf(
  { query, headers }: Places,
  { name, filters, span }: Listing,
  values: string[],
  asOf: string,
  timezone: string,
): QueryToSend {
  const body = {
    metrics: [described(name).counts],
    dimensions: [name],
    filters: [...queryFilters(filters, name), ['is', name, values] satisfies [string, Name, string[]]],
    range: momentsBefore(span, span.from, asOf, timezone),
    per_page: 1000,
  };
  return { url: query, headers, body };
}

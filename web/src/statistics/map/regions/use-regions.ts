import { useEffect, useState } from 'preact/hooks';
import type { QueryAnswer, StatsAnswer } from '../../../shared/api';
import type { Filter } from '../../filters/filters';
import { listedOf, listingFor } from '../../more/listing';
import type { Span } from '../../../shared/ranges';
import type { Entry } from '../../page-answer';
import type { Reading } from '../../reading';
import { useAnswer } from '../../../shared/use-answer';
import { loadRegions } from './regions';
import type { Region } from './rows';

/** No country has more regions. */
const PER_QUERY = 500;
/** The longest page of statistics: all that readers get who may not filter. */
const PER_PAGE = 100;

/** The visitors of the regions of a country. Where no country can be filtered by, the regions of others are left out. */
export function useRegions(reading: Reading, filters: Filter[], span: Span | undefined, country: string) {
  const { mayFilter } = reading;
  const ofCountry: Filter = { name: 'country', operator: 'is', values: [country] };
  const query =
    span &&
    listingFor(reading.places, {
      ...{ name: 'region', mayFilter, span, filters: mayFilter ? [...filters, ofCountry] : [] },
      ...{ compares: undefined, search: mayFilter ? undefined : `, ${country}`, order: 'count' },
      ...{ page: 1, perPage: mayFilter ? PER_QUERY : PER_PAGE },
    });
  const answer = useAnswer<StatsAnswer | QueryAnswer>(query);
  const entries = answer.data && listedOf({ name: 'region' }, answer.data).entries;
  const isOfCountry = ({ value }: Entry) => mayFilter || value.endsWith(`, ${country}`);
  return { ...answer, entries: entries?.filter(isOfCountry) };
}

/** The shapes of a country's regions; empty if they cannot be loaded. */
export function useShapes(country: string): Region[] | undefined {
  const [shapes, setShapes] = useState<Region[]>();
  useEffect(() => {
    const leaving = new AbortController();
    loadRegions(country, leaving.signal).then(setShapes, () => leaving.signal.aborted || setShapes([]));
    return () => leaving.abort();
  }, [country]);
  return shapes;
}

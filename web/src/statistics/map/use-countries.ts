import type { QueryAnswer, StatsAnswer } from '../../shared/api';
import type { Filter } from '../filters/filters';
import { listedOf, listingFor } from '../more/listing';
import type { Span } from '../../shared/ranges';
import type { Reading } from '../reading';
import { useAnswer } from '../../shared/use-answer';

type Answer = StatsAnswer | QueryAnswer;

/** The longest page of statistics; there are fewer than three times as many countries. */
const PER_PAGE = 100;

/** The visitors of all countries by their codes. */
export function useCountries(reading: Reading, filters: Filter[], span: Span | undefined) {
  const query = (page: number) =>
    span &&
    listingFor(reading.places, {
      ...{ name: 'country', mayFilter: reading.mayFilter, span, filters, page, perPage: PER_PAGE },
      ...{ compares: undefined, search: undefined, order: 'count' },
    });
  const first = useAnswer<Answer>(query(1));
  const total = first.data?.meta.total ?? 0;
  const second = useAnswer<Answer>(total > PER_PAGE ? query(2) : undefined);
  const third = useAnswer<Answer>(total > 2 * PER_PAGE ? query(3) : undefined);
  const answers = [first, second, third].slice(0, Math.max(1, Math.ceil(total / PER_PAGE)));
  const entries = answers.flatMap(({ data }) => (data ? listedOf({ name: 'country' }, data).entries : []));
  return new Map(entries.map(({ value, count }) => [value, count]));
}

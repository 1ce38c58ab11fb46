import { urlOf } from '../../shared/api';
import { useAnswersInTurn } from '../../shared/use-answer';
import { API, type PageOf, type Visitors, type Website } from '../client';
import { type Numbers, numbersOf, totalOf } from './numbers';

/** A total of more websites would take the service minutes. */
export const MOST_ADDED = 10_000;

interface Total {
  /** Undefined until it is known, and of a list that has one page. */
  sum: Numbers | undefined;
  isTooLarge: boolean;
  hasFailed: boolean;
}

/** The sum of all websites, which the service adds up page by page, once. */
export function useTotal({ meta: { total, last_page: last } }: PageOf<Website>): Total {
  const isTooLarge = total > MOST_ADDED;
  const pages = isTooLarge || last === 1 ? 0 : last;
  const urls = Array.from({ length: pages }, (_, index) => urlOf(`${API}/recent/total`, { page: index + 1 }));
  const { data, hasFailed } = useAnswersInTurn<{ data: Visitors }>(urls);
  return { sum: data && totalOf(data.map((answer) => numbersOf(answer.data))), isTooLarge, hasFailed };
}

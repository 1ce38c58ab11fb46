import { type Failure, urlOf } from '../../shared/api';
import { useAnswersInTurn } from '../../shared/use-answer';
import { API, type PageOf, type Visitors, type Website } from '../client';
import { type Numbers, numbersOf, totalOf } from './numbers';
import { isWhole } from './use-all';

/** A total of more websites would take the service minutes. */
export const MOST_ADDED = 10_000;

interface Total {
  /** Undefined until it is known, and of a list that has one page. */
  sum: Numbers | undefined;
  isTooLarge: boolean;
  failure: Failure | undefined;
  retry: () => void;
}

/** The sum of all websites, which the service adds up page by page, once for each turn. An older one is not shown. */
export function useTotal(page: PageOf<Website>, turn: number): Total {
  const { total, last_page: last } = page.meta;
  const isTooLarge = total > MOST_ADDED;
  const pages = isTooLarge || isWhole(page) ? 0 : last;
  const urls = Array.from({ length: pages }, (_, index) => urlOf(`${API}/recent/total`, { page: index + 1 }));
  const { data, isCurrent, failure, retry } = useAnswersInTurn<{ data: Visitors }>(urls, turn);
  const sum = data && isCurrent ? totalOf(data.map((answer) => numbersOf(answer.data))) : undefined;
  return { sum, isTooLarge, failure: isCurrent ? failure : undefined, retry };
}

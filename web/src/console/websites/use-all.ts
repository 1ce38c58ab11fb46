import { urlOf } from '../../shared/api';
import { useAnswersInTurn } from '../../shared/use-answer';
import { API, type PageOf, type Recent, type Website } from '../client';
import { type Asked, AT_ONCE } from './asked';
import { type Numbers, numbersOf } from './numbers';
import { recentUrl } from './use-recent';

/** More websites are not ordered by visitors. */
const MOST = 1000;

export interface All {
  websites: Website[];
  numbers: Map<number, Numbers>;
}

export const isWhole = ({ meta }: PageOf<Website>) => meta.last_page === 1;

/** The websites of all pages of a list with their numbers, if they have to be ordered by them. */
export function useAll(asked: Asked, page: PageOf<Website> | undefined, turn: number) {
  const isFew = page !== undefined && page.meta.total <= MOST;
  const isAsked = isFew && asked.order === 'visitors' && !isWhole(page);
  const lists = useAnswersInTurn<PageOf<Website>>(isAsked ? listUrls(asked, page) : [], turn);
  const websites = lists.data?.flatMap(({ data }) => data) ?? [];
  const recent = useAnswersInTurn<{ data: Recent[] }>(recentUrls(websites));
  const all: All | undefined = lists.data && recent.data && { websites, numbers: numbersIn(recent.data) };
  return { all, isComplete: isFew && !lists.failure && !recent.failure };
}

function listUrls({ parameters }: Asked, { meta }: PageOf<Website>): string[] {
  return Array.from({ length: meta.last_page }, (_, index) =>
    urlOf(`${API}/websites`, { ...parameters, page: index + 1 }),
  );
}

function recentUrls(websites: readonly Website[]): string[] {
  return Array.from({ length: Math.ceil(websites.length / AT_ONCE) }, (_, index) =>
    recentUrl(websites.slice(index * AT_ONCE, (index + 1) * AT_ONCE)),
  );
}

function numbersIn(answers: readonly { data: Recent[] }[]): Map<number, Numbers> {
  return new Map(answers.flatMap(({ data }) => data).map((one) => [one.website_id, numbersOf(one)]));
}

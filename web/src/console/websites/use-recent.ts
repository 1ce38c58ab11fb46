import { useEffect, useState } from 'preact/hooks';
import { type Failure, urlOf } from '../../shared/api';
import { useAnswer } from '../../shared/use-answer';
import { API, type Recent, type Website } from '../client';
import { type Numbers, numbersOf } from './numbers';

/** The visitors now are those of five minutes. */
const PAUSE_MS = 30_000;

export interface RecentNumbers {
  /** By the id of a website. */
  numbers: Map<number, Numbers>;
  areKnown: boolean;
  failure: Failure | undefined;
  retry: () => void;
}

export function recentUrl(websites: readonly Website[]): string {
  const ids = websites.map(({ id }) => id).sort((one, other) => one - other);
  return urlOf(`${API}/recent`, { websites: ids.join() });
}

/** The numbers of a list of websites, all from one request, again and again while somebody looks. */
export function useRecent(websites: Website[]): RecentNumbers {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTurn((last) => last + 1), PAUSE_MS);
    return () => clearInterval(timer);
  }, []);
  const url = websites.length === 0 ? undefined : recentUrl(websites);
  const { data, failure, retry } = useAnswer<{ data: Recent[] }>(url, turn);
  const numbers = new Map(data?.data.map((recent) => [recent.website_id, numbersOf(recent)]));
  return { numbers, areKnown: data !== undefined || failure !== undefined, failure, retry };
}

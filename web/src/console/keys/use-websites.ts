import { urlOf } from '../../shared/api';
import { useAnswer } from '../../shared/use-answer';
import { API, type PageOf, type Website } from '../client';

const AT_ONCE = 100;

/** The first websites by name, which keys can be limited to. */
export function useWebsites(): Website[] {
  const asked = { sort_by: 'domain', sort: 'asc', per_page: AT_ONCE };
  return useAnswer<PageOf<Website>>(urlOf(`${API}/websites`, asked)).data?.data ?? [];
}

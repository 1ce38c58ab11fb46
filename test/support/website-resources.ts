import type { ApiKey } from '../../src/auth/api-key.entity';
import type { ExclusionsService } from '../../src/exclusions/exclusions.service';
import type { FilterJson } from '../../engine/questions/parse/filter';
import type { ApiClient } from './api-client';
import { WEBSITES } from './sending';

export interface ResourceKind {
  path: string;
  object: string;
  what: string;
  fields: object;
  /** What is wrong with filters that select all hits. */
  all: string;
}

const NO_CONDITION = 'must have a condition';
const ON_PAGE = [['is', 'page', ['/thanks']]];

/** The kinds of resources that are known by a name and have filters. */
export const KINDS: ResourceKind[] = [
  { path: 'goals', object: 'goal', what: 'Goal', fields: { filters: ON_PAGE }, all: NO_CONDITION },
  {
    path: 'saved-filters',
    object: 'saved_filter',
    what: 'Saved filter',
    fields: { filters: ON_PAGE },
    all: NO_CONDITION,
  },
  {
    path: 'exclusions',
    object: 'exclusion',
    what: 'Exclusion',
    fields: { filters: ON_PAGE },
    all: 'select all hits; ',
  },
];

export const listOf = (websiteId: number, path: string) => `${WEBSITES}/${websiteId}/${path}`;

/** Stores a resource that is allowed. */
export async function stored(api: ApiClient, websiteId: number, path: string, json: object): Promise<any> {
  const { status, body } = await api.post(listOf(websiteId, path), { json });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data;
}

export const goal = (api: ApiClient, websiteId: number, name: string, filters: unknown[], more = {}) =>
  stored(api, websiteId, 'goals', { name, filters, ...more });

export const savedFilter = (api: ApiClient, websiteId: number, name: string, filters: unknown[]) =>
  stored(api, websiteId, 'saved-filters', { name, filters });

/** Excludes what filters select of all days of the first user's website, without HTTP. Returns what undoes it. */
export async function exclude(
  exclusions: ExclusionsService,
  websiteId: number,
  filters: FilterJson[],
): Promise<() => Promise<unknown>> {
  const key = { userId: 1, name: 'test' } as ApiKey;
  const { id } = await exclusions.storeAs(key, websiteId, { name: 'Excluded', filters });
  return () => exclusions.delete(1, websiteId, id);
}

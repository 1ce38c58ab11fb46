import { API, call, type PageOf, Refusal } from '../console/client';
import { urlOf } from '../shared/api';
import { useAnswer } from '../shared/use-answer';
import type { Own } from '../statistics/reading';

/** A filter as it is stored; clients of the API may store more forms than the forms here make. */
export type StoredFilters = readonly unknown[];

export interface Goal {
  id: number;
  name: string;
  filters: StoredFilters;
  value: string | null;
  currency: string | null;
}

export interface SavedFilter {
  id: number;
  name: string;
  filters: StoredFilters;
  /** 1 if viewers of the shared page see only what it selects. */
  shared: 0 | 1;
}

export interface FunnelStep {
  name: string | null;
  filters: StoredFilters;
}

export interface Funnel {
  id: number;
  name: string;
  steps: FunnelStep[];
  order: 'open' | 'strict';
  within: 'visit' | 'day';
}

/** An address that an alert is mailed to, once its owner has confirmed it. */
export interface Recipient {
  address: string;
  state: 'pending' | 'confirmed' | 'unsubscribed';
}

export interface Alert {
  id: number;
  name: string;
  metric: string;
  filters: StoredFilters;
  condition: 'above' | 'below' | 'rises' | 'falls' | 'silent';
  threshold: number | null;
  within: 'hour' | 'day' | null;
  quiet_hours: number;
  /** Tells whether the owner gets a mail. */
  mail: 0 | 1;
  recipients: Recipient[];
  webhook: 0 | 1;
  enabled: 0 | 1;
  fired_at: string | null;
  fired_value: number | null;
  /** Why it could not be checked. */
  error: string | null;
}

/** What is left out of all statistics of some days. */
export interface Exclusion {
  id: number;
  name: string;
  filters: StoredFilters;
  reason: string | null;
  /** Null for all days. */
  from: string | null;
  /** Null if it goes on. */
  to: string | null;
  /** Tells whether it stays, because the hits of its days are gone. */
  final: boolean;
  /** Tells whether its hits are being removed for good. */
  purge: boolean;
  /** The name of the key. */
  made_by: string;
  created_at: string;
}

export interface Kinds {
  alerts: Alert;
  exclusions: Exclusion;
  goals: Goal;
  'saved-filters': SavedFilter;
  funnels: Funnel;
}
export type Kind = keyof Kinds;

/** A website has no more of a kind. */
const MOST = 100;

/** All definitions of a kind by name, loaded again each turn. Nothing is loaded without an owner. */
export function useDefined<K extends Kind>(own: Own | undefined, kind: K, turn = 0) {
  const answer = useAnswer<PageOf<Kinds[K]>>(
    own && urlOf(`${API}/websites/${own.websiteId}/${kind}`, { per_page: MOST }),
    turn,
  );
  return { ...answer, list: answer.data?.data };
}

export const store = <K extends Kind>(own: Own, kind: K, fields: object) =>
  send<Kinds[K]>(own, 'POST', kind, fields);
export const update = <K extends Kind>(own: Own, kind: K, id: number, fields: object) =>
  send<Kinds[K]>(own, 'PATCH', `${kind}/${id}`, fields);

/** What is gone already counts as deleted. */
export async function remove(own: Own, kind: Kind, id: number): Promise<void> {
  await send<unknown>(own, 'DELETE', `${kind}/${id}`).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
  });
}

function send<T>({ websiteId, headers }: Own, method: string, path: string, fields?: object): Promise<T> {
  return call<T>(method, `websites/${websiteId}/${path}`, { headers, ...(fields && { fields }) });
}

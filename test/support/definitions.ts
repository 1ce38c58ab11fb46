import type { Answer, ApiClient } from './api-client';
import { type Site, WEBSITES } from './sending';

/** Stores what belongs to a website, and fails unless it was stored. */
export async function define(api: ApiClient, { id }: Site, kind: string, fields: object): Promise<number> {
  const { status, body }: Answer = await api.post(`${WEBSITES}/${id}/${kind}`, { json: fields });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.data.id;
}

/** The names of all definitions of a kind. */
export async function definedNames(api: ApiClient, { id }: Site, kind: string): Promise<string[]> {
  const { body }: Answer = await api.get(`${WEBSITES}/${id}/${kind}?per_page=100`);
  return body.data.map(({ name }: { name: string }) => name);
}

export const SIGNUP = { name: 'Signup', filters: [['is', 'event', ['signup']]] };
export const PRICING = {
  name: 'Pricing',
  filters: [
    ['is', 'page', ['/pricing']],
    ['is', 'event', [null]],
  ],
};

import { CHROME } from './agents';
import type { Answer, ApiClient } from './api-client';

export const WEBSITES = '/api/v1/websites';
export const EVENTS = '/api/v1/events';

export interface Site {
  id: number;
  domain: string;
}

export type Headers = Record<string, string>;

let sites = 0;

/** A website of its own for a test. */
export async function website(api: ApiClient, fields: object = {}): Promise<Site> {
  const form = { domain: `site${++sites}.example.com`, ...fields };
  return (await api.post(WEBSITES, { form })).body.data;
}

/** Sends an event as a browser does, without a key. */
export function send(api: ApiClient, event: unknown, headers: Headers = {}): Promise<Answer> {
  return api.as(undefined).post(EVENTS, { json: event, headers: { 'User-Agent': CHROME, ...headers } });
}

/** The view of a website's first page. */
export function visit(
  api: ApiClient,
  { domain }: Pick<Site, 'domain'>,
  headers: Headers = {},
): Promise<Answer> {
  return send(api, { url: `https://${domain}/` }, headers);
}

export const ACCEPTED = [202, null];
export const droppedFor = (reason: string) => [202, reason];
/** How an event was taken, to be compared with the two above. */
export const taken = (answer: Answer) => [answer.status, answer.headers.get('Milepost-Dropped')];

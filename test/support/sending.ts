import { randomUUID } from 'node:crypto';
import type { EventVerdict } from '../../src/intake/events/rejected-events';
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

/** A new website for a test. */
export async function website(api: ApiClient, fields: object = {}): Promise<Site> {
  const form = { domain: `site${++sites}.example.com`, ...fields };
  const headers = { 'Idempotency-Key': randomUUID() };
  for (;;) {
    const { status, body } = await api.post(WEBSITES, { form, headers });
    if (status === 201 || status === 200) return body.data;
    // A busy machine requests a retry, which the key makes safe.
    if (status !== 503) throw new Error(`${status}: ${JSON.stringify(body)}`);
  }
}

/** Sends an event like a browser, without a key. */
export function send(api: ApiClient, event: unknown, headers: Headers = {}): Promise<Answer> {
  return api.as(undefined).post(EVENTS, { json: event, headers: { 'User-Agent': CHROME, ...headers } });
}

/** Sends events like a server, by default from one visitor to the first page. Returns their verdicts. */
export async function sendBatch(
  api: ApiClient,
  { id, domain }: Site,
  events: object[],
): Promise<EventVerdict[]> {
  const sent = events.map((event) => ({
    id: randomUUID(),
    url: `https://${domain}/`,
    ip: '203.0.113.7',
    user_agent: CHROME,
    ...event,
  }));
  for (;;) {
    const { status, body } = await api.post(`${WEBSITES}/${id}/events`, { json: { events: sent } });
    if (status === 202) return body.data;
    // A busy machine requests a retry, which ids make safe.
    if (status !== 503) throw new Error(`${status}: ${JSON.stringify(body)}`);
  }
}

/** The same, but fails unless all events are accepted. */
export async function record(api: ApiClient, site: Site, events: object[]): Promise<void> {
  const verdicts = await sendBatch(api, site, events);
  const refused = verdicts.filter(({ status }) => status !== 'accepted' && status !== 'duplicate');
  if (refused.length > 0) throw new Error(`not accepted: ${JSON.stringify(refused)}`);
}

/** A view of a website's first page. */
export function visit(
  api: ApiClient,
  { domain }: Pick<Site, 'domain'>,
  headers: Headers = {},
): Promise<Answer> {
  return send(api, { url: `https://${domain}/` }, headers);
}

export const ACCEPTED = [202, null];
export const droppedFor = (reason: string) => [202, reason];
/** The result of an event, for comparison with the constants above. */
export const taken = (answer: Answer) => [answer.status, answer.headers.get('Milepost-Dropped')];

import { dayText } from '../../engine/ground/time/days';
import { CHROME, IPHONE } from './agents';
import type { ApiClient } from './api-client';
import { untilCounted } from './counted';
import { TODAY } from './counting';
import { record, type Site } from './sending';

/** A hit of a visitor at a minute of yesterday: a path, or the name of an event. */
export type SentHit = [visitor: number, minute: number, what: string];

export const YESTERDAY = dayText(TODAY - 1);
/** Events may be 47 hours old, and this is not longer ago before the day is over. */
const BEGIN = Date.parse(`${YESTERDAY}T02:00:00Z`);
/** A minute of the hits. */
export const momentOf = (minute: number) => new Date(BEGIN + 60_000 * minute).toISOString();

/** Sends hits in their order, to a service whose time zone is UTC. The first visitor has a phone. */
export async function sendPaths(api: ApiClient, site: Site, hits: SentHit[]): Promise<void> {
  const events = hits.map(([visitor, minute, what]) => ({
    url: `https://${site.domain}${what.startsWith('/') ? what : '/elsewhere'}`,
    ip: `203.0.113.${visitor}`,
    user_agent: visitor === 1 ? IPHONE : CHROME,
    occurred_at: momentOf(minute),
    ...(!what.startsWith('/') && { event: { name: what } }),
  }));
  await record(api, site, events);
  await untilCounted(api, site.id);
}

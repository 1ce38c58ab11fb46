import { CHROME, FIREFOX, IPHONE } from './agents';
import type { ApiClient } from './api-client';
import { untilCounted } from './counted';
import { record, type Site, website } from './sending';

const HOUR_MS = 3_600_000;
const NOW = Date.now();

/** A moment of yesterday or today, in hours relative to noon; the service's zone is one in which it is noon. */
export const at = (day: 'yesterday' | 'today', hours: number) =>
  new Date(NOW + (day === 'yesterday' ? -24 : 0) * HOUR_MS + hours * HOUR_MS).toISOString();

const VISITORS = {
  american: { ip: '8.8.8.8', user_agent: CHROME, language: 'en-US', screen: '1920x1080' },
  dutch: { ip: '193.0.6.139', user_agent: IPHONE, language: 'nl', screen: '390x844' },
  unknown: { ip: '203.0.113.7', user_agent: FIREFOX },
};

export interface Sent {
  by: keyof typeof VISITORS;
  path: string;
  occurred_at: string;
  referrer?: string;
  event?: { name: string; props?: object; value?: string; currency?: string };
  /** In front of the website's domain. */
  subdomain?: string;
}

/** One visit of the American with an event, single-page visits of the Dutch and another; the American returns. */
export const VISITS: Sent[] = [
  { by: 'american', path: '/', occurred_at: at('yesterday', -2), referrer: 'https://google.com/' },
  { by: 'american', path: '/pricing', occurred_at: at('yesterday', -1.9) },
  { by: 'american', path: '/pricing', occurred_at: at('yesterday', -1.8), event: { name: 'signup' } },
  { by: 'american', path: '/Docs', occurred_at: at('yesterday', 1) },
  { by: 'dutch', path: '/?utm_campaign=Spring', occurred_at: at('yesterday', -1) },
  { by: 'unknown', path: '/a;b,c%25', occurred_at: at('yesterday', 0), referrer: 'https://news.example/' },
  { by: 'american', path: '/', occurred_at: at('today', -1) },
];

export async function sendVisits(api: ApiClient, site: Site, visits: Sent[]): Promise<void> {
  const events = visits.map(({ by, path, subdomain = '', ...event }) => ({
    url: `https://${subdomain}${site.domain}${path}`,
    ...VISITORS[by],
    ...event,
  }));
  await record(api, site, events);
  await untilCounted(api, site.id);
}

export async function visitedWebsite(api: ApiClient): Promise<Site> {
  const site = await website(api);
  await sendVisits(api, site, VISITS);
  return site;
}

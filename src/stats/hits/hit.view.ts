import { decimalOf } from '../../storage/amount';
import type { Hit } from '../../storage/hit';

/** A hit in the words of the statistics. */
export function hitView(hit: Hit, day: string, visitor: number | null) {
  return {
    occurred_at: `${new Date(hit.at * 1000).toISOString().slice(0, -'.000Z'.length)}Z`,
    day,
    visitor,
    event: hit.event,
    hostname: hit.hostname,
    page: hit.page,
    referrer: hit.referrer,
    referrer_page: hit.referrerPage,
    campaign: hit.campaign,
    source: hit.source,
    medium: hit.medium,
    term: hit.term,
    content: hit.content,
    click_id: hit.clickId,
    browser: hit.browser,
    browser_version: hit.browserVersion,
    operating_system: hit.operatingSystem,
    operating_system_version: hit.operatingSystemVersion,
    device: hit.device,
    language: hit.language,
    screen_resolution: hit.screen,
    continent: hit.continent,
    country: hit.country,
    city: hit.city,
    props: hit.properties && Object.fromEntries(hit.properties),
    value: hit.value && decimalOf(hit.value),
    currency: hit.currency,
  };
}

export type HitView = ReturnType<typeof hitView>;

export const HIT_COLUMNS = [
  'occurred_at',
  'day',
  'visitor',
  'event',
  'hostname',
  'page',
  'referrer',
  'referrer_page',
  'campaign',
  'source',
  'medium',
  'term',
  'content',
  'click_id',
  'browser',
  'browser_version',
  'operating_system',
  'operating_system_version',
  'device',
  'language',
  'screen_resolution',
  'continent',
  'country',
  'city',
  'props',
  'value',
  'currency',
] as const satisfies (keyof HitView)[];

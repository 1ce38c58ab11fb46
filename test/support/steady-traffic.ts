import { createHash } from 'node:crypto';
import { NO_HIT, type Hit } from '../../engine/hits/hit';

const DAY_S = 86_400;
const PLACES = [
  { country: 'US', continent: 'NA', city: 'Austin, Texas, US', language: 'en-US' },
  { country: 'DE', continent: 'EU', city: 'Berlin, Berlin, DE', language: 'de-DE' },
  { country: 'FR', continent: 'EU', city: 'Paris, Ile-de-France, FR', language: 'fr-FR' },
  { country: 'GB', continent: 'EU', city: 'London, England, GB', language: 'en-GB' },
  { country: 'JP', continent: 'AS', city: 'Tokyo, Tokyo, JP', language: 'ja-JP' },
  { country: 'BR', continent: 'SA', city: 'São Paulo, São Paulo, BR', language: 'pt-BR' },
  { country: 'IN', continent: 'AS', city: 'Bengaluru, Karnataka, IN', language: 'en-IN' },
];
const AGENTS = [
  { browser: 'Chrome', operatingSystem: 'Windows', device: 'desktop', screen: '1920x1080' },
  { browser: 'Safari', operatingSystem: 'iOS', device: 'mobile', screen: '390x844' },
  { browser: 'Firefox', operatingSystem: 'Linux', device: 'desktop', screen: '2560x1440' },
  { browser: 'Chrome', operatingSystem: 'Android', device: 'mobile', screen: '412x915' },
  { browser: 'Edge', operatingSystem: 'Windows', device: 'desktop', screen: '1536x864' },
];
const PAGES = [
  '/',
  '/pricing',
  '/docs/getting-started',
  '/blog/introducing-version-2',
  '/features',
  '/about',
];
const REFERRERS = [null, 'google.com', null, 'news.ycombinator.com', 'github.com', 'com.slack', 'bing.com'];
const CAMPAIGNS = [null, null, null, 'spring-sale', null, 'newsletter'];
const EVENTS = ['signup', 'download', 'purchase'];

/** A number below `size` that is the same at each run. */
function chosen(size: number, ...of: (string | number)[]): number {
  return createHash('sha256').update(of.join(' ')).digest().readUInt32LE(0) % size;
}

/** Smaller numbers are more frequent. */
function often(size: number, ...of: (string | number)[]): number {
  return chosen(1 + chosen(size, 'first', ...of), 'second', ...of);
}

/** The hits of a day, the same at each run: some hundred visitors, fewer on weekends, more from week to week. */
export function steadyHitsOn(day: number): Hit[] {
  const isWeekend = (day + 3) % 7 >= 5;
  const visitors = (isWeekend ? 60 : 110) + chosen(30, 'visitors', day) + (Math.floor(day / 7) % 20);
  return Array.from({ length: visitors }, (_, visitor) => visitOf(day, visitor)).flat();
}

function visitOf(day: number, visitor: number): Hit[] {
  const of = (size: number, what: string) => often(size, what, day, visitor);
  const campaign = CAMPAIGNS[of(CAMPAIGNS.length, 'campaign')]!;
  const first: Hit = {
    ...NO_HIT,
    day,
    at: DAY_S * day + chosen(DAY_S - 4000, 'at', day, visitor),
    visitor: createHash('sha256').update(`${day} ${visitor}`).digest().subarray(0, 8).toString('base64url'),
    page: PAGES[of(PAGES.length, 'page')]!,
    referrer: REFERRERS[of(REFERRERS.length, 'referrer')]!,
    campaign,
    ...(campaign !== null && { source: 'newsletter', medium: 'email' }),
    ...AGENTS[of(AGENTS.length, 'agent')]!,
    ...PLACES[of(PLACES.length, 'place')]!,
    hostname: 'example.com',
  };
  const more = Array.from({ length: of(5, 'pages') }, (_, index): Hit => ({
    ...first,
    at: first.at + 40 * (index + 1),
    page: PAGES[often(PAGES.length, 'page', day, visitor, index)]!,
    referrer: null,
    campaign: null,
    source: null,
    medium: null,
  }));
  const event = EVENTS[chosen(8, 'event', day, visitor)];
  if (event === undefined) return [first, ...more];
  const isSold = event === 'purchase';
  return [
    first,
    ...more,
    {
      ...(more.at(-1) ?? first),
      event,
      properties: [['plan', ['free', 'team', 'business'][of(3, 'plan')]!]],
      ...(isSold && { value: '490000', currency: 'EUR' }),
    },
  ];
}

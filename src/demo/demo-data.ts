/** Networks in large cities with the local language, the most frequent first. */
export const CITIES: readonly (readonly [network: string, language: string])[] = [
  ['155.134.46', 'en-GB'],
  ['169.99.180', 'en-US'],
  ['77.10.188', 'de-DE'],
  ['34.155.140', 'fr-FR'],
  ['20.113.199', 'de-DE'],
  ['168.151.86', 'en-US'],
  ['20.31.197', 'nl-NL'],
  ['126.234.131', 'ja-JP'],
  ['62.128.2', 'de-DE'],
  ['16.53.29', 'en-CA'],
  ['122.182.231', 'en-IN'],
  ['70.156.203', 'es-ES'],
  ['124.182.251', 'en-AU'],
  ['96.3.206', 'en-US'],
  ['192.106.79', 'it-IT'],
  ['193.235.248', 'sv-SE'],
  ['62.146.174', 'pl-PL'],
  ['56.161.64', 'en-US'],
  ['47.237.72', 'en-SG'],
  ['80.120.176', 'de-AT'],
  ['169.42.192', 'de-CH'],
  ['52.146.221', 'en-IE'],
  ['62.249.21', 'pt-PT'],
  ['200.52.119', 'es-MX'],
  ['86.248.36', 'fr-FR'],
  ['121.160.10', 'ko-KR'],
  ['77.66.41', 'da-DK'],
  ['148.140.95', 'nb-NO'],
  ['78.80.155', 'cs-CZ'],
  ['139.10.61', 'nl-BE'],
  ['40.127.92', 'en-AU'],
  ['163.195.26', 'en-ZA'],
  ['186.13.151', 'es-AR'],
  ['193.208.143', 'fi-FI'],
];

/** The most viewed pages, the most frequent first. */
export const PAGES = [
  '/',
  '/pricing',
  '/docs/getting-started',
  '/blog/introducing-version-2',
  '/features',
  '/blog/self-hosting-in-ten-minutes',
  '/docs/installation',
  '/about',
  '/docs/api',
  '/blog',
  '/customers',
  '/changelog',
  '/docs/configuration',
  '/blog/why-we-dropped-cookies',
  '/contact',
  '/docs/upgrading',
  '/integrations/wordpress',
  '/signup',
  '/blog/what-we-learned-from-our-first-outage',
  '/careers',
  '/docs/webhooks',
  '/security',
  '/docs/backup-and-restore',
  '/integrations/shopify',
  '/privacy',
  '/help/billing',
  '/docs/command-line',
  '/help/reset-password',
  '/blog/a-faster-dashboard',
  '/compare',
];

const TOPICS = ['analytics', 'privacy', 'performance', 'reports', 'dashboards', 'exports', 'alerts', 'teams'];
const KINDS = ['guide', 'recipe', 'case-study', 'interview', 'checklist', 'benchmark', 'tutorial'];
const SECTIONS = ['blog', 'docs', 'help', 'forum', 'customers'];

/** One of many rarely viewed pages. */
export function rarePage(rank: number): string {
  const section = SECTIONS[rank % SECTIONS.length];
  return `/${section}/${TOPICS[rank % TOPICS.length]}-${KINDS[rank % KINDS.length]}-${rank}`;
}

import { type ListedName, listedNames } from '../../engine/questions/listed-names';
import { type Metric, METRICS } from '../../engine/questions/plan/metrics';

const OF_FIRST_HIT = 'by their first hit of the day';

/** The meaning of each name, in the words of docs/counting.md and docs/api.md. */
const EXPLANATIONS: Record<ListedName['name'], string> = {
  browser: `Visitors of the day with a browser, ${OF_FIRST_HIT}.`,
  browser_version: `Visitors of the day with a browser and its major version, ${OF_FIRST_HIT}.`,
  campaign: 'Visitors of the day who came with a utm_campaign, once for each.',
  channel:
    'Visitors of the day who came through a channel (Search, Mail, Paid Search, …), once for each; Direct where their first hit brings nothing.',
  city: `Visitors of the day in a city (as "City, Region, CC"), ${OF_FIRST_HIT}.`,
  content: 'Visitors of the day who came with a utm_content, once for each.',
  continent: `Visitors of the day on a continent (two letters), ${OF_FIRST_HIT}.`,
  country: `Visitors of the day in a country (ISO 3166-1), ${OF_FIRST_HIT}.`,
  currency: 'Events with a value in a currency (ISO 4217).',
  device: `Visitors of the day with a kind of device (desktop, mobile, tablet, …), ${OF_FIRST_HIT}.`,
  dropped:
    'Events that were not counted, by the reason: bot, ip (an excluded address), origin (a page that may not send for the website), opt-out.',
  event: 'How often a custom event of this name was sent.',
  goal: 'The goals of the website that a hit reaches, by their names; a hit may reach several. list_goals lists them.',
  hostname: 'Page views on a host.',
  language: `Visitors of the day with a language (BCP 47), ${OF_FIRST_HIT}.`,
  medium: 'Visitors of the day who came with a utm_medium, once for each.',
  operating_system: `Visitors of the day with an operating system, ${OF_FIRST_HIT}.`,
  operating_system_version: `Visitors of the day with an operating system and its major version, ${OF_FIRST_HIT}.`,
  page: 'Page views of a path with what remains of its query.',
  pageview: 'Page views of a day.',
  referrer:
    'Visitors of the day who came from a host, once for each; (direct) if their first hit has no referrer.',
  referrer_page: 'Visitors of the day who came from a page (host and path), counted as referrer.',
  region: `Visitors of the day in a region (as "Region, CC"), ${OF_FIRST_HIT}.`,
  screen_resolution: `Visitors of the day with a screen of this size, ${OF_FIRST_HIT}.`,
  source: 'Visitors of the day who came with a utm_source, once for each.',
  term: 'Visitors of the day who came with a utm_term, once for each.',
  visitor: 'Unique visitors of a day.',
  event_properties: 'Events with these properties: a JSON list of their names, in order.',
  'event_property:NAME': 'Events with a property of this name, by its text.',
  entry_page: 'Visits, by the first page that is viewed.',
  exit_page: 'Visits, by the last page that is viewed.',
  hour: 'The hour of a hit, like 2026-10-25T02:00+02:00, in the zone of the service.',
  day: 'The day of a hit.',
  week: 'The ISO week of a hit, like 2026-W43.',
  month: 'The month of a hit, like 2026-10.',
  weekday: 'The day of the week of a hit, from 1 (Monday) to 7.',
  hour_of_day: 'The hour of the day of a hit, from 0 to 23.',
};

/** The meaning of each metric. */
const METRIC_EXPLANATIONS: Record<Metric, string> = {
  visitors: 'Visitors of a day, added up over days.',
  pageviews: 'Page views.',
  events: 'Events.',
  visits: 'Hits of one visitor of a day with no pause over 30 minutes.',
  bounces: 'Visits of one page view and no event, passive events aside.',
  seconds: 'The seconds from the first to the last hit of each visit, added up; passive events aside.',
  bounce_rate: 'bounces by visits, from 0 to 1; null without visits.',
  visit_duration: 'seconds by visits; null without visits.',
  value:
    'The values of events added up, as a decimal text, or of the conversions of a goal with a value of its own; null over several currencies, unless a filter is about them.',
  views_per_visit: 'pageviews by visits; null without visits.',
  conversions: 'Hits that reach a goal: that of the row, those that the filters name, or any of the website.',
  converters: 'Visitors of a day with a conversion, added up over days.',
  all_visitors:
    'Visitors of a day whom the filters select without their conditions on goals, converters or not, added up over days.',
  conversion_rate: 'converters by all_visitors, from 0 to 1; null without visitors.',
};

const HOW_TO_READ = [
  'Statistics and summaries take the names with "statistic", filters and the dimensions of queries those with "filterable".',
  'A visitor is one browser on one website on one day: over a range, a visitor on two days counts twice.',
  'The entries of browser, operating_system, device, language, screen_resolution, continent, country and city each add up to those of visitor, those of page to those of pageview.',
  '(unknown) stands for an unknown value, (other) for values beyond the limit; meta.warnings then says so.',
];

/** All names and metrics with their meanings. */
export function explainNames() {
  const names = listedNames().map((listed) => ({ ...listed, explanation: EXPLANATIONS[listed.name] }));
  const metrics = METRICS.map((name) => ({ name, explanation: METRIC_EXPLANATIONS[name] }));
  return { names, metrics, how_to_read: HOW_TO_READ };
}

import { DIMENSIONS, STAT_NAMES, type StatName } from '../storage/dimensions';

const OF_FIRST_HIT = 'by their first hit of the day';

/** How each name counts, in the words of docs/counting.md. */
const EXPLANATIONS: Record<StatName, string> = {
  browser: `Visitors of the day with a browser, ${OF_FIRST_HIT}.`,
  campaign: 'Visitors of the day who came with a utm_campaign, once for each.',
  city: `Visitors of the day in a city (as "City, Region, CC"), ${OF_FIRST_HIT}.`,
  continent: `Visitors of the day on a continent (two letters), ${OF_FIRST_HIT}.`,
  country: `Visitors of the day in a country (ISO 3166-1), ${OF_FIRST_HIT}.`,
  device: `Visitors of the day with a kind of device (desktop, mobile, tablet, …), ${OF_FIRST_HIT}.`,
  event: 'How often a custom event of this name was sent.',
  language: `Visitors of the day with a language (BCP 47), ${OF_FIRST_HIT}.`,
  operating_system: `Visitors of the day with an operating system, ${OF_FIRST_HIT}.`,
  page: 'Page views of a path with what remains of its query.',
  pageview: 'Page views of a day.',
  referrer:
    'Visitors of the day who came from a host, once for each; (direct) where their first hit brings none.',
  screen_resolution: `Visitors of the day with a screen of this size, ${OF_FIRST_HIT}.`,
  visitor: 'Unique visitors of a day.',
};

const HOW_TO_READ = [
  'A visitor is one browser on one website on one day: over a range of days, who comes on two days counts twice.',
  'The entries of browser, operating_system, device, language, screen_resolution, continent, country and city each add up to those of visitor, those of page to those of pageview.',
  '(unknown) stands where it cannot be told, (other) for values beyond those that are kept apart; meta.warnings then says so.',
];

/** All names, and how each counts. */
export function explainNames() {
  const names = STAT_NAMES.map((name) => {
    const { counts, days } = DIMENSIONS[name];
    return { name, counts, entries: days ? 'days' : 'values', explanation: EXPLANATIONS[name] };
  });
  return { names, how_to_read: HOW_TO_READ };
}

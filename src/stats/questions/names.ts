import type { ColumnName } from '../../storage/hit-columns';
import type { StatName } from '../../storage/dimensions';
import type { BucketName } from './buckets';

/** What has one value of a name, and where the value stands. */
type Asked =
  | { level: 'hit'; column: ColumnName }
  | { level: 'visitor'; column: ColumnName }
  /** The values that a visitor brings in a day, each of its hits one or none; `none` stands for a first hit without one. */
  | { level: 'brought'; column: ColumnName; none?: string }
  /** The first or the last page that is viewed in a visit. */
  | { level: 'visit'; column: ColumnName; which: 'first' | 'last' }
  | { level: 'moment'; bucket: BucketName };

const hit = (column: ColumnName): Asked => ({ level: 'hit', column });
const visitor = (column: ColumnName): Asked => ({ level: 'visitor', column });
const moment = (bucket: BucketName): Asked => ({ level: 'moment', bucket });

/** Each name that hits can be filtered and grouped by. Of the fourteen of the statistics, days are asked for as `day`. */
const STATS = {
  browser: visitor('browser'),
  campaign: { level: 'brought', column: 'campaign' },
  city: visitor('city'),
  continent: visitor('continent'),
  country: visitor('country'),
  device: visitor('device'),
  event: hit('event'),
  language: visitor('language'),
  operating_system: visitor('operating_system'),
  page: hit('page'),
  referrer: { level: 'brought', column: 'referrer', none: '(direct)' },
  screen_resolution: visitor('screen_resolution'),
} satisfies Record<Exclude<StatName, 'dropped' | 'pageview' | 'visitor'>, Asked>;

const OF_VISITS = {
  entry_page: { level: 'visit', column: 'page', which: 'first' },
  exit_page: { level: 'visit', column: 'page', which: 'last' },
} satisfies Record<string, Asked>;

const OF_MOMENTS = {
  hour: moment('hour'),
  day: moment('day'),
  week: moment('week'),
  month: moment('month'),
  weekday: moment('weekday'),
  hour_of_day: moment('hour_of_day'),
} satisfies Record<BucketName, Asked>;

const ALL = { ...STATS, ...OF_VISITS, ...OF_MOMENTS };

export type AskedName = keyof typeof ALL;
export const ASKED: Record<AskedName, Asked> = ALL;
export const ASKED_NAMES = Object.keys(ALL) as AskedName[];

export function isAskedName(name: unknown): name is AskedName {
  return typeof name === 'string' && Object.hasOwn(ASKED, name);
}

/** Whether a dimension is a series: its values have an order of their own, and empty ones are shown. */
export function isMoment(name: AskedName): boolean {
  return ASKED[name].level === 'moment';
}

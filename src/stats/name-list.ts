import { type CountedUnit, DIMENSIONS, STAT_NAMES, type StatName } from '../storage/dimensions';
import { ASKED, ASKED_NAMES, type AskedName, isAskedName, isMoment } from './questions/names';

export const LEVELS = ['hit', 'visitor', 'visit', 'moment'] as const;
export type Level = (typeof LEVELS)[number];

export interface ListedName {
  name: StatName | AskedName;
  level: Level;
  counts: CountedUnit | 'visits' | null;
  statistic: boolean;
  filterable: boolean;
  collected_since: string | null;
}

const LEVEL_OF = {
  hit: 'hit',
  visitor: 'visitor',
  brought: 'visitor',
  visit: 'visit',
  moment: 'moment',
} as const satisfies Record<(typeof ASKED)[AskedName]['level'], Level>;

/** Each name, with what it can be used for. All are collected from a website's first event on. */
export function listedNames(): ListedName[] {
  return [...new Set([...STAT_NAMES, ...ASKED_NAMES])].map((name) => ({
    name,
    level: levelOf(name),
    counts: countsOf(name),
    statistic: isStatistic(name),
    filterable: isAskedName(name),
    collected_since: null,
  }));
}

function levelOf(name: ListedName['name']): Level {
  if (isAskedName(name)) return LEVEL_OF[ASKED[name].level];
  return name === 'dropped' ? 'hit' : 'moment';
}

/** The names whose values a filter box can offer. */
export const CHOOSABLE_NAMES = ASKED_NAMES.filter((name) => !isMoment(name));

/** The statistic that has the values of a name: those of an entry page are pages. */
export function statisticOf(name: AskedName): StatName {
  const asked = ASKED[name];
  if (asked.level === 'moment' || !isStatistic(asked.column)) throw new Error(`${name} has no counters`);
  return asked.column;
}

function countsOf(name: StatName | AskedName): ListedName['counts'] {
  if (isStatistic(name)) return DIMENSIONS[name].counts;
  return ASKED[name].level === 'visit' ? 'visits' : null;
}

function isStatistic(name: string): name is StatName {
  return Object.hasOwn(DIMENSIONS, name);
}

import { DIMENSIONS, STAT_NAMES, type StatName } from '../hits/stat-names';
import { FILTER_NAMES, GOAL, isFilterName } from './parse/filter';
import type { BucketName } from './plan/buckets';
import {
  type QueryName,
  type EntryUnit,
  FIXED_NAMES,
  isQueryName,
  isMoment,
  originOf,
  type Wording,
  wordingOf,
} from './parse/names';

export const NAME_LEVELS = ['hit', 'visitor', 'visit', 'moment'] as const;
export type Level = (typeof NAME_LEVELS)[number];

/** A name whose values a filter box can offer. */
export type ChoosableName = Exclude<QueryName, BucketName>;
/** A name with statistics. */
export type EntryName = StatName | ChoosableName;

/** One entry stands for all properties of events. */
export const LISTED_NAMES = [...new Set([...STAT_NAMES, ...FILTER_NAMES])];
/** The names with statistics, as errors list them. */
export const ENTRY_NAMES = LISTED_NAMES.filter(
  (name) => name !== GOAL && !FIXED_NAMES.some((fixed) => fixed === name && isMoment(fixed)),
).sort();
export const CHOOSABLE_NAMES = ENTRY_NAMES.filter((name) => isQueryName(name));

export interface ListedName {
  name: (typeof LISTED_NAMES)[number];
  level: Level;
  counts: EntryUnit | null;
  statistic: boolean;
  filterable: boolean;
  /** The first day of its collection. */
  collected_since: string;
}

const LEVEL_OF = {
  hit: 'hit',
  visitor: 'visitor',
  acquisition: 'visitor',
  visit: 'visit',
  moment: 'moment',
} as const satisfies Record<ReturnType<typeof originOf>['level'], Level>;

/** All names and their uses. */
export function listedNames(): Omit<ListedName, 'collected_since'>[] {
  return LISTED_NAMES.map((name) => ({
    name,
    level: levelOf(name),
    counts: isEntryName(name) ? entriesOf(name).counts : null,
    statistic: isEntryName(name),
    filterable: isFilterName(name),
  }));
}

function levelOf(name: ListedName['name']): Level {
  if (isQueryName(name)) return LEVEL_OF[originOf(name).level];
  return name === 'dropped' || name === GOAL ? 'hit' : 'moment';
}

/** What a name means, in a sentence or two. */
export function explanationOf(name: ListedName['name']): string {
  if (isStatName(name)) return DIMENSIONS[name].explanation;
  if (isQueryName(name)) return originOf(name).explanation;
  return 'The goals of the website that a hit reaches, by their names; a hit may reach several. list_goals lists them.';
}

export function isEntryName(name: unknown): name is EntryName {
  return isStatName(name) || isChoosable(name);
}

export function isChoosable(name: unknown): name is ChoosableName {
  return isQueryName(name) && !isMoment(name);
}

/** Tells whether rollups have the name: one of the fourteen, or `dropped`. */
export function isStatName(name: unknown): name is StatName {
  return typeof name === 'string' && Object.hasOwn(DIMENSIONS, name);
}

/** What one entry of a name counts, and how its values are worded. */
export function entriesOf(name: EntryName): Wording & { days?: true } {
  return isStatName(name) ? DIMENSIONS[name] : wordingOf(name)!;
}

/** The plain name with the same values: an entry page is a page. */
export function statNameOf(name: QueryName): StatName | undefined {
  const origin = originOf(name);
  return origin.level !== 'moment' && isStatName(origin.values) ? origin.values : undefined;
}

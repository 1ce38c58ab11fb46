import { DIMENSIONS, STAT_NAMES, type StatName } from '../storage/stat-names';
import type { BucketName } from './queries/plan/buckets';
import {
  QUERY_NAMES,
  type QueryName,
  type EntryUnit,
  FIXED_NAMES,
  isQueryName,
  isMoment,
  placeOf,
  type Wording,
  wordingOf,
} from './queries/parse/names';

export const LEVELS = ['hit', 'visitor', 'visit', 'moment'] as const;
export type Level = (typeof LEVELS)[number];

/** Each name whose values a filter box can offer. */
export type ChoosableName = Exclude<QueryName, BucketName>;
/** Each name that has statistics. */
export type EntryName = StatName | ChoosableName;

/** A property of events stands for those of any name. */
export const ALL_NAMES = [...new Set([...STAT_NAMES, ...QUERY_NAMES])];
/** The names of statistics, as an error lists them. */
export const ENTRY_NAMES = ALL_NAMES.filter(
  (name) => !FIXED_NAMES.some((fixed) => fixed === name && isMoment(fixed)),
).sort();
export const CHOOSABLE_NAMES = ENTRY_NAMES.filter((name) => isQueryName(name));

export interface ListedName {
  name: (typeof ALL_NAMES)[number];
  level: Level;
  counts: EntryUnit | null;
  statistic: boolean;
  filterable: boolean;
  /** The first day on which it was collected. */
  collected_since: string;
}

const LEVEL_OF = {
  hit: 'hit',
  visitor: 'visitor',
  acquisition: 'visitor',
  visit: 'visit',
  moment: 'moment',
} as const satisfies Record<ReturnType<typeof placeOf>['level'], Level>;

/** Each name, with what it can be used for. */
export function listedNames(): Omit<ListedName, 'collected_since'>[] {
  return ALL_NAMES.map((name) => ({
    name,
    level: levelOf(name),
    counts: isEntryName(name) ? entriesOf(name).counts : null,
    statistic: isEntryName(name),
    filterable: isQueryName(name),
  }));
}

function levelOf(name: ListedName['name']): Level {
  if (isQueryName(name)) return LEVEL_OF[placeOf(name).level];
  return name === 'dropped' ? 'hit' : 'moment';
}

export function isEntryName(name: unknown): name is EntryName {
  return isStatName(name) || isChoosable(name);
}

export function isChoosable(name: unknown): name is ChoosableName {
  return isQueryName(name) && !isMoment(name);
}

/** Whether it is one of the fourteen names, which rollups have. */
export function isStatName(name: unknown): name is StatName {
  return typeof name === 'string' && Object.hasOwn(DIMENSIONS, name);
}

/** What one entry of a name counts, and how its values are worded. */
export function entriesOf(name: EntryName): Wording & { days?: true } {
  return isStatName(name) ? DIMENSIONS[name] : wordingOf(name)!;
}

/** Which of the fourteen names has the values of a name: those of an entry page are pages. */
export function statNameOf(name: QueryName): StatName | undefined {
  const place = placeOf(name);
  return place.level !== 'moment' && isStatName(place.values) ? place.values : undefined;
}

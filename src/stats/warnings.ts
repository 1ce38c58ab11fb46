import { dayText } from '../../engine/ground/time/days';
import type { StatName } from '../../engine/hits/stat-names';
import { OTHER } from '../../engine/hits/rules/value-limits';
import type { QueryName } from '../../engine/questions/parse/names';

export const WARNING_CODES = [
  'values_merged',
  'kept_since',
  'collected_since',
  'cut_to_seconds',
  'several_currencies',
  'rows_overlap',
  'today_left_out',
  'small_numbers_grouped',
  'quiet_days_left_out',
  'live_incomplete',
  'visitors_forgotten',
] as const;
type WarningCode = (typeof WARNING_CODES)[number];

/** A name that was not collected for some of the counted hits. */
export interface LateName {
  name: QueryName;
  since: number;
}

/** A warning for the reader of an answer. */
export interface Warning {
  code: WarningCode;
  detail: string;
}

/** One for each name with merged values on some days. */
export function mergedWarnings(names: { name: StatName; days: number }[]): Warning[] {
  return names
    .filter(({ days }) => days > 0)
    .map(({ name, days }) => ({
      code: 'values_merged',
      detail: `On ${days} of the days, ${name} had more values than the limit; the rarest are counted as ${OTHER}.`,
    }));
}

/** The circumstances of a query that need a warning. */
interface Met {
  /** The first day with stored hits, if the range begins before it. */
  availableFrom: number | undefined;
  /** Names that were not collected for some hits. */
  late?: LateName[];
  /** Tells whether a website has more distinct texts than a query may hold in memory. */
  isMerged: boolean;
  /** Days with visitors who were forgotten too early. */
  forgotten: readonly number[];
  isCut?: boolean;
  /** Set if values of several currencies are in one row. */
  currencies?: { areAdded: boolean } | undefined;
  /** Tells whether rows have the values of goals in several currencies. */
  areGoalsInSeveral?: boolean;
  overlaps?: boolean;
}

const CUT: Warning = {
  code: 'cut_to_seconds',
  detail: 'Hits are stored by the second, so both ends of the range are cut to seconds.',
};
const OVERLAPS: Warning = {
  code: 'rows_overlap',
  detail:
    'A visitor counts in each row with one of their hits, so the rows may add up to more than the number of visitors.',
};
const ADDED: Warning = {
  code: 'several_currencies',
  detail: 'Values in different currencies are summed because the query filters by them.',
};
const NOT_ADDED: Warning = {
  code: 'several_currencies',
  detail:
    'Values in different currencies are not summed; the result is null. Group by currency, or filter by one.',
};
const OF_GOALS: Warning = {
  code: 'several_currencies',
  detail: 'The values of goals are in different currencies, each of them in that of goal_currencies.',
};
export const LEFT_OUT: Warning = {
  code: 'today_left_out',
  detail:
    'Today is not over: its visitors and page views are rounded down to tens, and its other numbers are left out.',
};
export const QUIET_LEFT_OUT: Warning = {
  code: 'quiet_days_left_out',
  detail:
    'Details are shown of whole blocks of days with 10 or more visitors. A row with visitors outside of its whole blocks has null, except for visitors and page views.',
};
export const SMALL_GROUPED: Warning = {
  code: 'small_numbers_grouped',
  detail: `Days outside of the whole blocks of the range, and values that were counted fewer than 3 times in these blocks, are counted as ${OTHER}.`,
};
const MERGED: Warning = {
  code: 'values_merged',
  detail: `There are more distinct values, or combinations of them, than the limit of a query; the others are counted as ${OTHER}.`,
};

export function queryWarnings({
  availableFrom,
  late = [],
  isMerged,
  forgotten,
  isCut = false,
  currencies,
  areGoalsInSeveral = false,
  overlaps = false,
}: Met): Warning[] {
  return [
    ...(availableFrom === undefined ? [] : [hitsAvailableFrom(availableFrom)]),
    ...late.map(collectedSince),
    ...(isMerged ? [MERGED] : []),
    ...forgottenWarnings(forgotten),
    ...(isCut ? [CUT] : []),
    ...(currencies ? [currencies.areAdded ? ADDED : NOT_ADDED] : []),
    ...(areGoalsInSeveral ? [OF_GOALS] : []),
    ...(overlaps ? [OVERLAPS] : []),
  ];
}

function hitsAvailableFrom(day: number): Warning {
  return {
    code: 'kept_since',
    detail: `Hits are available since ${dayText(day)}; earlier hits are not counted.`,
  };
}

/** For days with visitors who were forgotten too early. */
export function forgottenWarnings(days: readonly number[]): Warning[] {
  return days.length > 0 ? [visitorsForgotten([...new Set(days)])] : [];
}

function visitorsForgotten(days: readonly number[]): Warning {
  const first = dayText(Math.min(...days));
  const words = days.length === 1 ? `On ${first}` : `On ${days.length} days, the first one ${first},`;
  return {
    code: 'visitors_forgotten',
    detail: `${words} visitors had to be forgotten before their day was sealed, so a visitor may count several times.`,
  };
}

function collectedSince({ name, since }: LateName): Warning {
  return {
    code: 'collected_since',
    detail: `${name} is collected since ${dayText(since)}; earlier hits have no value.`,
  };
}

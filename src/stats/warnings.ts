import { dayText } from '../common/days';
import type { Span } from '../storage/calendar';
import type { StatName } from '../storage/dimensions';
import { OTHER } from '../storage/value-limits';
import type { LateName } from './collected-names';
import type { Snapshot } from './snapshot';

export const WARNING_CODES = [
  'values_merged',
  'kept_since',
  'collected_since',
  'cut_to_seconds',
  'several_currencies',
  'rows_overlap',
  'few_visitors',
  'live_incomplete',
  'live_sampled',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

/** What a reader of an answer has to know about its numbers. */
export interface Warning {
  code: WarningCode;
  detail: string;
}

/** One for each name of which one of the ranges has values that were counted together; part of `meta`, absent without any. */
export async function warningsOf(
  snapshot: Snapshot,
  names: StatName[],
  ranges: Span[],
): Promise<{ warnings?: Warning[] }> {
  const warnings: Warning[] = [];
  for (const name of names) {
    let days = 0;
    for (const range of ranges) days += await snapshot.limitedDays(name, range);
    if (days === 0) continue;
    const detail = `On ${days} of the days ${name} had more new values than are kept apart; the further ones are counted together as ${OTHER}.`;
    warnings.push({ code: 'values_merged', detail });
  }
  return warnings.length === 0 ? {} : { warnings };
}

/** What a question met. */
interface Met {
  /** The first day whose hits are kept, where the range begins before it. */
  keptFrom: number | undefined;
  /** Names that some of the hits came before. */
  late?: LateName[];
  /** Whether a website has more different texts than a question may keep in memory. */
  isMerged: boolean;
  isCut?: boolean;
  /** Whether days stand in the place of hours. */
  isByDays?: boolean;
  /** Where values of several currencies meet in a row. */
  currencies?: { areAdded: boolean } | undefined;
  overlaps?: boolean;
}

const CUT: Warning = {
  code: 'cut_to_seconds',
  detail: 'Hits are kept by the second, so the range is cut to seconds.',
};
const OVERLAPS: Warning = {
  code: 'rows_overlap',
  detail:
    'A visitor of a day is counted in each row with a hit of it, so the rows may add up to more visitors than there were.',
};
const ADDED: Warning = {
  code: 'several_currencies',
  detail: 'Values in different currencies are summed, since the question filters by them.',
};
const NOT_ADDED: Warning = {
  code: 'several_currencies',
  detail:
    'Values in different currencies are not summed; the result is null. Group by currency, or filter by one.',
};
const BY_DAYS: Warning = {
  code: 'few_visitors',
  detail: 'Fewer than 10 visitors of a day are selected, so there are days in place of hours.',
};
const MERGED: Warning = {
  code: 'values_merged',
  detail: `There are more different values, or combinations of them, than a question can tell apart; further ones are taken together as ${OTHER}.`,
};

export function questionWarnings({
  keptFrom,
  late = [],
  isMerged,
  isCut = false,
  isByDays = false,
  currencies,
  overlaps = false,
}: Met): Warning[] {
  return [
    ...(keptFrom === undefined ? [] : [keptSince(keptFrom)]),
    ...late.map(collectedSince),
    ...(isMerged ? [MERGED] : []),
    ...(isCut ? [CUT] : []),
    ...(isByDays ? [BY_DAYS] : []),
    ...(currencies ? [currencies.areAdded ? ADDED : NOT_ADDED] : []),
    ...(overlaps ? [OVERLAPS] : []),
  ];
}

function keptSince(day: number): Warning {
  return {
    code: 'kept_since',
    detail: `Hits are kept since ${dayText(day)}; none before that day was counted.`,
  };
}

function collectedSince({ name, since }: LateName): Warning {
  return {
    code: 'collected_since',
    detail: `${name} is collected since ${dayText(since)}; hits that were accepted before have none.`,
  };
}

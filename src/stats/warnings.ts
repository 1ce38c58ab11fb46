import { dayText } from '../common/days';
import type { Span } from '../storage/calendar';
import type { StatName } from '../storage/dimensions';
import { OTHER } from '../storage/value-limits';
import type { Snapshot } from './snapshot';

/** What a reader of an answer has to know about its numbers. */
export interface Warning {
  code: 'values_merged' | 'kept_since';
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

/** Where hits of the range were removed, and their counters were not, or are soon. */
export function keptSince(day: number): Warning {
  return {
    code: 'kept_since',
    detail: `Hits are kept since ${dayText(day)}; none before that day was counted.`,
  };
}

/** Where a website has more different texts than a question may keep in memory. */
export function mergedTexts(): Warning {
  const detail = `The website has more different values than a question can tell apart; further ones are taken together as ${OTHER}.`;
  return { code: 'values_merged', detail };
}

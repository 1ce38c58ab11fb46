import { GOAL } from '../../../questions/parse/filter';
import { codeOfGoal } from '../../../questions/plan/hit-query';
import { NO_GOAL } from './keys-by-goal';
import type { Part } from '../../../questions/plan/query-parts';
import type { Scan } from '../scan';
import { setMultiple } from '../../../hits/value-sums';

/** Gives the rows of a query the counts of a part. `groups` are the rows by goal that are shown. */
export function addCopies(scan: Scan, { copies }: Part, from: Scan, groups: Uint32Array): void {
  const counts = copies.map(([to, own]) => {
    const ofPart = from.tally.countsOf(own)!;
    const haveSameRows =
      from.hitQuery === scan.hitQuery ||
      (from.keys === scan.keys && !scan.hitQuery.dimensions.includes(GOAL));
    return [to, haveSameRows ? ofPart : withoutGoal(scan, from, ofPart, groups)] as const;
  });
  for (const [to, own] of counts) scan.tally.set(to, own);
}

/** The counts of the rows with the same other values. */
function withoutGoal(
  { tally, keys, hitQuery: { dimensions } }: Scan,
  from: Scan,
  own: Float64Array,
  groups: Uint32Array,
): Float64Array {
  const others = [...dimensions.keys()].filter((index) => dimensions[index] !== GOAL);
  const codesOf = (group: number) =>
    from.keys === keys
      ? dimensions.map((name, index) => (name === GOAL ? NO_GOAL : keys.codeOf(group, index)))
      : others.map((index) => keys.codeOf(group, index));
  const counts = new Float64Array(Math.max(tally.size, 1 + (groups.at(-1) ?? 0)));
  for (const group of groups) {
    const known = from.keys.known(codesOf(group));
    if (known !== undefined) counts[group] = own[known] ?? 0;
  }
  return counts;
}

/** Sets the values of goals whose conversions all have the same value. */
export function setValuesOfGoals({ tally, keys, hitQuery: { dimensions, goals } }: Scan): void {
  const [highs, lows] = [tally.countsOf('value_high'), tally.countsOf('value_low')];
  if (!goals || !highs || !lows) return;
  const index = dimensions.indexOf(GOAL);
  const values = goals.list?.map(({ value }) => value) ?? [];
  for (const group of tally.counted()) {
    const value = index < 0 ? goals.value : values[keys.codeOf(group, index) - codeOfGoal(0)];
    if (value) setMultiple(highs, lows, group, tally.of('conversions', group), value);
  }
}

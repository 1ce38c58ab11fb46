import { inSteps } from '../../common/steps';
import { yieldIfNeeded } from '../../common/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { DIMENSIONS, type StatName } from '../dimensions';
import { Sums } from '../sums';
import { VALUE_LIMITS } from '../value-limits';
import { limitedCounts, maxValuesOfDay, type NameCounts } from './limited-counts';
import { RollupBuilder, type RollupKey, type RollupRow } from './rollup-format';
import { limitedBit } from './rollup-rows';
import { codedTexts, type TextWrite } from './text-rows';

export interface NewRollup extends RollupKey {
  /** Of the website's texts. */
  generation: number;
}

/** A rollup that is ready to be written; its texts have to be there by the time that its span is named. */
export interface PreparedRollup {
  isFull: false;
  rows: RollupRow[];
  /** The names of which values went to `(other)`, as `limitedBit` says. */
  limited: number;
  texts: TextWrite[];
}

/** Nothing can be written: these names would have too many texts. A new generation has to be begun. */
export interface FullTables {
  isFull: true;
  names: StatName[];
}

/** Makes the rollup of a day of what was counted on it. */
export async function preparedRollup(
  reader: Queryable,
  rollup: NewRollup,
  counts: Iterable<NameCounts>,
  limits = VALUE_LIMITS,
): Promise<PreparedRollup | FullTables> {
  const builder = new RollupBuilder(rollup);
  const texts: TextWrite[] = [];
  const full: StatName[] = [];
  let limited = 0;
  for (const ofName of counts) {
    const { name } = ofName;
    const kept = await inSteps(limitedCounts(ofName, maxValuesOfDay(limits)), yieldIfNeeded);
    if (kept.isLimited) limited |= limitedBit(name);
    const sums = new Sums();
    const writes = await addCounts(reader, rollup, { ...ofName, counts: kept.counts }, sums, limits.all);
    if (writes) texts.push(...writes);
    else full.push(name);
    builder.add(DIMENSIONS[name].code, sums);
    await yieldIfNeeded();
  }
  return full.length > 0
    ? { isFull: true, names: full }
    : { isFull: false, rows: builder.rows(), limited, texts };
}

/** Adds counts to those that are by code already; undefined where not all of them can have one. */
export async function addCounts(
  reader: Queryable,
  rollup: NewRollup,
  { name, texts, counts }: NameCounts,
  sums: Sums,
  maxTexts: number,
): Promise<TextWrite[] | undefined> {
  const coded = texts && (await codedTexts(reader, rollup, name, texts, counts, maxTexts));
  if (texts && !coded) return undefined;
  for (let code = 0; code < counts.length; code++)
    if (counts[code]! > 0) sums.add(coded ? coded.codes[code]! : code, counts[code]!);
  return coded?.writes ?? [];
}

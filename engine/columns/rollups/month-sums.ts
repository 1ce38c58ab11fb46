import { inSteps } from '../../ground/time/work-in-steps';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { monthOf } from '../../hits/calendar';
import type { StatName } from '../../hits/stat-names';
import { Sums } from '../../hits/sums';
import { VALUE_LIMITS, type ValueLimits } from '../../hits/rules/value-limits';
import { COUNTED_NAMES, type CountedName } from './counted-names';
import { bytesOfLists, type LimitedCounts, leaveOutNamesBeyond, emptyCountsOf } from './day-counts';
import { limitedCounts, maxValuesOfDay, type NameCounts } from './limits/other-values';
import { addSection, SPANS } from './rollup-format';
import { readRollups, readSpans } from './rollup-rows';
import { type FullTables, type NewRollup, type PreparedRollup, RollupInWork } from './rollup-writer';
import type { TextWrite } from './texts/text-rows';

/** The counts of a day without a rollup: of the first of some names, or of all. */
export type CountsOfDay<Day> = (day: Day, names: readonly CountedName[]) => Promise<NameCounts[]>;

/** The counts of a name on several days, and whether one of them exceeded the limit of values. */
interface CountedTogether extends LimitedCounts {
  isLimited: boolean;
}

export interface PreparedMonth extends PreparedRollup {
  hits: number;
}

/** Makes the rollup of a month from those of its days, and from the counts of days without one. */
export async function prepareMonth(
  reader: Queryable,
  rollup: NewRollup,
  small: { hits: number; counts: AsyncIterable<CountedTogether> },
  limits = VALUE_LIMITS,
  writeMany?: (texts: TextWrite[]) => Promise<void>,
  pause = yieldIfNeeded,
): Promise<PreparedMonth | FullTables> {
  const days = { from: rollup.day, to: monthOf(rollup.day, 1) - 1 };
  const spans = await readSpans(reader, rollup.websiteId, SPANS.day, days.from, days.to);
  const limited = spans.reduce((bits, span) => bits | span.limited, 0);
  const work = new RollupInWork(reader, rollup, limits, writeMany, pause, limited);
  for await (const { name, texts, sums, isCut, isLimited } of small.counts) {
    const stored = await sumsOfRollups(reader, rollup.websiteId, name, days, pause);
    await work.add({ name, texts, counts: sums.counts, isCut }, isLimited, stored);
  }
  const hits = spans.reduce((sum, span) => sum + span.hits, small.hits);
  const made = work.finish();
  return made.isFull ? made : { ...made, hits };
}

async function sumsOfRollups(
  reader: Queryable,
  websiteId: number,
  name: StatName,
  days: { from: number; to: number },
  pause: () => Promise<void>,
): Promise<Sums> {
  const sums = new Sums();
  for await (const sections of readRollups(reader, websiteId, name, { months: undefined, days: [days] }))
    for (const section of sections) {
      addSection(sums, section);
      await pause();
    }
  return sums;
}

/** The counts of several days with few hits, name by name. Together they keep as many values as one day. */
export async function* countTogether<Day>(
  days: readonly Day[],
  countsOf: CountsOfDay<Day>,
  limits: ValueLimits,
  maxBytes = bytesOfLists(0),
): AsyncGenerator<CountedTogether> {
  for (let left = COUNTED_NAMES; left.length > 0;) {
    const all = left.map((name): CountedTogether => ({ ...emptyCountsOf(name), isLimited: false }));
    for (const day of days) {
      const names = all.map(({ name }) => name);
      const counted = await countsOf(day, names);
      all.length = counted.length;
      for (const [index, own] of counted.entries()) await addLimited(all[index]!, own, limits);
      leaveOutNamesBeyond(all, maxBytes);
    }
    yield* all;
    left = left.slice(all.length);
  }
}

async function addLimited(all: CountedTogether, ofDay: NameCounts, limits: ValueLimits): Promise<void> {
  const { counts, isLimited } = await inSteps(limitedCounts(ofDay, maxValuesOfDay(limits)), yieldIfNeeded);
  all.isCut ||= ofDay.isCut === true;
  all.isLimited ||= isLimited || all.isCut;
  for (let code = 0; code < counts.length; code++)
    if (counts[code] !== 0)
      all.sums.add(all.texts ? all.texts.codeOf(ofDay.texts!.textOf(code)) : code, counts[code]!);
}

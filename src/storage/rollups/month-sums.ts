import { inSteps } from '../../common/steps';
import { yieldIfNeeded } from '../../common/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { monthOf } from '../calendar';
import { DIMENSIONS, type StatName, STAT_NAMES } from '../dimensions';
import { Sums } from '../sums';
import { VALUE_LIMITS, type ValueLimits } from '../value-limits';
import { limitedCounts, maxValuesOfDay, type NameCounts } from './limited-counts';
import { addSection, RollupBuilder, SPANS } from './rollup-format';
import { limitedBit, rollupsIn, spansIn } from './rollup-rows';
import { addCounts, type FullTables, type NewRollup, type PreparedRollup } from './rollup-writer';
import { TextList } from './text-list';
import type { TextWrite } from './text-rows';

/** What was counted on a day that has no rollup. */
export interface SmallDay {
  hits: number;
  counts: NameCounts[];
}

export interface PreparedMonth extends PreparedRollup {
  hits: number;
}

/** Makes the rollup of a month of those of its days, and of what was counted on its days without one. */
export async function preparedMonth(
  reader: Queryable,
  rollup: NewRollup,
  smallDays: readonly SmallDay[],
  limits = VALUE_LIMITS,
): Promise<PreparedMonth | FullTables> {
  const days = { from: rollup.day, to: monthOf(rollup.day, 1) - 1 };
  const spans = await spansIn(reader, rollup.websiteId, SPANS.day, days.from, days.to);
  let limited = spans.reduce((bits, span) => bits | span.limited, 0);
  const hits = [...spans, ...smallDays].reduce((sum, day) => sum + day.hits, 0);
  const builder = new RollupBuilder(rollup);
  const texts: TextWrite[] = [];
  const full: StatName[] = [];
  for (const name of STAT_NAMES) {
    const sums = new Sums();
    for await (const sections of rollupsIn(reader, rollup.websiteId, name, {
      months: undefined,
      days: [days],
    }))
      for (const section of sections) {
        addSection(sums, section);
        await yieldIfNeeded();
      }
    const small = await together(name, smallDays, limits);
    if (small.isLimited) limited |= limitedBit(name);
    const writes = small.counts && (await addCounts(reader, rollup, small.counts, sums, limits.all));
    if (writes) texts.push(...writes);
    else if (small.counts) full.push(name);
    builder.add(DIMENSIONS[name].code, sums);
    await yieldIfNeeded();
  }
  return full.length > 0
    ? { isFull: true, names: full }
    : { isFull: false, rows: builder.rows(), limited, texts, hits };
}

/** What several days counted under a name; undefined where that is nothing. */
async function together(
  name: StatName,
  days: readonly SmallDay[],
  limits: ValueLimits,
): Promise<{ counts: NameCounts | undefined; isLimited: boolean }> {
  const all = new TextList();
  const sums = new Sums();
  let [isEmpty, isLimited, areDays] = [true, false, false];
  for (const ofDay of days.flatMap(({ counts }) => counts.filter((own) => own.name === name))) {
    const kept = await inSteps(limitedCounts(ofDay, maxValuesOfDay(limits)), yieldIfNeeded);
    isLimited ||= kept.isLimited;
    areDays = !ofDay.texts;
    for (let code = 0; code < kept.counts.length; code++) {
      if (kept.counts[code] === 0) continue;
      isEmpty = false;
      sums.add(ofDay.texts ? all.codeOf(ofDay.texts.textOf(code)) : code, kept.counts[code]!);
    }
  }
  const counts = { name, texts: areDays ? undefined : all, counts: sums.counts };
  return { counts: isEmpty ? undefined : counts, isLimited };
}

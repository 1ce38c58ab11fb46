import { bytesOfQuery } from '../../ground/memory/memory-limits';
import { inSteps } from '../../ground/time/work-in-steps';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { Queryable } from '../../database/rows';
import { DIMENSIONS, type StatName } from '../../hits/stat-names';
import { Sums } from '../../hits/sums';
import { VALUE_LIMITS, type ValueLimits } from '../../hits/rules/value-limits';
import { limitedCounts, maxValuesOfDay, type NameCounts } from './limits/other-values';
import { RollupBuilder, type RollupKey, type RollupRow } from './rollup-format';
import { limitedBit } from './rollup-rows';
import type { DistinctTexts } from './texts/distinct-texts';
import { bytesOfTexts } from '../../hits/codes/text-codes';
import { type CodedTexts, findCodes, type TextWrite } from './texts/text-rows';

/** The limit for texts that wait to be written. */
const BYTES_IN_MEMORY = 2 * 1024 * 1024;

export interface NewRollup extends RollupKey {
  /** The generation of the website's texts. */
  generation: number;
}

/** A rollup that is ready to be written. Its texts must be written before its span is named. */
export interface PreparedRollup {
  isFull: false;
  rows: RollupRow[];
  /** The names with values in `(other)`, as bits of `limitedBit`. */
  limited: number;
  /** Tells whether answers from its hits may have merged other values. */
  isLarge: boolean;
  texts: TextWrite[];
}

/** The names whose text tables are full. A new generation must be made first. */
export interface FullTables {
  isFull: true;
  names: StatName[];
}

/** Makes a day's rollup from its counts. */
export async function prepareRollup(
  reader: Queryable,
  rollup: NewRollup,
  counts: Iterable<NameCounts> | AsyncIterable<NameCounts>,
  limits = VALUE_LIMITS,
  writeMany?: (texts: TextWrite[]) => Promise<void>,
  pause = yieldIfNeeded,
): Promise<PreparedRollup | FullTables> {
  const work = new RollupInWork(reader, rollup, limits, writeMany, pause);
  for await (const ofName of counts) {
    const limited = await inSteps(limitedCounts(ofName, maxValuesOfDay(limits)), pause);
    const isLimited = limited.isLimited || ofName.isCut === true;
    await work.add({ ...ofName, counts: limited.counts }, isLimited);
  }
  return work.finish();
}

/** A rollup that is made name by name. */
export class RollupInWork {
  private readonly builder: RollupBuilder;
  private readonly full: StatName[] = [];
  private readonly texts: TextWrite[] = [];
  private isLarge = false;

  constructor(
    private readonly reader: Queryable,
    private readonly rollup: NewRollup,
    private readonly limits: ValueLimits,
    /** Writes texts that are too many for memory ahead of the others. No reader uses them yet. */
    private readonly writeMany?: (texts: TextWrite[]) => Promise<void>,
    private readonly pause = yieldIfNeeded,
    private limited = 0,
  ) {
    this.builder = new RollupBuilder(rollup);
  }

  /** Adds the counts of a name to sums by code. */
  async add(counted: NameCounts, isLimited: boolean, sums = new Sums()): Promise<void> {
    const { name, texts } = counted;
    if (isLimited) this.limited |= limitedBit(name);
    this.isLarge ||= mayMerge(counted);
    const coded = texts && (await this.codeTexts(name, texts, counted.counts));
    if (texts && !coded) this.full.push(name);
    if (this.full.length > 0) return;
    addCoded(sums, counted.counts, coded?.codes);
    this.builder.add(DIMENSIONS[name].code, sums);
    await this.addTexts(coded?.writes ?? []);
  }

  finish(): PreparedRollup | FullTables {
    const { full: names, builder, limited, isLarge, texts } = this;
    return names.length > 0
      ? { isFull: true, names }
      : { isFull: false, rows: builder.rows(), limited, isLarge, texts };
  }

  private codeTexts(
    name: StatName,
    texts: DistinctTexts,
    counts: Float64Array,
  ): Promise<CodedTexts | undefined> {
    return findCodes(this.reader, this.rollup, name, texts, counts, this.limits, this.pause);
  }

  private async addTexts(texts: TextWrite[]): Promise<void> {
    this.texts.push(...texts);
    await this.pause();
    if (this.writeMany && bytesOf(this.texts) > BYTES_IN_MEMORY) await this.writeMany(this.texts.splice(0));
  }
}

/** Tells whether a reader may have no room for all of the texts. */
function mayMerge({ texts, isCut = false }: NameCounts): boolean {
  return isCut || (texts !== undefined && bytesOfTexts(texts.size, texts.textBytes) >= bytesOfQuery('texts'));
}

function addCoded(sums: Sums, counts: Float64Array, codes: Int32Array | undefined): void {
  for (let code = 0; code < counts.length; code++)
    if (counts[code]! > 0) sums.add(codes ? codes[code]! : code, counts[code]!);
}

function bytesOf(texts: TextWrite[]): number {
  return texts.reduce((sum, { row }) => sum + row.data.length, 0);
}

import type { Reading } from '../../database/rows';
import { bytesOfPool } from '../../ground/memory/memory-limits';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { DayInColumns } from '../segments/hit-segments';
import { partsOfDay } from '../segments/hits-in-columns';
import type { HitBlock } from '../../hits/hit-block';
import type { WebsiteTexts } from '../../hits/codes/text-codes';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { BlockSelection, type SelectedOfBlock } from '../../asking/select/block-selection';
import { WebsiteValues } from '../../asking/select/website-values';
import { type Exclusion, excludingIn, keptBy } from '../../questions/exclusions';
import type { Filter } from '../../questions/parse/filter';
import { Zone } from '../../questions/plan/buckets';
import { Sums } from '../../hits/sums';
import { OTHER, VALUE_LIMITS } from '../../hits/rules/value-limits';
import { COUNTED_NAMES, type CountedName, TEXT_NAMES, type TextName } from './counted-names';
import type { NameCounts } from './limits/other-values';
import { addCountsOf } from './block-counts';
import { DistinctTexts } from './texts/distinct-texts';

/** The limit for a list of values. Of a day with more values, the first ones are compared. */
const MAX_TEXTS = VALUE_LIMITS.all;
const FEW_HITS = 64 * 1024;
/** The share of memory for lists. The rest is for a part of the day, and then for choosing values. */
const SHARE_OF_LISTS = 0.5;

/** What is left out of the days that are counted, and the time zone of its conditions. */
export interface LeftOut {
  readonly exclusions: readonly Exclusion[];
  readonly timezone: string;
}

/** Lets other work run between two steps, or ends the work by throwing. */
type Pause = () => Promise<void>;

/** The counts of a name while they grow. */
export interface LimitedCounts {
  readonly name: CountedName;
  readonly texts: DistinctTexts | undefined;
  readonly sums: Sums;
  /** Tells whether values were merged for lack of memory. */
  isCut: boolean;
}

/** The memory for counting some hits and making a rollup of them. */
export function bytesToRollUp(hits: number): number {
  return hits <= FEW_HITS ? bytesOfPool('sealing') / 2 : bytesOfPool('sealing');
}

export function bytesOfLists(hits: number): number {
  return SHARE_OF_LISTS * bytesToRollUp(hits);
}

/** The count of each value of each name on a day in columns. */
export async function* readCountsOfDay(
  read: Reading,
  websiteId: number,
  day: DayInColumns,
  pause: Pause,
  leftOut?: LeftOut,
  maxBytes = bytesOfLists(day.columns.hits),
): AsyncGenerator<NameCounts> {
  for (let left = COUNTED_NAMES; left.length > 0;) {
    const counted = await readCountsOfSomeNames(read, websiteId, day, left, pause, leftOut, maxBytes);
    yield* counted;
    left = left.slice(counted.length);
  }
}

/** The counts of the first names that fit the memory: at least one. */
export async function readCountsOfSomeNames(
  read: Reading,
  websiteId: number,
  { day, columns }: DayInColumns,
  names: readonly CountedName[],
  pause: Pause,
  leftOut?: LeftOut,
  maxBytes = bytesOfLists(columns.hits),
): Promise<NameCounts[]> {
  const all = names.map(emptyCountsOf);
  const kept = leftOut && keptBy(excludingIn(leftOut.exclusions, [{ from: day, to: day }]));
  for await (const { block, texts } of partsOfDay(read, websiteId, day, columns)) {
    const selected = kept && selectedIn(block, texts, kept, leftOut.timezone);
    for (const own of all) {
      const { name } = own;
      if (own.texts) {
        const counted = new Sums();
        addCountsOf(name, block, texts, counted, selected);
        await addTranslated(own, own.texts, counted, texts.of[name as TextName].texts, maxBytes);
      } else addCountsOf(name, block, texts, own.sums, selected);
      await pause();
    }
    leaveOutNamesBeyond(all, maxBytes);
  }
  return all.map(({ name, texts, sums: { counts }, isCut }) => ({ name, texts, counts, isCut }));
}

/** What a filter selects in a block of a part, which has texts of its own. */
export function selectedIn(
  block: HitBlock,
  texts: WebsiteTexts,
  filter: Filter,
  timezone: string,
): SelectedOfBlock {
  const tools = { values: new WebsiteValues(texts), zone: new Zone(timezone), memory: new PeakMemory() };
  return new BlockSelection(filter, block.days, tools).in(block);
}

export function emptyCountsOf(name: CountedName): LimitedCounts {
  const isText = (TEXT_NAMES as readonly CountedName[]).includes(name);
  return { name, texts: isText ? new DistinctTexts() : undefined, sums: new Sums(), isCut: false };
}

/** Removes the last names until the others fit the memory. A further pass counts them. */
export function leaveOutNamesBeyond(all: LimitedCounts[], maxBytes: number): void {
  const bytesOf = ({ texts, sums }: LimitedCounts) => (texts?.bytes ?? 0) + sums.counts.byteLength;
  let bytes = all.reduce((sum, own) => sum + bytesOf(own), 0);
  while (bytes > maxBytes && all.length > 1) bytes -= bytesOf(all.pop()!);
}

async function addTranslated(
  all: LimitedCounts,
  own: DistinctTexts,
  { counts }: Sums,
  texts: readonly (string | null)[],
  maxBytes: number,
): Promise<void> {
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    const text = texts[code]!;
    const isFull = own.size >= MAX_TEXTS || own.bytes > maxBytes;
    const isBeyond = isFull && own.find(text) < 0;
    all.isCut ||= isBeyond;
    all.sums.add(own.codeOf(isBeyond ? OTHER : text), counts[code]!);
    await yieldIfNeeded();
  }
}

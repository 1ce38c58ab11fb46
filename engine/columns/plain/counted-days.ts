import type { Queryable } from '../../database/rows';
import { bytesOfQuery } from '../../ground/memory/memory-limits';
import { inSteps } from '../../ground/time/work-in-steps';
import { inPieces } from '../../database/rows';
import { countForgottenBatches, HitsRemoved } from '../batches/batches';
import { Checkpoints, countOn } from '../checkpoints/checkpoints';
import { CachedHashes } from '../checkpoints/cached-hashes';
import type { HitsOfDay } from '../stored-days';
import { CountedDay } from '../rollups/counted-day';
import type { CountedName, TextName } from '../rollups/counted-names';
import { limitedCounts } from '../rollups/limits/other-values';
import { addCountsOf, columnsFor } from '../rollups/block-counts';
import { valuesWhileOpen } from '../../hits/rules/value-limits';
import { kindOf } from '../../hits/hit-columns';
import { HITS_OF_PART } from '../segments/part-format';
import { Sums } from '../../hits/sums';
import type { WebsiteTexts } from '../../hits/codes/text-codes';
import { ColumnCache } from '../read/column-cache';
import type { Check } from '../../ground/deadline-check';
import { PeakMemory } from '../../asking/memory/peak-memory';
import { HitSource } from '../read/hit-source';
import { BlockSelection } from '../../asking/select/block-selection';
import { type Exclusion, excludingIn, keptBy } from '../../questions/exclusions';
import type { Zone } from '../../questions/plan/buckets';
import { neededColumns, neededValues } from '../../questions/plan/needed-values';
import { isTextName, TextValues, type NameValues } from './values/name-values';
import {
  type CodesOfTexts,
  type CountedSums,
  type Counting,
  type CachedOpenDay,
  nothingCounted,
  type PlainCache,
} from './plain-cache';

const SCANNED_TOGETHER = () => true;
/** A filter alone decides what is read. */
const NOTHING_COUNTED = { previous: undefined, dimensions: [], metrics: [] };
const TEXTS_OF_STEP = 10_000;

/** Larger days are counted by one query at a time. */
const LARGE_DAY_HITS = 500_000;
/** So much is free for each query, so that small websites are answered whatever the queries of others take. */
const FREE_BYTES = 8 * 1024 * 1024;

/** The website and limits that counting needs. */
export interface CountingOf {
  readonly reader: Queryable;
  readonly websiteId: number;
  readonly cache: PlainCache;
  readonly columns: ColumnCache;
  /** The maximum number of values of a name on a day. */
  readonly maxValues: number;
  /** Takes memory for the query. Throws if too little is left. */
  readonly take: (bytes: number) => void;
  /** Lets other work run, or ends the work by throwing. */
  readonly pause: () => Promise<void>;
  readonly check: Check;
  /** Set where hits may be scanned by a filter. */
  readonly zone: Zone | undefined;
}

/** Days with exclusions may have no rollup. Then their hits must be scanned, in another lane. */
export class NeedsScan extends Error {}

/** Counts days without a rollup from their hits: open days, small days, and days with late hits. */
export class CountedDays {
  /** The open days that this query has read. */
  private readonly open = new Map<number, CachedOpenDay>();
  /** One piece of days is scanned at a time. */
  private readonly memory: PeakMemory;

  constructor(
    private readonly of: CountingOf,
    private readonly exclusions: readonly Exclusion[],
    /** Days from it on are open. */
    private readonly closedBefore: number,
  ) {
    this.memory = new PeakMemory(of.take, FREE_BYTES);
  }

  async sums(name: CountedName, values: NameValues, days: HitsOfDay[]): Promise<CountedSums> {
    const { maxValues, zone } = this.of;
    if (!zone && days.some(({ day }) => this.isPartly(day))) throw new NeedsScan();
    const isScanned = ({ day, columns }: HitsOfDay) => columns !== undefined || this.isPartly(day);
    const scanned = days.filter(isScanned);
    const small = scanned.filter(({ hits }) => hits <= maxValues);
    const found = nothingCounted();
    const groups = [...inPieces(small, Infinity, HITS_OF_PART, ({ hits }) => hits)];
    for (const group of groups)
      await this.addScanned(found, name, values, group, groups.length > 1 ? ownColumns(Infinity) : undefined);
    for (const day of scanned) if (day.hits > maxValues) await this.addLimited(found, name, values, day);
    for (const day of days) if (!isScanned(day)) await this.addOpen(found, name, values, day);
    return found;
  }

  /** Tells whether something is left out of a day. */
  private isPartly(day: number): boolean {
    return excludingIn(this.exclusions, [{ from: day, to: day }]).length > 0;
  }

  /** Adds all values of some days. */
  private async addScanned(
    found: Counting,
    name: CountedName,
    values: NameValues,
    days: HitsOfDay[],
    columns = this.of.columns,
  ): Promise<void> {
    const { reader, websiteId, check, pause, zone, take } = this.of;
    const { memory, closedBefore: openFrom } = this;
    memory.begin();
    const span = { from: days[0]!.day, to: days.at(-1)!.day };
    const kept = keptBy(excludingIn(this.exclusions, [span]));
    const compared = kept ? [{ range: { days: span }, filter: kept, ...NOTHING_COUNTED }] : [];
    const known = columns.website(websiteId, [...columnsFor(name), ...neededValues(compared)]);
    const columnsOfFilter = kept ? neededColumns(compared) : [];
    const needed = [...new Set([...columnsFor(name).map(kindOf), ...columnsOfFilter])];
    const requested = { websiteId, known, span, areAlike: SCANNED_TOGETHER, needed, openFrom };
    const source = new HitSource(reader, columns, requested, check, memory);
    const { texts } = known.values;
    const tools = { values: known.values, zone: zone!, memory, take, check };
    const selection = kept && new BlockSelection(kept, days, tools);
    const counted = new Sums();
    for await (const block of source.all(days)) {
      addCountsOf(name, block, texts, counted, selection?.in(block));
      memory.reserve(texts.bytes);
      await pause();
    }
    selection?.expectWhole();
    await this.addTranslated(found.sums, counted, name, texts, values);
    if (isTextName(name) && texts.of[name].isMerged) found.limitedDays++;
    found.forgotten.push(...source.forgotten);
    columns.trim(websiteId, span);
  }

  /** Further values of a large day are merged. The texts of other days must not change which ones. */
  private async addLimited(
    found: Counting,
    name: CountedName,
    values: NameValues,
    day: HitsOfDay,
  ): Promise<void> {
    const { maxValues, pause } = this.of;
    const own = { ...nothingCounted(), forgotten: found.forgotten };
    await this.addScanned(own, name, values, [day], ownColumns(bytesOfQuery('texts')));
    const texts = values instanceof TextValues ? values.texts : undefined;
    const limited = await inSteps(limitedCounts({ texts, counts: own.sums.counts }, maxValues), pause);
    if (limited.isLimited || own.limitedDays > 0) found.limitedDays++;
    found.sums.addAll(new Sums(limited.counts));
  }

  private async addOpen(
    found: Counting,
    name: CountedName,
    values: NameValues,
    day: HitsOfDay,
  ): Promise<void> {
    const { counted, codes } = await this.read(day);
    if (counted.isForgotten) found.forgotten.push(day.day);
    if (!isTextName(name) || !(values instanceof TextValues)) {
      const count = name === 'pageview' ? counted.pageviews : counted.visitors;
      if (count > 0) found.sums.add(day.day, count);
      return;
    }
    const { texts, sums } = counted.of(name);
    const own = codesIn(codes, name, values);
    if (own.codes.length < texts.size) own.codes = larger(own.codes, texts.size);
    for (; own.size < texts.size; own.size++) {
      own.codes[own.size] = values.texts.codeOfBytes(texts.bytesOf(own.size), 0, texts.lengthOf(own.size));
      if (own.size % TEXTS_OF_STEP === 0) await this.of.pause();
    }
    for (let code = 0; code < texts.size; code++)
      if (sums.counts[code] !== 0) found.sums.add(own.codes[code]!, sums.counts[code]!);
    if (counted.limited.has(name)) found.limitedDays++;
  }

  private async addTranslated(
    sums: Sums,
    { counts }: Sums,
    name: CountedName,
    texts: WebsiteTexts,
    values: NameValues,
  ): Promise<void> {
    const isText = isTextName(name) && values instanceof TextValues;
    for (let code = 0; code < counts.length; code++) {
      if (counts[code] === 0) continue;
      sums.add(isText ? values.texts.codeOf(texts.of[name].texts[code]!) : code, counts[code]!);
      if (code % TEXTS_OF_STEP === 0) await this.of.pause();
    }
  }

  /** The open day up to now. Hits are only added at the end, and visitors only forgotten. */
  private async read({ day, hits }: HitsOfDay): Promise<CachedOpenDay> {
    const counted = this.open.get(day);
    if (counted) return counted;
    const { reader, websiteId, cache, pause } = this.of;
    const forgotten = await countForgottenBatches(reader, websiteId, day);
    const isCurrent = (known?: CachedOpenDay) =>
      known?.forgotten === forgotten && known.counted.hits === hits;
    let cached = cache.takeDay(websiteId, day);
    if (hits > LARGE_DAY_HITS && !isCurrent(cached)) {
      if (cached) cache.setDay(websiteId, day, cached);
      await cache.largeDays.begin(this.of, pause);
      cached = cache.takeDay(websiteId, day);
      if (cached?.forgotten !== forgotten) cache.deleteLargeDay();
    }
    const known = cached?.forgotten === forgotten ? cached : undefined;
    const read = isCurrent(known) ? known! : await this.countTo({ day, hits, forgotten }, known);
    cache.setDay(websiteId, day, read);
    this.open.set(day, read);
    return read;
  }

  /** Continues counting from the last hit, or from the last checkpoint. */
  private async countTo(
    { day, hits, forgotten }: Record<'day' | 'hits' | 'forgotten', number>,
    cached: CachedOpenDay | undefined,
  ): Promise<CachedOpenDay> {
    const { reader, websiteId, cache, maxValues, pause } = this.of;
    const of = { reader, websiteId, day, pause };
    const most = valuesWhileOpen(maxValues);
    // If visitors are forgotten, those of the checkpoints will be too.
    const checkpoints = await Checkpoints.find(of, forgotten > 0 ? 0 : hits, most);
    const canGoOn = cached && cached.counted.hits <= hits && checkpoints.areOf(cached.counted, hits);
    const read = canGoOn ? cached : emptyDay(most, forgotten, cached?.hashes);
    try {
      if (!canGoOn) await checkpoints.addTo(read.counted);
      await countOn(of, read.counted, hits, checkpoints, read.hashes);
    } catch (error) {
      // After a deadline, a repeated query continues from here.
      if (read.counted.isWhole) cache.setDay(websiteId, day, read);
      // Nothing is removed within a snapshot.
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
    return read;
  }
}

/** Columns that are not cached, beside a limit for their texts. */
function ownColumns(maxTextBytes: number): ColumnCache {
  return new ColumnCache({ maxSize: 'plainColumns', maxTextBytes });
}

function emptyDay(maxValues: number, forgotten: number, hashes = new CachedHashes()): CachedOpenDay {
  return { counted: new CountedDay(maxValues), forgotten, hashes, codes: new Map<TextName, CodesOfTexts>() };
}

function codesIn(codes: CachedOpenDay['codes'], name: TextName, { id }: TextValues): CodesOfTexts {
  const known = codes.get(name);
  if (known?.valuesId === id) return known;
  const fresh = { valuesId: id, codes: new Uint32Array(0), size: 0 };
  codes.set(name, fresh);
  return fresh;
}

function larger(codes: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(Math.max(size, 2 * codes.length));
  more.set(codes);
  return more;
}

import { createHash } from 'node:crypto';
import { inSteps } from '../../ground/time/work-in-steps';
import { monthOf, type Span } from '../../hits/calendar';
import type { DayBlock } from '../../hits/calendar';
import { readBegins, readBlocks } from '../day-blocks';
import { DIMENSIONS, type StatName } from '../../hits/stat-names';
import { readDroppedCounts } from '../../hits/events/dropped-events';
import { type HitsOfDay, readDays } from '../stored-days';
import type { CountedName } from '../rollups/counted-names';
import { addSection, SPANS } from '../rollups/rollup-format';
import {
  readForgottenDays,
  limitedBit,
  readLimitedDays,
  readRollups,
  type RollupSpan,
  readSpans,
} from '../rollups/rollup-rows';
import { DistinctTexts } from '../rollups/texts/distinct-texts';
import { readTexts } from '../rollups/texts/value-texts';
import { DamagedTexts } from '../rollups/texts/value-texts-format';
import { Sums } from '../../hits/sums';
import { CountedDays, type CountingOf } from './counted-days';
import { type NameValues, TextValues } from './values/name-values';
import { type CountedSums, type Counting, nothingCounted } from './plain-cache';
import type { Pause } from './values/value-order';
import { planRange, type RangePlan, spansOf } from './range-plan';
import { rank, weightsOf } from './values/ranking';
import type { WebsiteVersions } from '../website-state';
import type { Asker } from '../../questions/asker';
import { type Order } from '../../questions/plain-request';

const TEXTS_OF_STEP = 10_000;

export interface SumsRequest {
  name: StatName;
  range: Span;
  search?: string | undefined;
}

export interface CountedEntry {
  code: number;
  value: string;
  count: number;
}

/** The rollups that cover a range, and the days that are counted from hits. */
interface Covering {
  readonly plan: RangePlan;
  readonly months: readonly RollupSpan[];
  readonly days: readonly RollupSpan[];
  readonly counted: HitsOfDay[];
  readonly forgotten: readonly number[];
}

/** A website's statistics at one moment. */
export class Snapshot {
  private readonly days: CountedDays;
  private readonly coverings = new Map<string, Promise<Covering>>();
  private readonly values = new Map<StatName, Promise<NameValues>>();

  constructor(
    private readonly of: CountingOf,
    readonly state: WebsiteVersions,
    /** The first day with statistics. */
    private readonly statsFrom: number,
  ) {
    this.days = new CountedDays(of, state.exclusions, state.closedBefore);
  }

  /** The count of each value in a range. */
  async sums({ name, range, search }: SumsRequest): Promise<Sums> {
    const { sums } = await this.count(name, range);
    return search === undefined ? sums : this.matching(name, sums, search);
  }

  /** The sums of the values that contain a case-folded text in the value or its label. */
  async matching(name: StatName, sums: Sums, search: string): Promise<Sums> {
    const values = await this.valuesOf(name);
    return values.matching(sums, search, this.of.pause);
  }

  /** The sums of some days of a range. */
  async sumsOfDays(name: StatName, range: Span, days: ReadonlySet<number>): Promise<Sums> {
    const { state } = this;
    const isClosed = range.to < state.closedBefore;
    const named = createHash('sha256')
      .update([...days].join())
      .digest('base64');
    const key = ['days', name, range.from, range.to, this.statsFrom, named];
    const version = isClosed ? `${state.version}` : openVersionOf(state);
    const { sums } = await this.readCached(name, key, version, async () => {
      const found = nothingCounted();
      if (name === 'dropped') return found;
      for (const span of spansOf(days))
        await this.addCovered(found, name, await this.coveringOf(span, false));
      return found;
    });
    return sums;
  }

  /** The complete blocks of days that begin in a range. */
  blocks(asker: Asker, { from, to }: Span): Promise<DayBlock[]> {
    const { reader, websiteId } = this.of;
    return readBlocks(reader, websiteId, asker, { from: Math.max(from, this.statsFrom), to });
  }

  /** The complete blocks that have a day in a range, and those that begin between them. */
  async blocksAround(asker: Asker, span: Span): Promise<DayBlock[]> {
    const { reader, websiteId } = this.of;
    const begins = await readBegins(reader, websiteId, span);
    return begins ? this.blocks(asker, begins) : [];
  }

  /** The values of a name's codes. They do not change within the snapshot. */
  valuesOf(name: StatName): Promise<NameValues> {
    let values = this.values.get(name);
    if (!values) this.values.set(name, (values = this.readValues(name)));
    return values;
  }

  /** Caches values that have grown. */
  async keepValues(): Promise<void> {
    const { cache, websiteId } = this.of;
    for (const [name, known] of this.values) {
      const values = await known;
      if (values instanceof TextValues && values !== cache.dropped)
        cache.setValues(websiteId, this.state.epoch, name, values);
    }
  }

  /** A page of the counted values. */
  async page(name: StatName, { counts }: Sums, codes: Uint32Array, order: Order, skip: number, take: number) {
    const values = await this.valuesOf(name);
    const { pause } = this.of;
    const { direction } = order;
    const shown: number[] = [];
    if (order.by === 'value') shown.push(...(await values.slice(codes, { skip, take, direction }, pause)));
    else
      for (const group of await inSteps(rank(codes, weightsOf(counts, direction), skip, take), pause))
        shown.push(
          ...(await values.slice(group.ids, { skip: group.skip, take: group.take, direction: 'asc' }, pause)),
        );
    return shown.map((code): CountedEntry => ({ code, value: values.textOf(code), count: counts[code]! }));
  }

  /** The counts of a range, with its warnings. */
  async count(name: StatName, { from, to }: Span): Promise<CountedSums> {
    const { closedBefore, version } = this.state;
    const range = { from: Math.max(from, this.statsFrom), to };
    const closed = { from: range.from, to: Math.min(to, closedBefore - 1) };
    const closedSums = () =>
      this.readCached(name, ['closed', name, closed.from, closed.to], `${version}`, () =>
        this.load(name, closed),
      );
    if (to < closedBefore) return closedSums();
    return this.readCached(name, ['all', name, range.from, range.to], openVersionOf(this.state), async () => {
      const open = await this.load(name, { from: Math.max(range.from, closedBefore), to });
      if (closed.from > closed.to) return open;
      const before = await closedSums();
      open.sums.addAll(before.sums);
      return {
        sums: open.sums,
        limitedDays: open.limitedDays + before.limitedDays,
        forgotten: [...before.forgotten, ...open.forgotten],
      };
    });
  }

  private async readCached(
    name: StatName,
    key: unknown[],
    version: string,
    load: () => Promise<CountedSums>,
  ): Promise<CountedSums> {
    const { cache, websiteId } = this.of;
    const { id } = await this.valuesOf(name);
    return cache.sumsOf([websiteId, ...key].join(' '), `${version} ${id}`, load);
  }

  private async load(name: StatName, range: Span): Promise<CountedSums> {
    const found = nothingCounted();
    if (range.from > range.to) return found;
    if (name === 'dropped') {
      const { texts } = this.of.cache.dropped;
      for (const { reason, count } of await readDroppedCounts(this.of.reader, this.of.websiteId, range))
        found.sums.add(texts.codeOf(reason), count);
      return found;
    }
    await this.addCovered(found, name, await this.coveringOf(range));
    return found;
  }

  private async addCovered(
    found: Counting,
    name: CountedName,
    { plan, months, days, counted, forgotten }: Covering,
  ): Promise<void> {
    const { reader, websiteId, pause } = this.of;
    const values = await this.valuesOf(name);
    if (months.length + days.length > 0)
      for await (const sections of readRollups(reader, websiteId, name, plan)) {
        for (const section of sections) {
          // Higher codes belong to days that are counted from hits.
          if (section.lastCode >= values.stored) throw this.missingTexts(name, values.stored);
          addSection(found.sums, section);
        }
        await pause();
      }
    const isLimited = ({ limited }: RollupSpan) => (limited & limitedBit(name)) !== 0;
    found.limitedDays += days.filter(isLimited).length;
    for (const { day: from } of months.filter(isLimited)) {
      const month = { from, to: monthOf(from, 1) - 1 };
      found.limitedDays += (await readLimitedDays(reader, websiteId, name, month)).length;
    }
    found.forgotten.push(...forgotten);
    if (counted.length === 0) return;
    const own = await this.days.sums(name, values, counted);
    found.sums.addAll(own.sums);
    found.limitedDays += own.limitedDays;
    found.forgotten.push(...own.forgotten);
  }

  private missingTexts(name: StatName, code: number): DamagedTexts {
    const table = { websiteId: this.of.websiteId, generation: this.state.epoch, name: DIMENSIONS[name].code };
    return new DamagedTexts(table, code);
  }

  /** Whole months with rollups, and days for the rest. */
  private coveringOf(range: Span, withMonths = true): Promise<Covering> {
    const key = `${range.from} ${range.to} ${withMonths}`;
    let covering = this.coverings.get(key);
    if (!covering) this.coverings.set(key, (covering = this.readCovering(range, withMonths)));
    return covering;
  }

  private async readCovering(range: Span, withMonths: boolean): Promise<Covering> {
    const { reader, websiteId } = this.of;
    const first = monthOf(range.from);
    const all = withMonths ? await readSpans(reader, websiteId, SPANS.month, first, range.to) : [];
    const months = all.filter(({ day }) => day >= range.from && monthOf(day, 1) - 1 <= range.to);
    const plan = planRange(
      range,
      months.map(({ day }) => day),
    );
    const days: RollupSpan[] = [];
    const counted: HitsOfDay[] = [];
    for (const { from, to } of plan.days) {
      const own = await readSpans(reader, websiteId, SPANS.day, from, to);
      const rolledUp = new Set(own.map(({ day }) => day));
      days.push(...own);
      for (const day of await readDays(reader, websiteId, { from, to }))
        if (!rolledUp.has(day.day)) counted.push(day);
    }
    const forgotten = await readForgottenDays(reader, websiteId, range);
    return { plan, months, days, counted, forgotten };
  }

  private async readValues(name: StatName): Promise<NameValues> {
    const { websiteId, cache } = this.of;
    if (name === 'dropped') return cache.dropped;
    if (DIMENSIONS[name].days) return cache.dayValues;
    const { epoch, rollups } = this.state;
    const known = cache.valuesOf(websiteId, epoch, name);
    if (known?.completeAt === rollups) return known;
    const values = (await this.growValues(name, known)) ?? known ?? new TextValues(name, new DistinctTexts());
    values.completeAt = rollups;
    cache.setValues(websiteId, epoch, name, values);
    return values;
  }

  /** Adds texts that are new in the table. Texts of days that are counted from hits follow, so their codes change. */
  private async growValues(name: StatName, known: TextValues | undefined): Promise<TextValues | undefined> {
    const { reader, websiteId, pause } = this.of;
    const stored = known?.stored ?? 0;
    let texts: DistinctTexts | undefined;
    for await (const { bytes, ends } of readTexts(reader, websiteId, this.state.epoch, name, stored)) {
      texts ??= await firstOf(known?.texts, stored, pause);
      texts.addAll(bytes, ends);
      await pause();
    }
    return texts && new TextValues(name, texts);
  }
}

/** A new list with the first texts of a list. */
async function firstOf(texts: DistinctTexts | undefined, size: number, pause: Pause): Promise<DistinctTexts> {
  const first = new DistinctTexts();
  for (let from = 0; texts && from < size; from += TEXTS_OF_STEP) {
    first.addFrom(texts, from, Math.min(size, from + TEXTS_OF_STEP));
    await pause();
  }
  return first;
}

/** The version of open days. */
function openVersionOf({ folds, version }: WebsiteVersions): string {
  return `${folds} ${version}`;
}

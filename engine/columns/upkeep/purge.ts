import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { insertAll, type Queryable, type Reading, type Transaction } from '../../database/rows';
import { WebsiteTexts } from '../../hits/codes/text-codes';
import type { HitBlock } from '../../hits/hit-block';
import { withoutHits } from '../../hits/remaining-hits';
import { type Exclusion, excludingIn, keptOf } from '../../questions/exclusions';
import { filterOf } from '../../questions/parse/filter';
import { Zone } from '../../questions/plan/buckets';
import { neededColumns } from '../../questions/plan/needed-values';
import type { BlockWithTexts } from '../../rows/row-days';
import { refuseDiffering } from '../../rows/row-home';
import { HitsRemoved } from '../batches/batches';
import { raiseCountsVersion } from '../closed-days';
import { DamagedDay } from '../damaged-hits';
import { lowerVisitors } from '../day-blocks';
import { lowerPlace } from '../followed-websites';
import { notePurged } from '../left-out';
import { removeDivision } from '../page-filters';
import { HitSums } from '../ordering/hit-sums';
import { SealingDiffers, sumPart } from '../ordering/written-sums';
import { partsOf } from '../read/part-reader';
import { selectedIn } from '../rollups/day-counts';
import { removeAllOfDays, removeSpans } from '../rollups/rollup-rows';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';
import type { OverDays } from '../seal/sealing-times';
import {
  type ColumnDay,
  type DayInColumns,
  DaysChanged,
  expectColumns,
  HOMES,
  insertColumnDay,
  isRemote,
  moveDays,
  noteNamed,
  type PartRange,
  partName,
  readParts,
  removeColumnDay,
  unnamedVersions,
} from '../segments/hit-segments';
import { partsOfDay } from '../segments/hits-in-columns';
import { Part } from '../segments/part';
import { ALL_KINDS, columnOf, encodePart, type EncodedPart, STRUCTURE } from '../segments/part-format';
import { DamagedColumns, type PartKey, rowsOfPart } from '../segments/part-rows';
import { PartTexts } from '../segments/part-texts';
import { RUN_LIMITS } from '../segments/segment-merge-rules';
import { type HitsOfDay, isUnmoved, readDay } from '../stored-days';
import { type ColumnTurn, type ColumnWork, pauseIn, SegmentWriter, TurnEnded, writeIn } from './column-work';
import { countVisitors } from './visitors-of-days';
import { addRows, rowWriterIn } from './day-move';
import { VersionClaimed } from '../homes/remote-versions';
import { readSharing } from './division-work';

export type SealedDay = HitsOfDay & DayInColumns;
type PartOfDays = ReturnType<typeof partsOf>[number];

/** The next days of an exclusion, all of them ready. */
export interface PurgedDays {
  readonly exclusion: Exclusion;
  /** In order. They have one segment, or one of them has rows. */
  readonly days: readonly SealedDay[];
  /** Other days of the segment, which move with them: what is removed must not stay in it. */
  readonly others: readonly SealedDay[];
  /** Days of the exclusion before it are purged afterwards. */
  readonly before: number;
}

/** What is left of the days with a removed hit; undefined for a day without any. And where other days moved. */
interface Written {
  readonly left: ReadonlyMap<number, ColumnDay | undefined>;
  readonly places: ReadonlyMap<number, PartRange>;
}

/** By day: the hits that were read, and those that are left of them. */
type CountedHits = Record<'read' | 'left', Map<number, number>>;

export interface PurgeRules extends Pick<OverDays, 'acceptedBefore' | 'timezone'> {
  /** Visitors of earlier days are forgotten, and their events are no longer accepted. */
  before: number;
  isPaused: (day: number) => boolean;
}

const UNCHANGED: Written = { left: new Map(), places: new Map() };

/**
 * Removes what an exclusion selects on some days for good. What is left is written under a number that no day names, and
 * read back. One transaction names it, if the days and the exclusion have not changed, and makes everything that was
 * counted of them due anew. Until then the exclusion leaves the hits out.
 */
export class Purge implements ColumnWork {
  private readonly filter;
  private readonly zone: Zone;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly purged: PurgedDays,
    /** The number of the new segment, or the version of the new rows. */
    private readonly number: number,
    private readonly rules: PurgeRules,
  ) {
    this.filter = filterOf(purged.exclusion.filters);
    this.zone = new Zone(rules.timezone);
  }

  get isRemote(): boolean {
    return this.stored.some(({ columns }) => isRemote(columns.home));
  }

  get days(): number[] {
    return this.stored.map(({ day }) => day);
  }

  async run(turn: ColumnTurn): Promise<void> {
    const hits = this.stored.reduce((sum, own) => sum + own.hits, 0);
    const bytes = hits > RUN_LIMITS.hits ? SEALING_LIMITS.largestBytes : SEALING_LIMITS.dayBytes;
    try {
      await SEALING_MEMORY.takeDuring(bytes, turn.goOn, () => this.purge(turn));
    } catch (error) {
      if (error instanceof DaysChanged || error instanceof VersionClaimed || error instanceof TurnEnded)
        return;
      if (!(error instanceof HitsRemoved || error instanceof DamagedDay)) throw error;
      // Retention removes days during the work.
      for (const own of this.stored) if (!(await isUnmoved(this.database, this.websiteId, own))) return;
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
  }

  /** All days whose hits are read. */
  private get stored(): SealedDay[] {
    const { days, others } = this.purged;
    return [...days, ...others].sort((one, other) => one.day - other.day);
  }

  private async purge(turn: ColumnTurn): Promise<void> {
    const { database } = this;
    const removed = await this.findRemoved(pauseIn(turn));
    const write = () => (this.areRows ? this.writeRows(turn, removed) : this.writeParts(turn, removed));
    const written = removed.size > 0 ? await write() : UNCHANGED;
    const visitors = await database.read((reader) => this.seenBy(reader, written, pauseIn(turn)));
    const now = await database.now();
    await writeIn(turn, (manager) => this.name(manager, written, visitors, now));
  }

  private get areRows(): boolean {
    const [first] = this.purged.days;
    return first !== undefined && first.columns.home !== HOMES.columns;
  }

  /** The number of hits to remove on each day that has any. */
  private async findRemoved(pause: () => Promise<void>): Promise<Map<number, number>> {
    const { filter, purged } = this;
    const { timezone } = this.rules;
    const removed = new Map<number, number>();
    const add = (block: HitBlock, texts: WebsiteTexts) => {
      const { days, hits } = block;
      const selected = filter && selectedIn(block, texts, filter, timezone).hits;
      const found = selected ? selected.reduce((sum, own) => sum + own, 0) : hits;
      if (found > 0) removed.set(days[0]!.day, (removed.get(days[0]!.day) ?? 0) + found);
    };
    if (this.areRows) for await (const { block, texts } of this.blocksOf(purged.days[0]!)) add(block, texts);
    else
      for (const source of partsOf(purged.days)) {
        const { part, texts } = await this.readPart(source, this.neededKinds());
        for (const day of source.days) {
          if (part.hitsOf(day) === 0) continue;
          add(part.block([day]), texts);
          await pause();
        }
      }
    return removed;
  }

  /** The columns that the filter looks at. */
  private neededKinds(): number[] {
    const { filter } = this;
    const days = { from: 0, to: this.purged.before };
    const scope = { range: { days }, previous: undefined, filter, dimensions: [], metrics: [] };
    return [...new Set([STRUCTURE, ...(filter ? neededColumns([scope]) : [])])];
  }

  /** Writes the segment anew, part by part. */
  private async writeParts(turn: ColumnTurn, removed: ReadonlyMap<number, number>): Promise<Written> {
    const { websiteId, number: segment } = this;
    const writer = new SegmentWriter(turn);
    const pause = pauseIn(turn);
    const counted: CountedHits = { read: new Map(), left: new Map() };
    const places = new Map<number, PartRange>();
    const sums: { days: number[]; sums: HitSums }[] = [];
    for (const source of partsOf(this.stored)) {
      const { blocks, texts } = await this.remainingIn(source, removed, counted, pause);
      if (blocks.length === 0) continue;
      const [part, days] = [sums.length, blocks.map(({ days: [own] }) => own!.day)];
      const rows = rowsOfPart({ websiteId, segment, part }, await encodePart(blocks, texts));
      if (!(await writer.add(rows, days.at(-1)!))) throw new TurnEnded();
      sums.push({ days, sums: await sumsOf(blocks, texts, pause) });
      for (const day of days)
        places.set(day, { segment, firstPart: places.get(day)?.firstPart ?? part, lastPart: part });
    }
    if (!(await writer.flush())) throw new TurnEnded();
    this.expectWhole(counted, removed);
    await this.compare(sums, pause);
    return { left: this.leftIn(places, counted.left, removed), places };
  }

  /** Throws if a part has lost hits, which would go unnoticed from now on. */
  private expectWhole(counted: CountedHits, removed: ReadonlyMap<number, number>): void {
    const { websiteId } = this;
    for (const { day, columns } of this.stored) {
      const key = { websiteId, segment: columns.segment, part: columns.lastPart };
      if ((counted.read.get(day) ?? 0) !== columns.hits) throw new DamagedColumns(key, day);
      this.expectLeft(day, columns.hits, counted.left.get(day) ?? 0, removed);
    }
  }

  /** The days with a removed hit, as they are now. */
  private leftIn(
    places: ReadonlyMap<number, PartRange>,
    hits: ReadonlyMap<number, number>,
    removed: ReadonlyMap<number, number>,
  ): Map<number, ColumnDay | undefined> {
    const changed = this.purged.days.filter(({ day }) => removed.has(day));
    return new Map(
      changed.map(({ day, columns }) => {
        const place = places.get(day);
        return [day, place && { ...columns, ...place, hits: hits.get(day)! }];
      }),
    );
  }

  /** What is left of the hits in a part of the segment, day by day. */
  private async remainingIn(
    source: PartOfDays,
    removed: ReadonlyMap<number, number>,
    counted: CountedHits,
    pause: () => Promise<void>,
  ): Promise<{ blocks: HitBlock[]; texts: WebsiteTexts }> {
    const { part, texts } = await this.readPart(source, ALL_KINDS);
    const blocks: HitBlock[] = [];
    for (const day of source.days) {
      if (part.hitsOf(day) === 0) continue;
      const block = part.block([day]);
      const left = removed.has(day) ? this.leftOf(block, texts) : block;
      counted.read.set(day, (counted.read.get(day) ?? 0) + block.hits);
      counted.left.set(day, (counted.left.get(day) ?? 0) + (left?.hits ?? 0));
      if (left) blocks.push(left);
      await pause();
    }
    return { blocks, texts };
  }

  private async readPart(
    { segment, part, days }: PartOfDays,
    kinds: readonly number[],
  ): Promise<{ part: Part; texts: WebsiteTexts }> {
    const texts = new WebsiteTexts(Infinity);
    const columns = await this.columnsOf({ websiteId: this.websiteId, segment, part }, kinds, days[0]!);
    return { part: new Part(columns, new PartTexts(texts)), texts };
  }

  private async columnsOf(key: PartKey, kinds: readonly number[], day: number): Promise<EncodedPart> {
    const stored = await readParts(this.database, key.websiteId, [key], kinds);
    return expectColumns(stored.get(partName(key)), kinds, key, day);
  }

  private async writeRows(turn: ColumnTurn, removed: ReadonlyMap<number, number>): Promise<Written> {
    const { websiteId, number: version } = this;
    const [stored] = this.purged.days as [SealedDay];
    const { day, hits, columns } = stored;
    await writeIn(turn, (manager) =>
      insertAll(manager, [unnamedVersions(columns.home, websiteId, [day], version)]),
    );
    const key = { websiteId, day, version };
    const writer = rowWriterIn(turn, columns.home, [key]);
    const written = await addRows(turn, writer, key, this.remainingOf(stored));
    refuseDiffering(await writer.end());
    this.expectLeft(day, hits, written, removed);
    const left = written > 0 ? { ...columns, segment: version, hits: written } : undefined;
    return { left: new Map([[day, left]]), places: new Map() };
  }

  private blocksOf({ day, columns }: SealedDay): AsyncGenerator<BlockWithTexts> {
    const read: Reading = (work) => work(this.database);
    return partsOfDay(read, this.websiteId, day, columns);
  }

  private async *remainingOf(stored: SealedDay): AsyncGenerator<BlockWithTexts> {
    for await (const { block, texts } of this.blocksOf(stored)) {
      const left = this.leftOf(block, texts);
      if (left) yield { block: left, texts };
    }
  }

  private leftOf(block: HitBlock, texts: WebsiteTexts): HitBlock | undefined {
    const selected = this.filter && selectedIn(block, texts, this.filter, this.rules.timezone);
    return selected?.hits ? withoutHits(block, selected.hits) : undefined;
  }

  /** Parts have texts of their own, so what they select is compared with what the day selects as a whole. */
  private expectLeft(day: number, hits: number, left: number, removed: ReadonlyMap<number, number>): void {
    if (left !== hits - (removed.get(day) ?? 0)) throw new SealingDiffers(this.websiteId, day, 'hits');
  }

  /** Reads the written parts back. */
  private async compare(
    written: readonly { days: number[]; sums: HitSums }[],
    pause: () => Promise<void>,
  ): Promise<void> {
    const { websiteId, number: segment } = this;
    for (const [part, { days, sums }] of written.entries()) {
      const key = { websiteId, segment, part };
      const columns = (kinds: readonly number[]) => this.columnsOf(key, kinds, days[0]!);
      const name = (await sumPart(columns, days, pause)).difference(sums);
      if (name !== undefined) throw new SealingDiffers(websiteId, days[0]!, name);
    }
  }

  /** How many visitors of the changed days the viewers of a shared page will see. Undefined if nobody sees the page. */
  private async seenBy(
    reader: Queryable,
    { left }: Written,
    pause: () => Promise<void>,
  ): Promise<Map<number, number> | undefined> {
    const { websiteId, zone, purged } = this;
    const sharing = left.size > 0 ? await readSharing(reader, websiteId) : undefined;
    if (!sharing) return undefined;
    const days = purged.days.flatMap((stored) => {
      const columns = left.get(stored.day);
      return columns ? [{ ...stored, columns, hits: columns.hits }] : [];
    });
    const others = sharing.exclusions.filter(({ id }) => id !== purged.exclusion.id);
    const spans = days.map(({ day }) => ({ from: day, to: day }));
    const filter = keptOf(sharing.filters && filterOf(sharing.filters), excludingIn(others, spans));
    const gone = [...left].flatMap(([day, columns]) => (columns ? [] : [[day, 0] as const]));
    return new Map([...gone, ...(await countVisitors(reader, { websiteId, days, filter, zone }, pause))]);
  }

  private async expectUnchanged(manager: Transaction): Promise<void> {
    const { websiteId, purged, rules } = this;
    for (const stored of purged.days)
      if (!isDeepStrictEqual(await readDay(manager, websiteId, stored.day), stored)) throw new DaysChanged();
    if (await isHitWaiting(manager, websiteId, rules)) throw new DaysChanged();
  }

  private async name(
    manager: Transaction,
    { left, places }: Written,
    visitors: ReadonlyMap<number, number> | undefined,
    now: number,
  ): Promise<void> {
    const { websiteId, purged } = this;
    await this.expectUnchanged(manager);
    await notePurged(manager, websiteId, purged.exclusion, purged.before);
    await raiseCountsVersion(manager, websiteId);
    const moved = places.size === 0 ? [] : this.stored.filter(({ day }) => !left.has(day));
    if (moved.length > 0) {
      const { segment } = moved[0]!.columns;
      const hits = moved.reduce((sum, own) => sum + own.hits, 0);
      await moveDays(manager, websiteId, [{ segment, days: moved, hits }], new Map(places));
    }
    for (const { day, columns } of purged.days) {
      if (!left.has(day)) continue;
      const own = left.get(day);
      await removeColumnDay(manager, websiteId, day, columns);
      if (own) await insertColumnDay(manager, websiteId, day, own, Math.max(now, columns.sealedAt + 1));
      if (own && own.home !== HOMES.columns)
        await noteNamed(manager, own.home, { websiteId, day, version: own.segment });
      await lowerPlace(manager, websiteId, { day, hits: own?.hits ?? 0 });
    }
    const [changed, gone] = [[...left.keys()], [...left.keys()].filter((day) => !left.get(day))];
    await removeSpans(manager, websiteId, changed);
    await removeAllOfDays(manager, websiteId, gone);
    if (changed.length > 0) await lowerDivision(manager, websiteId, visitors);
  }
}

/** Nobody compares two answers of a page that nobody sees, so it is divided anew once it is shared. */
function lowerDivision(
  manager: Transaction,
  websiteId: number,
  visitors: ReadonlyMap<number, number> | undefined,
): Promise<void> {
  return visitors ? lowerVisitors(manager, websiteId, visitors) : removeDivision(manager, websiteId);
}

async function sumsOf(
  blocks: readonly HitBlock[],
  texts: WebsiteTexts,
  pause: () => Promise<void>,
): Promise<HitSums> {
  const sums = new HitSums();
  for (const block of blocks) {
    sums.addStructureOf(block);
    for (const kind of ALL_KINDS) {
      if (kind !== STRUCTURE) sums.addColumnOf(block, columnOf(kind), texts);
      await pause();
    }
  }
  return sums;
}

/** Tells whether a hit may come that was accepted before. */
export async function isHitWaiting(
  reader: Queryable,
  websiteId: number,
  { acceptedBefore }: PurgeRules,
): Promise<boolean> {
  const [row] = await reader.query<{ oldest: number | string | null }[]>(
    'SELECT MIN(accepted_at) AS oldest FROM inbox WHERE website_id = ?',
    [websiteId],
  );
  return row!.oldest !== null && Number(row!.oldest) < acceptedBefore;
}

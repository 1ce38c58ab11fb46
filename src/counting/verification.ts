import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { dayText } from '../common/time/days';
import { inSteps } from '../common/time/steps';
import { yieldIfNeeded } from '../common/time/yield-if-needed';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { inChunks } from '../database/rows';
import { RetentionClock } from '../retention/retention-clock';
import { monthOf } from '../storage/calendar';
import { readClosedDays, raiseCountsVersion } from '../storage/closed-days';
import { ForgottenDay } from '../storage/damaged-hits';
import { DIMENSIONS, statNameWithCode, type StatName } from '../storage/stat-names';
import { COLUMN_NAMES } from '../storage/hit-columns';
import type { Reading } from '../storage/segments/hits-in-columns';
import { countForgottenBatches, HitsRemoved } from '../storage/batches/batches';
import { removeSomeCheckpoints } from '../storage/checkpoints/checkpoints';
import { checkHashes } from '../storage/sealing/day-visitors';
import { readBatchesFrom, type HitsOfDay, isUnmoved, readDay, readDays } from '../storage/stored-days';
import { countsOfColumns } from '../storage/rollups/day-counts';
import { limitedCounts, type NameCounts } from '../storage/rollups/limits/other-values';
import { addSection, type RollupKey, SPANS } from '../storage/rollups/rollup-format';
import {
  limitedBit,
  type NamedSpan,
  removeMonth,
  removeSpans,
  readRollup,
  readSpans,
} from '../storage/rollups/rollup-rows';
import { DistinctTexts } from '../storage/rollups/texts/distinct-texts';
import { readTexts } from '../storage/rollups/texts/value-texts';
import { Sums } from '../storage/sums';
import { OTHER, valueLimitsOf, valuesWhileOpen } from '../storage/rollups/limits/value-limits';
import { HeldLease } from './websites/held-lease';
import { overDays } from './seal/sealing-times';
import { makeMissingRollups } from './missing-rollups';
import { expectCheckpoints } from './columns/checkpoint-work';
import { BYTES_AT_ONCE } from './columns/column-work';
import { generationOfReadable } from './columns/rollup-work';

/** A value whose count in a rollup differs from that of the hits. */
export interface Difference {
  /** The day, or the first day of the month. */
  day: string;
  name: StatName;
  value: string;
  rolledUp: number;
  inHits: number;
}

/** Receives the number of hits that were read. */
type Report = (hits: number) => void | Promise<void>;

const READ_PATIENCE_MS = 60_000;
/** The number of days whose rollups one statement removes. */
const DAYS_AT_ONCE = 500;
const LAST_DAY = 2 ** 31 - 1;
/** A rollup that is replaced meanwhile is compared again. */
const MAX_ATTEMPTS = 3;

/** The counts of a span by name, with the texts of their codes. */
type CountsByName = Map<StatName, NameCounts>;

/** Compares rollups with the hits that they are derived from, and rebuilds rollups that differ. */
@Injectable()
export class Verification {
  private texts = { websiteId: 0, generation: 0, of: new Map<StatName, DistinctTexts>() };

  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    private readonly settings: Settings,
  ) {}

  /** The days with stored hits. */
  async days(websiteId: number): Promise<HitsOfDay[]> {
    const { statsFrom: from } = await this.clock.calendar();
    return this.database.read((manager) => readDays(manager, websiteId, { from }), READ_PATIENCE_MS);
  }

  /** The days whose hits have expired: their rollups are the only copy of the statistics. */
  async findDaysWithoutHits(websiteId: number): Promise<number[]> {
    const withHits = new Set((await this.days(websiteId)).map(({ day }) => day));
    const { statsFrom } = await this.clock.calendar();
    const spans = await readSpans(this.database, websiteId, SPANS.day, statsFrom, LAST_DAY);
    return spans.map(({ day }) => day).filter((day) => !withHits.has(day));
  }

  /** Reads all hits of a day, and compares them with its rollup, if it has one. */
  async verifyDay(websiteId: number, day: number, report: Report): Promise<Difference[]> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.spanOf(websiteId, SPANS.day, day);
      const stored = await readDay(this.database, websiteId, day);
      await this.expectVisitors(websiteId, stored);
      await this.expectCheckpoints(websiteId, stored);
      const counts = await this.readHits(websiteId, stored, report);
      if (!counts && attempt < MAX_ATTEMPTS) continue;
      if (!before || !counts) return [];
      const differences = await this.compare(websiteId, before, counts);
      const isSame = (await this.spanOf(websiteId, SPANS.day, day))?.number === before.number;
      if (isSame || attempt === MAX_ATTEMPTS) return isSame ? differences : [];
    }
  }

  /** The months with rollups. */
  async months(websiteId: number): Promise<number[]> {
    const { statsFrom } = await this.clock.calendar();
    const spans = await readSpans(this.database, websiteId, SPANS.month, statsFrom, LAST_DAY);
    return spans.map(({ day }) => day);
  }

  /** Compares the rollup of a month with those of its days, and with the hits of days without one. */
  async verifyMonth(websiteId: number, month: number, report: Report): Promise<Difference[]> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.spanOf(websiteId, SPANS.month, month);
      if (!before) return [];
      const counts = await this.countsOfDays(websiteId, month, report);
      if (!counts && attempt < MAX_ATTEMPTS) continue;
      if (!counts) return [];
      const differences = await this.compare(websiteId, before, counts);
      const isSame = (await this.spanOf(websiteId, SPANS.month, month))?.number === before.number;
      return isSame ? differences : [];
    }
  }

  /** Reads the rollup of a day whose hits have expired. There is nothing to compare it with. */
  async readDay(websiteId: number, day: number): Promise<Difference[]> {
    const span = await this.spanOf(websiteId, SPANS.day, day);
    if (span) await this.readRolledUp(websiteId, span);
    return [];
  }

  /** Makes the missing rollups. */
  addMissing(websiteId: number): Promise<void> {
    return HeldLease.during(this.database, websiteId, (held) => this.rollUp(held));
  }

  /**
   * Removes the rollups of a day and of its month, and its checkpoints, and makes the rollups again. Meanwhile the hits
   * answer.
   */
  rebuildDay(websiteId: number, day: number): Promise<void> {
    return this.rebuild(websiteId, day, (manager) => removeSpans(manager, websiteId, [day]));
  }

  /** Rebuilds the rollup of a month. The rollups of its days are read first, because they may be the only copy. */
  async rebuildMonth(websiteId: number, month: number): Promise<void> {
    const spans = await readSpans(this.database, websiteId, SPANS.day, month, monthOf(month, 1) - 1);
    for (const { day } of spans) await this.readDay(websiteId, day);
    await this.rebuild(websiteId, month, (manager) => removeMonth(manager, websiteId, month));
  }

  /**
   * Rebuilds all rollups of a website with a new text table. If the hits have expired, values without a text become
   * `(other)`.
   */
  async rebuildTexts(websiteId: number): Promise<void> {
    const withHits = (await this.days(websiteId)).map(({ day }) => day);
    const { valueLimits } = overDays(await this.clock.moments());
    await HeldLease.during(this.database, websiteId, async (held) => {
      await held.write(async (manager) => {
        for (const days of inChunks(withHits, DAYS_AT_ONCE)) await removeSpans(manager, websiteId, days);
        await raiseCountsVersion(manager, websiteId);
      });
      await generationOfReadable(this.database, held.lease, valueLimits).run(held.turn);
      await this.rollUp(held);
    });
  }

  /** Damage of other days is reported when those are rebuilt. */
  private async rebuild(
    websiteId: number,
    day: number,
    remove: (manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await HeldLease.during(this.database, websiteId, async (held) => {
      for (let isDone = false; !isDone;)
        await held.write(async (manager) => {
          isDone = await removeSomeCheckpoints(manager, { websiteId, day }, 0, BYTES_AT_ONCE);
        });
      await held.write(async (manager) => {
        await remove(manager);
        await raiseCountsVersion(manager, websiteId);
      });
      await this.rollUp(held, (days) => days.includes(day));
    });
  }

  /** Makes all missing rollups. Throws if a requested one cannot be made. */
  private async rollUp(
    held: HeldLease,
    isWanted: (days: readonly number[]) => boolean = () => true,
  ): Promise<void> {
    const over = overDays(await this.clock.moments());
    const notMade = await makeMissingRollups(this.database, held, over);
    const failed = notMade.find(({ days }) => isWanted(days));
    if (failed) throw failed.damage;
  }

  private async spanOf(websiteId: number, span: number, day: number): Promise<NamedSpan | undefined> {
    const [found] = await readSpans(this.database, websiteId, span, day, day);
    return found && { websiteId, span, ...found };
  }

  /** Throws if visitors of a day were forgotten before sealing, because they count more than once, or if hashes are damaged. */
  private async expectVisitors(websiteId: number, stored: HitsOfDay): Promise<void> {
    const { day, columns } = stored;
    const forgotten = await this.database.read(
      (manager) => countForgottenBatches(manager, websiteId, day),
      READ_PATIENCE_MS,
    );
    if (forgotten > 0) throw new ForgottenDay(websiteId, day);
    const sealing = columns?.sealing ?? null;
    if (sealing === null) return;
    try {
      // Late hits find their visitors by hashes that nothing else reads.
      await checkHashes(this.database, { websiteId, day, sealing });
    } catch (error) {
      // Hashes may be forgotten, or the day sealed again, at any moment.
      if (await isUnmoved(this.database, websiteId, stored)) throw error;
    }
  }

  private readHits(websiteId: number, stored: HitsOfDay, report: Report): Promise<CountsByName | undefined> {
    return this.unlessChanged(websiteId, stored, async () => {
      await this.readBatches(websiteId, stored, report);
      return this.countsOf(websiteId, stored, report);
    });
  }

  /** Each checkpoint of an open day must agree with its hits. */
  private async expectCheckpoints(websiteId: number, { day, hits, columns }: HitsOfDay): Promise<void> {
    if (columns) return;
    const { newPerDay } = valueLimitsOf(this.settings.newValuesPerDay);
    await this.database.read(async (reader) => {
      const of = { reader, websiteId, day, pause: yieldIfNeeded };
      await expectCheckpoints(of, hits, valuesWhileOpen(newPerDay));
    }, READ_PATIENCE_MS);
  }

  /** Undefined if the day changed meanwhile, or its hits were removed. */
  private async unlessChanged<T>(
    websiteId: number,
    stored: HitsOfDay,
    read: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof HitsRemoved)) throw error;
      if (await isUnmoved(this.database, websiteId, stored)) throw error.asDamage();
      return undefined;
    }
  }

  /** The counts of the days of a month. Undefined if one of the days changed meanwhile. */
  private async countsOfDays(
    websiteId: number,
    month: number,
    report: Report,
  ): Promise<CountsByName | undefined> {
    const days = { from: month, to: monthOf(month, 1) - 1 };
    const spans = await readSpans(this.database, websiteId, SPANS.day, days.from, days.to);
    const rolledUp = new Set(spans.map(({ day }) => day));
    const all: CountsByName = new Map();
    for (const { day, number } of spans)
      addCounts(all, await this.readRolledUp(websiteId, { websiteId, span: SPANS.day, day, number }));
    for (const stored of await readDays(this.database, websiteId, days)) {
      if (rolledUp.has(stored.day)) continue;
      const counts = await this.unlessChanged(websiteId, stored, () =>
        this.countsOf(websiteId, stored, report),
      );
      if (!counts) return undefined;
      addCounts(all, counts);
    }
    return all;
  }

  private async readBatches(
    websiteId: number,
    { day, hits, columns }: HitsOfDay,
    report: Report,
  ): Promise<void> {
    for await (const batch of readBatchesFrom(this.read, websiteId, day, columns?.hits ?? 0, hits)) {
      for (const name of COLUMN_NAMES) batch.texts(name);
      await report(batch.hits);
      await yieldIfNeeded();
    }
  }

  /** The counts of a day's columns, with the limits of its rollup. */
  private async countsOf(websiteId: number, stored: HitsOfDay, report: Report): Promise<CountsByName> {
    const counts: CountsByName = new Map();
    if (!stored.columns) return counts;
    const limits = valueLimitsOf(this.settings.newValuesPerDay);
    const day = { day: stored.day, columns: stored.columns };
    for await (const own of countsOfColumns(this.read, websiteId, day, yieldIfNeeded)) {
      const limited = await inSteps(limitedCounts(own, limits.newPerDay), yieldIfNeeded);
      counts.set(own.name, { ...own, counts: limited.counts });
    }
    await report(stored.columns.hits);
    return counts;
  }

  private readonly read: Reading = (work) => work(this.database);

  private async compare(websiteId: number, key: NamedSpan, wanted: CountsByName): Promise<Difference[]> {
    const rolledUp = await this.readRolledUp(websiteId, key);
    const { epoch } = await readClosedDays(this.database, websiteId);
    const differences: Difference[] = [];
    for (const name of new Set([...rolledUp.keys(), ...wanted.keys()])) {
      const [own, other] = [countsByValue(rolledUp.get(name)), countsByValue(wanted.get(name))];
      if (epoch > 0 && (key.limited & limitedBit(name)) !== 0) leaveOut(other, own);
      for (const value of new Set([...own.keys(), ...other.keys()])) {
        const [found, inHits] = [own.get(value) ?? 0, other.get(value) ?? 0];
        if (found !== inHits)
          differences.push({ day: dayText(key.day), name, value, rolledUp: found, inHits });
      }
    }
    return differences;
  }

  private async readRolledUp(websiteId: number, key: RollupKey): Promise<CountsByName> {
    const { epoch } = await readClosedDays(this.database, websiteId);
    const sums = new Map<StatName, Sums>();
    for await (const { name: code, sections } of readRollup(this.database, key)) {
      const own = sums.get(statNameWithCode(code)) ?? new Sums();
      sums.set(statNameWithCode(code), own);
      for (const section of sections) addSection(own, section);
    }
    const counts: CountsByName = new Map();
    for (const [name, { counts: own }] of sums)
      counts.set(name, { name, texts: await this.textsOf(websiteId, epoch, name, own.length), counts: own });
    return counts;
  }

  /** The texts of one website are in memory at a time. A table is read again when a new code occurs. */
  private async textsOf(
    websiteId: number,
    generation: number,
    name: StatName,
    codes: number,
  ): Promise<DistinctTexts | undefined> {
    if (DIMENSIONS[name].days) return undefined;
    if (this.texts.websiteId !== websiteId || this.texts.generation !== generation)
      this.texts = { websiteId, generation, of: new Map() };
    const known = this.texts.of.get(name);
    if (known && known.size >= codes) return known;
    const texts = new DistinctTexts();
    for await (const { bytes, ends } of readTexts(this.database, websiteId, generation, name, 0))
      texts.addAll(bytes, ends);
    this.texts.of.set(name, texts);
    return texts;
  }
}

function addCounts(all: CountsByName, more: CountsByName): void {
  for (const [name, { texts, counts }] of more) {
    const known = all.get(name) ?? { name, texts: texts && new DistinctTexts(), counts: new Float64Array(0) };
    const sums = new Sums(known.counts);
    for (let code = 0; code < counts.length; code++)
      if (counts[code] !== 0) sums.add(texts ? known.texts!.codeOf(texts.textOf(code)) : code, counts[code]!);
    all.set(name, { ...known, counts: sums.counts });
  }
}

function countsByValue(of: NameCounts | undefined): Map<string, number> {
  const values = new Map<string, number>();
  if (!of) return values;
  const { texts, counts } = of;
  for (let code = 0; code < counts.length; code++)
    if (counts[code] !== 0) values.set(valueOf(texts, code), counts[code]!);
  return values;
}

/** A generation may have counted further values as `(other)`. */
function leaveOut(wanted: Map<string, number>, rolledUp: Map<string, number>): void {
  for (const [value, count] of [...wanted]) {
    if (rolledUp.has(value)) continue;
    wanted.delete(value);
    wanted.set(OTHER, (wanted.get(OTHER) ?? 0) + count);
  }
}

function valueOf(texts: DistinctTexts | undefined, code: number): string {
  if (!texts) return dayText(code);
  return code < texts.size ? texts.textOf(code) : `code ${code}`;
}

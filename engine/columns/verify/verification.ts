import type { Reading } from '../../database/rows';
import { dayText } from '../../ground/time/days';
import { inSteps } from '../../ground/time/work-in-steps';
import { yieldIfNeeded } from '../../ground/time/yield-if-needed';
import type { HitSettings } from '../../database/hit-settings';
import type { Database } from '../../database/database';
import type { RetentionClock } from '../../database/retention-clock';
import { countForgottenBatches, HitsRemoved } from '../batches/batches';
import { monthOf } from '../../hits/calendar';
import { readClosedDays } from '../closed-days';
import { DamagedRollups, ForgottenDay } from '../damaged-hits';
import { COLUMN_NAMES } from '../../hits/hit-columns';
import { readExclusions } from '../left-out';
import { readCountsOfDay } from '../rollups/day-counts';
import { limitedCounts } from '../rollups/limits/other-values';
import { valueLimitsOf } from '../../hits/rules/value-limits';
import { SPANS } from '../rollups/rollup-format';
import { limitedBit, type NamedSpan, readSpans } from '../rollups/rollup-rows';
import { checkHashes } from '../ordering/day-visitors';
import { partsOfDay } from '../segments/hits-in-columns';
import type { StatName } from '../../hits/stat-names';
import { readBatchesFrom, type HitsOfDay, isUnmoved, readDay, readDays } from '../stored-days';
import { compareCheckpoints } from './checkpoint-comparison';
import {
  addCountsByName,
  type CountsByName,
  type Difference,
  differencesBetween,
  type OtherCount,
  otherCountsOf,
} from './differences';
import { RolledUpCounts } from './rolled-up-counts';

/** Counts the hits of a day by name and value, without the code that makes rollups. */
export interface CountsInSql {
  ofDay(
    websiteId: number,
    day: number,
    blocks: ReturnType<typeof partsOfDay>,
  ): Promise<ReadonlyMap<StatName, ReadonlyMap<string, number>>>;
}

/** Receives the number of hits that were read. */
type Report = (hits: number) => void | Promise<void>;

const READ_PATIENCE_MS = 60_000;
const LAST_DAY = 2 ** 31 - 1;
const MAX_ATTEMPTS = 3;

/** The hits of a day or month, or its rollup, changed in each attempt to compare them. */
export class KeepsChanging extends Error {
  constructor({ websiteId, span, day }: SpanKey) {
    const what = span === SPANS.month ? `month from ${dayText(day)}` : dayText(day);
    super(
      `The statistics of ${what} change too often to be compared (website ${websiteId}). Try again later.`,
    );
  }
}

type SpanKey = Pick<NamedSpan, 'websiteId' | 'span' | 'day'>;

/** Compares rollups and checkpoints with the hits that they are derived from. */
export class Verification {
  private readonly rolledUp: RolledUpCounts;

  constructor(
    private readonly database: Database,
    private readonly clock: RetentionClock,
    private readonly settings: HitSettings,
  ) {
    this.rolledUp = new RolledUpCounts(database);
  }

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

  /** Reads all hits of a day, and compares them with its checkpoints and its rollup, if it has any. */
  verifyDay(websiteId: number, day: number, report: Report): Promise<Difference[]> {
    return this.compareSpan({ websiteId, span: SPANS.day, day }, async () => {
      const stored = await readDay(this.database, websiteId, day);
      await this.expectVisitors(websiteId, stored);
      return this.readHits(websiteId, stored, report);
    });
  }

  /** Compares the counts of a day's columns with those of statements of SQL. */
  async recountDay(websiteId: number, day: number, inSql: CountsInSql): Promise<OtherCount[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const stored = await readDay(this.database, websiteId, day);
      const { columns } = stored;
      if (!columns) return [];
      const found = await this.unlessChanged(websiteId, stored, async () => {
        const blocks = partsOfDay(this.read, websiteId, day, columns);
        const counts = await inSql.ofDay(websiteId, day, blocks);
        const differences: OtherCount[] = [];
        for await (const own of readCountsOfDay(this.read, websiteId, { day, columns }, yieldIfNeeded))
          // Of a list that was cut for lack of memory, the rest is not known.
          if (!own.isCut)
            for (const difference of otherCountsOf(own, counts.get(own.name)!))
              differences.push({ day: dayText(day), ...difference });
        return differences;
      });
      if (found) return found;
    }
    throw new KeepsChanging({ websiteId, span: SPANS.day, day });
  }

  /** The months with rollups. */
  async months(websiteId: number): Promise<number[]> {
    const { statsFrom } = await this.clock.calendar();
    const spans = await readSpans(this.database, websiteId, SPANS.month, statsFrom, LAST_DAY);
    return spans.map(({ day }) => day);
  }

  /** Compares the rollup of a month with those of its days, and with the hits of days without one. */
  verifyMonth(websiteId: number, month: number, report: Report): Promise<Difference[]> {
    const key = { websiteId, span: SPANS.month, day: month };
    return this.compareSpan(key, () => this.countsOfDays(websiteId, month, report));
  }

  /** Reads the rollup of a day whose hits have expired. There is nothing to compare it with. */
  async readDay(websiteId: number, day: number): Promise<Difference[]> {
    const span = await this.spanOf({ websiteId, span: SPANS.day, day });
    if (span) await this.rolledUp.read(span);
    return [];
  }

  /** Compares again if the hits change meanwhile, or the rollup is replaced. `count` returns undefined if hits change. */
  private async compareSpan(
    key: SpanKey,
    count: () => Promise<CountsByName | undefined>,
  ): Promise<Difference[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await this.spanOf(key);
      const isReplaced = async () => (await this.spanOf(key))?.number !== before?.number;
      try {
        const counts = await count();
        if (!counts) continue;
        if (!before) return [];
        const differences = await this.compare(before, counts);
        if (!(await isReplaced())) return differences;
      } catch (error) {
        // The rows of a rollup go soon after it was replaced.
        if (!(error instanceof DamagedRollups) || !(await isReplaced())) throw error;
      }
    }
    throw new KeepsChanging(key);
  }

  private async spanOf({ websiteId, span, day }: SpanKey): Promise<NamedSpan | undefined> {
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
      if (!stored.columns && !(await compareCheckpoints(this.database, websiteId, stored))) return undefined;
      await this.readBatches(websiteId, stored, report);
      return this.countsOf(websiteId, stored, report);
    });
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
      addCountsByName(all, await this.rolledUp.read({ websiteId, span: SPANS.day, day, number }));
    for (const stored of await readDays(this.database, websiteId, days)) {
      if (rolledUp.has(stored.day)) continue;
      const counts = await this.unlessChanged(websiteId, stored, () =>
        this.countsOf(websiteId, stored, report),
      );
      if (!counts) return undefined;
      addCountsByName(all, counts);
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
    const exclusions = await readExclusions(this.database, websiteId);
    const leftOut = { exclusions, timezone: this.settings.timezone };
    for await (const own of readCountsOfDay(this.read, websiteId, day, yieldIfNeeded, leftOut)) {
      const limited = await inSteps(limitedCounts(own, limits.newPerDay), yieldIfNeeded);
      counts.set(own.name, { ...own, counts: limited.counts });
    }
    await report(stored.columns.hits);
    return counts;
  }

  private readonly read: Reading = (work) => work(this.database);

  private async compare(key: NamedSpan, inHits: CountsByName): Promise<Difference[]> {
    const rolledUp = await this.rolledUp.read(key);
    const { epoch } = await readClosedDays(this.database, key.websiteId);
    const hasFurtherOthers = (name: StatName) => epoch > 0 && (key.limited & limitedBit(name)) !== 0;
    const day = dayText(key.day);
    return Array.from(differencesBetween(rolledUp, inHits, hasFurtherOthers), (own) => ({ day, ...own }));
  }
}

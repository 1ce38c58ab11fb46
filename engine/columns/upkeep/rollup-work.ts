import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { inPieces, insertAll, type Queryable, type Transaction, type Reading } from '../../database/rows';
import { monthOf } from '../../hits/calendar';
import { closeDaysBefore, readClosedDays, raiseRollups, raiseCountsVersion } from '../closed-days';
import type { StatName } from '../../hits/stat-names';
import { excludingIn } from '../../questions/exclusions';
import { readExclusions } from '../left-out';
import { type DayInColumns, DaysChanged } from '../segments/hit-segments';
import { HitsRemoved } from '../batches/batches';
import { type HitsOfDay, readDays } from '../stored-days';
import { bytesToRollUp, type LeftOut, readCountsOfDay, readCountsOfSomeNames } from '../rollups/day-counts';
import { GenerationChanged, NextGeneration } from '../rollups/generation';
import { countTogether, type CountsOfDay, prepareMonth } from '../rollups/month-sums';
import { type RollupKey, type RollupRow, SPANS } from '../rollups/rollup-format';
import {
  noteGivenUpDays,
  nameSpan,
  rollupInsertion,
  readSpans,
  findDaysNotGivenUp,
} from '../rollups/rollup-rows';
import { type FullTables, prepareRollup, type PreparedRollup } from '../rollups/rollup-writer';
import { TextsChanged, type TextWrite, writeTexts } from '../rollups/texts/text-rows';
import type { ValueLimits } from '../../hits/rules/value-limits';
import { BYTES_AT_ONCE, type ColumnTurn, type ColumnWork, pauseIn, TurnEnded, writeIn } from './column-work';
import type { CountingLease } from '../leases/counting-lease';
import { ROLLED_UP_HITS } from '../rollups/rollup-rules';
import type { OverDays } from '../seal/sealing-times';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';

const LAST_DAY = 2 ** 31 - 1;
/** The days changed, so the rollup is made again. */
const CHANGES = [DaysChanged, TextsChanged, HitsRemoved];

/** The rules for the days and months that are rolled up. */
type RollupRules = Pick<
  OverDays,
  'rollAllBefore' | 'giveUpBefore' | 'statsFrom' | 'finalBefore' | 'valueLimits' | 'timezone'
>;

/** A rollup, with the number of hits that it covers. */
type Made = (PreparedRollup & { hits: number }) | FullTables;

/** The span of a rollup: a day, or a month by its first day. */
interface RolledUp {
  readonly span: number;
  readonly day: number;
  readonly hits: number;
  /** The sealed days that it is made from. */
  readonly days: readonly HitsOfDay[];
}

/** Makes the rollup of a day or a month from columns, and from the rollups of the month's days. */
class RollupWork implements ColumnWork {
  readonly days: readonly number[];
  private readonly number: number;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly rolledUp: RolledUp,
    private readonly lease: CountingLease,
    private readonly limits: ValueLimits,
    private readonly leftOut: LeftOut,
  ) {
    // Another use of the lease has another number.
    this.number = lease.nextUse;
    // A failure suspends these days.
    this.days = [...new Set([rolledUp.day, ...rolledUp.days.map(({ day }) => day)])];
  }

  /** The day after it. */
  private get end(): number {
    const { span, day } = this.rolledUp;
    return span === SPANS.month ? monthOf(day, 1) : day + 1;
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      const bytes = bytesToRollUp(this.rolledUp.hits);
      const full = await SEALING_MEMORY.takeDuring(bytes, turn.goOn, () => this.rollUp(turn));
      if (full) await new GenerationWork(this.database, this.lease, full, this.limits).run(turn);
    } catch (error) {
      if (error instanceof TurnEnded || CHANGES.some((change) => error instanceof change)) return;
      throw error;
    }
  }

  /** Returns the names whose text tables are full, if any. */
  private async rollUp(turn: ColumnTurn): Promise<readonly StatName[] | undefined> {
    const { epoch: generation } = await readClosedDays(this.database, this.websiteId);
    const { span, day } = this.rolledUp;
    const key = { websiteId: this.websiteId, number: this.number, span, day, generation };
    const made = await this.make(turn, key);
    if (made.isFull) return made.names;
    const { rows, texts } = made;
    const isSmall = bytesOf(rows) + bytesOf(texts.map(({ row }) => row)) <= BYTES_AT_ONCE;
    if (!isSmall) await this.writeBefore(turn, rows, texts);
    await turn.write(async (manager) => {
      await this.expectUnchanged(manager, generation);
      if (isSmall) {
        await insertAll(manager, [rollupInsertion(rows)]);
        await writeTexts(manager, texts);
      }
      await nameSpan(manager, { ...key, hits: made.hits, limited: made.limited });
      await closeDaysBefore(manager, this.websiteId, this.end);
      await raiseRollups(manager, this.websiteId);
      if (made.isLarge) await raiseCountsVersion(manager, this.websiteId);
    });
    return undefined;
  }

  private async make(turn: ColumnTurn, key: RollupKey & { generation: number }): Promise<Made> {
    const { database, websiteId, read, limits, leftOut } = this;
    const { span, hits } = this.rolledUp;
    const days = this.rolledUp.days.map(({ day, columns }) => ({ day, columns: columns! }));
    const pause = pauseIn(turn);
    const writeMany = (texts: TextWrite[]) => this.writeBefore(turn, [], texts);
    if (span === SPANS.month) {
      const countsOf: CountsOfDay<DayInColumns> = (day, names) =>
        readCountsOfSomeNames(read, websiteId, day, names, pause, leftOut);
      const smallHits = days.reduce((sum, { columns }) => sum + columns.hits, 0);
      const small = { hits: smallHits, counts: countTogether(days, countsOf, limits) };
      return prepareMonth(database, key, small, limits, writeMany, pause);
    }
    const counts = readCountsOfDay(read, websiteId, days[0]!, pause, leftOut);
    const prepared = await prepareRollup(database, key, counts, limits, writeMany, pause);
    return prepared.isFull ? prepared : { ...prepared, hits };
  }

  private readonly read: Reading = (work) => work(this.database);

  /** Writes rows that no reader uses before the span is named. */
  private async writeBefore(turn: ColumnTurn, rows: RollupRow[], texts: TextWrite[]): Promise<void> {
    for (const some of inPieces(texts, Infinity, BYTES_AT_ONCE, ({ row }) => row.data.length))
      await writeIn(turn, (manager) => writeTexts(manager, some));
    for (const some of inPieces(rows, Infinity, BYTES_AT_ONCE, ({ data }) => data.length))
      await writeIn(turn, (manager) => insertAll(manager, [rollupInsertion(some)]));
  }

  /** Fails if hits arrived or were purged meanwhile, or others are left out: the rollup does not cover that. */
  private async expectUnchanged(manager: Transaction, generation: number): Promise<void> {
    const { websiteId } = this;
    const { day, days } = this.rolledUp;
    if ((await readClosedDays(manager, websiteId)).epoch !== generation) throw new DaysChanged();
    if (!isDeepStrictEqual(await readExclusions(manager, websiteId), this.leftOut.exclusions))
      throw new DaysChanged();
    const now = await findDaysWithoutRollup(manager, websiteId, day, this.end - 1);
    const isAsBefore =
      now.length === days.length &&
      now.every(
        (own, index) =>
          own.day === days[index]!.day &&
          own.hits === days[index]!.hits &&
          own.version === days[index]!.version &&
          isWhole(own),
      );
    if (!isAsBefore) throw new DaysChanged();
  }
}

/** Rewrites all rollups of a website with the texts in use. Full names keep the texts that are used most. */
class GenerationWork implements ColumnWork {
  readonly days = [];

  constructor(
    private readonly database: Database,
    private readonly lease: CountingLease,
    private readonly full: readonly StatName[],
    private readonly limits: ValueLimits,
    private readonly isSalvage = false,
  ) {}

  async run(turn: ColumnTurn): Promise<void> {
    // The codes of all names are in memory at once.
    await SEALING_MEMORY.takeDuring(SEALING_LIMITS.largestBytes, turn.goOn, () => this.renew(turn));
  }

  private async renew(turn: ColumnTurn): Promise<void> {
    const { database, lease, full, limits } = this;
    const { websiteId } = lease;
    const number = () => lease.nextUse;
    const next = new NextGeneration(
      database,
      websiteId,
      full,
      number,
      limits,
      BYTES_AT_ONCE,
      this.isSalvage,
      pauseIn(turn),
    );
    try {
      for await (const insertions of next.pieces())
        if (!(await turn.write((manager) => insertAll(manager, insertions)))) return;
      await turn.write(async (manager) => {
        await next.name(manager);
        await raiseRollups(manager, websiteId);
        await raiseCountsVersion(manager, websiteId);
      });
    } catch (error) {
      if (!(error instanceof GenerationChanged || error instanceof TurnEnded)) throw error;
    }
  }
}

/** Marks days with damaged hits, so that these expire without a rollup. */
class GivingUp implements ColumnWork {
  /** It moves no hits, so it does not wait until the suspended days are tried again. */
  readonly days = [];

  constructor(
    private readonly websiteId: number,
    private readonly damaged: number[],
  ) {}

  async run(turn: ColumnTurn): Promise<void> {
    await turn.write((manager) => noteGivenUpDays(manager, this.websiteId, this.damaged));
  }
}

/** A generation of all readable rollups and texts. */
export function generationOfReadable(
  database: Database,
  lease: CountingLease,
  limits: ValueLimits,
): ColumnWork {
  return new GenerationWork(database, lease, [], limits, true);
}

/** The next rollup to make, if any. */
export async function nextRollup(
  database: Database,
  lease: CountingLease,
  { rollAllBefore, giveUpBefore, statsFrom, finalBefore, valueLimits: limits, timezone }: RollupRules,
  isPaused: (day: number) => boolean = () => false,
): Promise<ColumnWork | undefined> {
  const { websiteId } = lease;
  const days = await findDaysWithoutRollup(database, websiteId, statsFrom, LAST_DAY);
  const lost = days.filter(({ day }) => day < giveUpBefore && isPaused(day)).map(({ day }) => day);
  const notGivenUp = await findDaysNotGivenUp(database, websiteId, lost);
  if (notGivenUp.length > 0) return new GivingUp(websiteId, notGivenUp);
  const exclusions = await readExclusions(database, websiteId);
  const leftOut = { exclusions, timezone };
  // A filter takes longer than counting all hits, also of few.
  const isPartly = ({ day }: HitsOfDay) => excludingIn(exclusions, [{ from: day, to: day }]).length > 0;
  const isReady = (own: HitsOfDay) =>
    isWhole(own) &&
    (own.hits >= ROLLED_UP_HITS.day || own.day < rollAllBefore || isPartly(own)) &&
    !isPaused(own.day);
  const day = days.find(isReady);
  if (day)
    return new RollupWork(
      database,
      websiteId,
      { span: SPANS.day, day: day.day, hits: day.hits, days: [day] },
      lease,
      limits,
      leftOut,
    );
  const month = await nextMonth(database, websiteId, { statsFrom, finalBefore }, days, isPaused);
  return month && new RollupWork(database, websiteId, month, lease, limits, leftOut);
}

/** The first month that is over, stored completely, and has enough hits. */
async function nextMonth(
  database: Database,
  websiteId: number,
  { statsFrom, finalBefore: before }: Pick<RollupRules, 'statsFrom' | 'finalBefore'>,
  without: readonly HitsOfDay[],
  isPaused: (day: number) => boolean,
): Promise<RolledUp | undefined> {
  const rolledUp = await readSpans(database, websiteId, SPANS.day, statsFrom, before - 1);
  const known = new Set(
    (await readSpans(database, websiteId, SPANS.month, statsFrom, before)).map(({ day }) => day),
  );
  const hits = new Map<number, number>();
  for (const own of [...rolledUp, ...without])
    hits.set(monthOf(own.day), (hits.get(monthOf(own.day)) ?? 0) + own.hits);
  for (const [day, size] of [...hits].sort(([one], [other]) => one - other)) {
    const end = monthOf(day, 1);
    if (known.has(day) || day < statsFrom || end > before || size < ROLLED_UP_HITS.month) continue;
    const days = without.filter((own) => own.day >= day && own.day < end);
    if (isPaused(day) || days.some((own) => isPaused(own.day))) continue;
    if (days.every(isWhole)) return { span: SPANS.month, day, hits: size, days };
  }
  return undefined;
}

/** `Infinity` if all days have a rollup. */
export async function findFirstDayWithoutRollup(reader: Queryable, websiteId: number): Promise<number> {
  const [first] = await findDaysWithoutRollup(reader, websiteId, 0, LAST_DAY);
  return first?.day ?? Infinity;
}

/** The days of a range with hits but no rollup, in order. */
async function findDaysWithoutRollup(
  reader: Queryable,
  websiteId: number,
  from: number,
  to: number,
): Promise<HitsOfDay[]> {
  const rolledUp = new Set((await readSpans(reader, websiteId, SPANS.day, from, to)).map(({ day }) => day));
  return (await readDays(reader, websiteId, { from, to })).filter(({ day }) => !rolledUp.has(day));
}

/** Tells whether all hits of a day are in columns. */
function isWhole({ hits, columns }: HitsOfDay): boolean {
  return columns !== undefined && columns.hits === hits;
}

function bytesOf(rows: { data: Buffer }[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}

import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { inPieces, insertAll, type Queryable } from '../database/rows';
import { monthOf } from '../storage/calendar';
import { closeDaysBefore, closedDays, raiseRollups, raiseVersion } from '../storage/closed-days';
import type { StatName } from '../storage/dimensions';
import { DaysChanged } from '../storage/hit-chunks';
import type { Reading } from '../storage/hits-in-columns';
import { HitsRemoved } from '../storage/hits/batches';
import { type HitsOfDay, keptDays } from '../storage/kept-hits';
import { countsOfColumns } from '../storage/rollups/day-counts';
import { GenerationChanged, NextGeneration } from '../storage/rollups/generation';
import { preparedMonth, type SmallDay } from '../storage/rollups/month-sums';
import { type RollupKey, type RollupRow, SPANS } from '../storage/rollups/rollup-format';
import { giveUp, nameSpan, rollupInsertion, spansIn, withoutGivenUp } from '../storage/rollups/rollup-rows';
import { type FullTables, preparedRollup, type PreparedRollup } from '../storage/rollups/rollup-writer';
import { TextsChanged, type TextWrite, writeTexts } from '../storage/rollups/text-rows';
import type { ValueLimits } from '../storage/value-limits';
import { between, BYTES_AT_ONCE, type ColumnTurn, type ColumnWork } from './column-work';
import type { CountingLease } from './counting-lease';
import { SMALL_DAY_HITS } from './due-days';
import type { OverDays } from './kept';

const LAST_DAY = 2 ** 31 - 1;
/** What a rollup is made of is not there any more as it was: it is made anew. */
const CHANGES = [DaysChanged, TextsChanged, HitsRemoved];

/** What decides which days and months are rolled up. */
type RollupRules = Pick<
  OverDays,
  'rollAllBefore' | 'giveUpBefore' | 'keptFrom' | 'finalBefore' | 'valueLimits'
>;

/** A rollup with the number of hits that it covers. */
type Made = (PreparedRollup & { hits: number }) | FullTables;

/** What is rolled up: a day, or a month by its first day. */
interface RolledUp {
  readonly span: number;
  readonly day: number;
  /** The days in columns that it is made of. */
  readonly days: readonly HitsOfDay[];
}

/** Makes the rollup of a day or of a month from what is in columns, and from the rollups of the month's days. */
class RollupWork implements ColumnWork {
  readonly days: readonly number[];
  private readonly number: number;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly rolledUp: RolledUp,
    private readonly lease: CountingLease,
    private readonly limits: ValueLimits,
  ) {
    // Another use of the lease has another number.
    this.number = lease.nextUse;
    // What fails is put aside by its days.
    this.days = [...new Set([rolledUp.day, ...rolledUp.days.map(({ day }) => day)])];
  }

  /** The day behind it. */
  private get end(): number {
    const { span, day } = this.rolledUp;
    return span === SPANS.month ? monthOf(day, 1) : day + 1;
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await this.rollUp(turn);
    } catch (error) {
      if (CHANGES.some((change) => error instanceof change)) return;
      throw error;
    }
  }

  private async rollUp(turn: ColumnTurn): Promise<void> {
    const { epoch: generation } = await closedDays(this.database, this.websiteId);
    const { span, day } = this.rolledUp;
    const key = { websiteId: this.websiteId, number: this.number, span, day, generation };
    const made = await this.made(turn, key);
    if (!made) return;
    if (made.isFull) return new GenerationWork(this.database, this.lease, made.names, this.limits).run(turn);
    const { rows, texts } = made;
    const isSmall = bytesOf(rows) + bytesOf(texts.map(({ row }) => row)) <= BYTES_AT_ONCE;
    if (!isSmall && !(await this.writeBefore(turn, rows, texts))) return;
    await turn.write(async (manager) => {
      await this.expectUnchanged(manager, generation);
      if (isSmall) {
        await insertAll(manager, [rollupInsertion(rows)]);
        await writeTexts(manager, texts);
      }
      await nameSpan(manager, { ...key, hits: made.hits, limited: made.limited });
      await closeDaysBefore(manager, this.websiteId, this.end);
      await raiseRollups(manager, this.websiteId);
    });
  }

  private async made(turn: ColumnTurn, key: RollupKey & { generation: number }): Promise<Made | undefined> {
    const { database, limits } = this;
    const { span, days } = this.rolledUp;
    const small: SmallDay[] = [];
    for (const day of days) {
      const counts = await countsOfColumns(this.read, this.websiteId, day.day, day.columns!, between(turn));
      if (!counts) return undefined;
      small.push({ hits: day.hits, counts });
    }
    if (span === SPANS.month) return preparedMonth(database, key, small, limits);
    const [{ hits, counts }] = small as [SmallDay];
    const prepared = await preparedRollup(database, key, counts, limits);
    return prepared.isFull ? prepared : { ...prepared, hits };
  }

  private readonly read: Reading = (work) => work(this.database);

  /** What nobody knows until its span is named. */
  private async writeBefore(turn: ColumnTurn, rows: RollupRow[], texts: TextWrite[]): Promise<boolean> {
    for (const some of inPieces(texts, Infinity, BYTES_AT_ONCE, ({ row }) => row.data.length))
      if (!(await turn.write((manager) => writeTexts(manager, some)))) return false;
    for (const some of inPieces(rows, Infinity, BYTES_AT_ONCE, ({ data }) => data.length))
      if (!(await turn.write((manager) => insertAll(manager, [rollupInsertion(some)])))) return false;
    return true;
  }

  /** Hits that came meanwhile are not in it. */
  private async expectUnchanged(manager: EntityManager, generation: number): Promise<void> {
    const { websiteId } = this;
    const { day, days } = this.rolledUp;
    if ((await closedDays(manager, websiteId)).epoch !== generation) throw new DaysChanged();
    const now = await daysWithoutRollup(manager, websiteId, day, this.end - 1);
    const isAsBefore =
      now.length === days.length &&
      now.every(
        (own, index) => own.day === days[index]!.day && own.hits === days[index]!.hits && isWhole(own),
      );
    if (!isAsBefore) throw new DaysChanged();
  }
}

/** Writes all rollups of a website anew, with the texts that are used, or of full names those that are used most. */
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
    const { database, lease, full, limits } = this;
    const { websiteId } = lease;
    const number = () => lease.nextUse;
    const next = new NextGeneration(database, websiteId, full, number, limits, BYTES_AT_ONCE, this.isSalvage);
    try {
      for await (const insertions of next.pieces())
        if (!(await turn.write((manager) => insertAll(manager, insertions)))) return;
      await turn.write(async (manager) => {
        await next.name(manager);
        await raiseRollups(manager, websiteId);
        await raiseVersion(manager, websiteId);
      });
    } catch (error) {
      if (!(error instanceof GenerationChanged)) throw error;
    }
  }
}

/** Notes days whose hits are damaged, so that these leave without a rollup. */
class GivingUp implements ColumnWork {
  constructor(
    private readonly websiteId: number,
    readonly days: number[],
  ) {}

  async run(turn: ColumnTurn): Promise<void> {
    await turn.write((manager) => giveUp(manager, this.websiteId, this.days));
  }
}

/** The rollups that can be read, with the texts that can be. */
export function generationOfReadable(
  database: Database,
  lease: CountingLease,
  limits: ValueLimits,
): ColumnWork {
  return new GenerationWork(database, lease, [], limits, true);
}

/** What is to be rolled up next, if anything is. */
export async function nextRollup(
  database: Database,
  lease: CountingLease,
  { rollAllBefore, giveUpBefore, keptFrom, finalBefore, valueLimits: limits }: RollupRules,
  isPaused: (day: number) => boolean = () => false,
): Promise<ColumnWork | undefined> {
  const { websiteId } = lease;
  const days = await daysWithoutRollup(database, websiteId, keptFrom, LAST_DAY);
  const lost = days.filter(({ day }) => day < giveUpBefore && isPaused(day)).map(({ day }) => day);
  const notGivenUp = await withoutGivenUp(database, websiteId, lost);
  if (notGivenUp.length > 0) return new GivingUp(websiteId, notGivenUp);
  const isReady = (own: HitsOfDay) =>
    isWhole(own) && (own.hits >= SMALL_DAY_HITS || own.day < rollAllBefore) && !isPaused(own.day);
  const day = days.find(isReady);
  if (day)
    return new RollupWork(database, websiteId, { span: SPANS.day, day: day.day, days: [day] }, lease, limits);
  const month = await nextMonth(database, websiteId, { keptFrom, finalBefore }, days, isPaused);
  return month && new RollupWork(database, websiteId, month, lease, limits);
}

/** The first month that is over, is kept as a whole, and has enough hits. */
async function nextMonth(
  database: Database,
  websiteId: number,
  { keptFrom, finalBefore: before }: Pick<RollupRules, 'keptFrom' | 'finalBefore'>,
  without: readonly HitsOfDay[],
  isPaused: (day: number) => boolean,
): Promise<RolledUp | undefined> {
  const rolledUp = await spansIn(database, websiteId, SPANS.day, keptFrom, before - 1);
  const known = new Set(
    (await spansIn(database, websiteId, SPANS.month, keptFrom, before)).map(({ day }) => day),
  );
  const hits = new Map<number, number>();
  for (const own of [...rolledUp, ...without])
    hits.set(monthOf(own.day), (hits.get(monthOf(own.day)) ?? 0) + own.hits);
  for (const [day, size] of [...hits].sort(([one], [other]) => one - other)) {
    const end = monthOf(day, 1);
    if (known.has(day) || day < keptFrom || end > before || size < SMALL_DAY_HITS) continue;
    const days = without.filter((own) => own.day >= day && own.day < end);
    if (isPaused(day) || days.some((own) => isPaused(own.day))) continue;
    if (days.every(isWhole)) return { span: SPANS.month, day, days };
  }
  return undefined;
}

/** `Infinity` where all days have one. */
export async function firstDayWithoutRollup(reader: Queryable, websiteId: number): Promise<number> {
  const [first] = await daysWithoutRollup(reader, websiteId, 0, LAST_DAY);
  return first?.day ?? Infinity;
}

/** The days of a range that have hits and no rollup, in their order. */
async function daysWithoutRollup(
  reader: Queryable,
  websiteId: number,
  from: number,
  to: number,
): Promise<HitsOfDay[]> {
  const rolledUp = new Set((await spansIn(reader, websiteId, SPANS.day, from, to)).map(({ day }) => day));
  return (await keptDays(reader, websiteId, { from, to })).filter(({ day }) => !rolledUp.has(day));
}

/** Whether all hits of a day are in columns. */
function isWhole({ hits, columns }: HitsOfDay): boolean {
  return columns !== undefined && columns.hits === hits;
}

function bytesOf(rows: { data: Buffer }[]): number {
  return rows.reduce((sum, { data }) => sum + data.length, 0);
}

import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../database/database';
import { insertAll, type Transaction } from '../../database/rows';
import { HitsRemoved } from '../batches/batches';
import { DamagedDay } from '../damaged-hits';
import {
  type DayInColumns,
  DaysChanged,
  HOMES,
  isRemote,
  nameRows,
  unnamedVersions,
} from '../segments/hit-segments';
import { partsOfDay } from '../segments/hits-in-columns';
import { SPANS } from '../rollups/rollup-format';
import { readSpans } from '../rollups/rollup-rows';
import { SealingDiffers } from '../ordering/written-sums';
import { SEALING_LIMITS, SEALING_MEMORY } from '../seal/sealing-memory';
import type { OverDays } from '../seal/sealing-times';
import { type HitsOfDay, isUnmoved, readDay, readDays } from '../stored-days';
import type { DayKey } from '../../port';
import { type BlockWithTexts, rowsOf } from '../../rows/row-days';
import { refuseDiffering, RowsDiffer, type RowWriter } from '../../rows/row-home';
import { areComingHome, destinationOf, homeOf, isResting, noteHome } from '../homes/homes';
import { keepVersion, VersionClaimed } from '../homes/remote-versions';
import { DAYS, pauseIn, TurnEnded, type ColumnTurn, type ColumnWork, writeIn } from './column-work';

/** Small days move together. */
const TOGETHER = { hits: 20_000, days: 64 };
/** Retention forgets visitors within this time. */
export const FORGOTTEN_WITHIN_MS = 15 * 60_000;

/**
 * Moves days from columns to rows, here or in a remote home. The rows have a version that no day names. Each transaction reads back what it wrote,
 * and the last one names the rows if the days have not changed. Until then the columns answer.
 */
export class DayMove implements ColumnWork {
  /** How many were moved. */
  hits = 0;

  constructor(
    private readonly database: Database,
    private readonly websiteId: number,
    private readonly moved: readonly (HitsOfDay & DayInColumns)[],
    private readonly version: number,
    private readonly home: number,
  ) {}

  get isRemote(): boolean {
    return isRemote(this.home);
  }

  get days(): number[] {
    return this.moved.map(({ day }) => day);
  }

  async run(turn: ColumnTurn): Promise<void> {
    try {
      await SEALING_MEMORY.takeDuring(SEALING_LIMITS.dayBytes, turn.goOn, () => this.move(turn));
    } catch (error) {
      if (error instanceof DaysChanged || error instanceof VersionClaimed || error instanceof TurnEnded)
        return;
      if (!(error instanceof HitsRemoved || error instanceof DamagedDay)) throw error;
      // Retention removes days during the work.
      for (const stored of this.moved) if (!(await isUnmoved(this.database, this.websiteId, stored))) return;
      throw error instanceof HitsRemoved ? error.asDamage() : error;
    }
  }

  private async move(turn: ColumnTurn): Promise<void> {
    const { websiteId, version, home } = this;
    await writeIn(turn, async (manager) => {
      if (isRemote(home)) await noteHome(manager, this.database.dialect, home);
      await insertAll(manager, [unnamedVersions(home, websiteId, this.days, version)]);
    });
    const whole = await this.writeAll(turn);
    await writeIn(turn, async (manager) => {
      for (const stored of whole) {
        const now = await readDay(manager, websiteId, stored.day);
        if (!isDeepStrictEqual(now, stored)) throw new DaysChanged();
      }
      await nameRows(manager, websiteId, whole, version, home);
    });
    this.hits = hitsOf(whole);
    DAYS.add(whole.length, 'moved');
  }

  /** A damaged day is left out, so that it holds up no others. Alone, it fails. */
  private async writeAll(turn: ColumnTurn): Promise<(HitsOfDay & DayInColumns)[]> {
    const whole: (HitsOfDay & DayInColumns)[] = [];
    let damage: unknown;
    const keys = this.days.map((day) => ({ websiteId: this.websiteId, day, version: this.version }));
    const writer = rowWriterIn(turn, this.home, keys);
    for (const stored of this.moved)
      try {
        await this.write(turn, writer, stored);
        whole.push(stored);
      } catch (error) {
        if (!(error instanceof DamagedDay || error instanceof RowsDiffer)) throw error;
        damage = error;
      }
    if (whole.length === 0) throw damage;
    const differing = await writer.end();
    const left = new Set(differing.map(({ day }) => day));
    const there = whole.filter(({ day }) => !left.has(day));
    if (there.length === 0) refuseDiffering(differing);
    return there;
  }

  private async write(turn: ColumnTurn, writer: RowWriter, { day, columns }: DayInColumns): Promise<void> {
    const { database, websiteId, version } = this;
    const blocks = partsOfDay((work) => work(database), websiteId, day, columns);
    const written = await addRows(turn, writer, { websiteId, day, version }, blocks);
    if (written !== columns.hits) throw new SealingDiffers(websiteId, day, 'rows');
  }
}

/** Writes rows under versions that no day names, and reads them back. */
export function rowWriterIn(turn: ColumnTurn, home: number, keys: readonly DayKey[]): RowWriter {
  return homeOf(home).writer((work) =>
    writeIn(turn, async (manager) => {
      if (isRemote(home)) for (const key of keys) await keepVersion(manager, home, key);
      await work(manager);
    }),
  );
}

/** Writes the rows of a day. Returns how many hits they have. */
export async function addRows(
  turn: ColumnTurn,
  writer: RowWriter,
  key: DayKey,
  blocks: AsyncIterable<BlockWithTexts>,
): Promise<number> {
  const pause = pauseIn(turn);
  let written = 0;
  for await (const rows of rowsOf(key, blocks)) {
    await writer.add(key, rows);
    written += rows.hits.length;
    await pause();
  }
  return written;
}

/** The counting process looks soon at the websites with days in columns. */
export async function makeMovableDue(manager: Transaction): Promise<void> {
  await manager.query(
    `UPDATE closed_days SET due_at = 0 WHERE (due_at IS NULL OR due_at > 0)
      AND website_id IN (SELECT website_id FROM hit_days WHERE home = ${HOMES.columns})`,
  );
}

type MoveRules = Pick<OverDays, 'before' | 'moves'>;

/** The next days to move to rows: the oldest ones, once they are rolled up and their visitors are forgotten. */
export async function nextMove(
  database: Database,
  websiteId: number,
  version: number,
  { before, moves }: MoveRules,
  isPaused: (day: number) => boolean = () => false,
): Promise<DayMove | undefined> {
  if (!moves || (moves.home && (isResting() || (await areComingHome(database, destinationOf(moves))))))
    return undefined;
  const all = await readDays(database, websiteId);
  if (hitsOf(all) < moves.from) return undefined;
  const rolledUp = new Set(
    (await readSpans(database, websiteId, SPANS.day, 0, before)).map(({ day }) => day),
  );
  const movable = all
    .filter(isInColumns)
    .filter(
      ({ day, columns }) => day < before && columns.sealing === null && rolledUp.has(day) && !isPaused(day),
    );
  const together: (HitsOfDay & DayInColumns)[] = [];
  let hits = 0;
  for (const stored of movable) {
    hits += stored.hits;
    if (together.length > 0 && (hits > TOGETHER.hits || together.length === TOGETHER.days)) break;
    together.push(stored);
  }
  return together.length > 0
    ? new DayMove(database, websiteId, together, version, destinationOf(moves))
    : undefined;
}

/** The next moment at which a day may move. */
export function movesAt(days: readonly HitsOfDay[], { now, forgetAt, moves }: OverDays): number {
  if (!moves || hitsOf(days) < moves.from) return Infinity;
  const moments = days
    .filter(isInColumns)
    .map(({ day }) => Math.max(now, forgetAt(day)) + FORGOTTEN_WITHIN_MS);
  return Math.min(...moments);
}

function hitsOf(days: readonly HitsOfDay[]): number {
  return days.reduce((sum, { hits }) => sum + hits, 0);
}

/** Tells whether all hits of a day are in columns. */
function isInColumns(stored: HitsOfDay): stored is HitsOfDay & DayInColumns {
  return stored.columns?.home === HOMES.columns && stored.columns.hits === stored.hits;
}

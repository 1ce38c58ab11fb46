import { dayText } from '../../ground/time/days';
import { CommandError } from '../../ground/errors';
import { untilInterrupted } from '../../ground/interruption';
import { Progress } from '../../ground/progress';
import { DamagedHits } from '../damaged-hits';
import { makeDueNow } from '../closed-days';
import { expectNoOtherHome, problemsOf } from '../homes/home-check';
import { HomeUpkeep } from '../homes/home-upkeep';
import { type GivenHome, giveHome, homeOf, noteComingHome } from '../homes/homes';
import { areWhole, RowsMissing } from '../../rows/row-home';
import { HeldLease } from '../leases/held-lease';
import { type ColumnDay, giveUpDay, HOMES, isRemote } from '../segments/hit-segments';
import { overDays } from '../seal/sealing-times';
import { type HitsOfDay, readDays } from '../stored-days';
import type { ColumnWork } from '../upkeep/column-work';
import { DayMove } from '../upkeep/day-move';
import { closingOf, nextColumnWork } from '../upkeep/next-column-work';
import { type CheckedWebsite, type Options, type StoreCommand, type Tools } from './command';

const MAX_SHOWN = 20;

export const MOVE_COMMANDS: readonly StoreCommand[] = [
  {
    group: 'hits',
    name: 'move',
    description: 'Move the hits of old days to where HITS_URL says, while the service runs or not',
    options: ['back', 'giveUp', 'adopt'],
    run: (tools, websites, options) => moveAll(tools, websites, options.back ? moveBack : moveThere, options),
  },
  {
    group: 'hits',
    name: 'verify',
    description: 'Count the rows of each day whose hits are rows, and fail if any are missing',
    options: ['adopt'],
    run: verifyRows,
  },
  {
    group: 'hits',
    name: 'check',
    description: 'Try where HITS_URL says what rows of hits need, and name what fails',
    options: [],
    run: checkRows,
  },
];

async function checkRows({ database, settings }: Tools): Promise<void> {
  const problems = await problemsOf(database, settings.moves);
  const home = settings.moves?.home ? 'table of ClickHouse' : 'database';
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) throw new CommandError(`the ${home} cannot keep hits as rows`);
  process.stdout.write(`The ${home} can keep hits as rows.\n`);
}

/** The next work of a website, and the hits that it moves. */
interface Move {
  readonly work: ColumnWork;
  readonly hits: () => number;
}

/** Leaves damaged days out. Undefined if there is nothing to do. */
type NextMove = (
  tools: Tools,
  websiteId: number,
  held: HeldLease,
  isDamaged: (day: number) => boolean,
) => Promise<Move | undefined>;

async function moveAll(
  tools: Tools,
  websites: readonly CheckedWebsite[],
  next: NextMove,
  { giveUp, adopt }: Options,
): Promise<void> {
  const given = giveHome(tools.settings.moves);
  expectMove(tools, next, given);
  if (next === moveBack) await expectNoOtherHome(tools.database, given);
  const isThere = next === moveThere ? isInColumns : hasMoved;
  const all = await Promise.all(websites.map(async ({ id }) => sumOf(await daysWhere(tools, id, isThere))));
  if (next === moveBack && given)
    await new HomeUpkeep(tools.database, given).whileAlone((mark) =>
      adopt ? mark.adopt() : mark.expectChange(),
    );
  if (given) await noteComingHome(tools.database, given.number, next === moveBack);
  const progress = new Progress('looked through', sumOf(all.map((hits) => ({ hits }))));
  const interruption = untilInterrupted();
  const damaged = new Set<string>();
  const givenUp: string[] = [];
  let moved = 0;
  for (const { id, domain } of websites) {
    const left = new Set<number>();
    await HeldLease.during(tools.database, id, async (held) => {
      await held.write((manager) => makeDueNow(manager, id));
      const nextOf = () => next(tools, id, held, (day) => left.has(day));
      for (let one = await nextOf(); one && !interruption.aborted; one = await nextOf())
        try {
          await one.work.run(held.turn);
          moved += one.hits();
          progress.advance(one.hits());
        } catch (error) {
          const isLost = error instanceof RowsMissing && next === moveBack;
          if (!(isLost || error instanceof DamagedHits) || one.work.days.length === 0) throw error;
          for (const day of one.work.days) left.add(day);
          const line = `${domain}: ${error.detail}`;
          if (isLost && giveUp) {
            await giveUpDays(held, id, await daysWhere(tools, id, hasMoved), left);
            givenUp.push(`${line} They are given up.`);
          } else damaged.add(line);
        }
    });
    if (interruption.aborted) throw new CommandError('interrupted; run the command again to go on');
  }
  progress.end();
  if (next === moveBack && given) await new HomeUpkeep(tools.database, given).removeAllUnnamed();
  process.stdout.write(`${moved} hits were moved.\n`);
  for (const line of [...givenUp, ...damaged].slice(0, MAX_SHOWN)) process.stdout.write(`${line}\n`);
  if (damaged.size > 0) throw new CommandError(`the hits of ${damaged.size} days are damaged`);
}

async function giveUpDays(
  held: HeldLease,
  websiteId: number,
  moved: readonly HitsOfDay[],
  lost: ReadonlySet<number>,
): Promise<void> {
  for (const { day, columns } of moved)
    if (lost.has(day))
      await held.write((manager) => giveUpDay(manager, websiteId, { day, columns: columns! }));
}

function expectMove({ settings: { moves } }: Tools, next: NextMove, given: GivenHome | undefined): void {
  if (next === moveThere && !moves)
    throw new CommandError(
      'HITS_URL is not set, so no day is to be moved; "hits move --back" brings days back',
    );
  // A remote home is only known by the setting.
  if (next === moveBack && moves && !given)
    throw new CommandError(
      'HITS_URL is set, so the days would move again: unset it, and restart the service',
    );
}

async function moveThere(
  { database, clock }: Tools,
  _: number,
  { lease }: HeldLease,
  isPaused: (day: number) => boolean,
): Promise<Move | undefined> {
  const work = await nextColumnWork(database, lease, { ...overDays(await clock.moments()), isPaused });
  return work ? { work, hits: () => (work instanceof DayMove ? work.hits : 0) } : undefined;
}

/** Sealing a day again reads its rows, and writes columns. */
async function moveBack(
  tools: Tools,
  websiteId: number,
  { lease }: HeldLease,
  isDamaged: (day: number) => boolean,
): Promise<Move | undefined> {
  const next = (await daysWhere(tools, websiteId, hasMoved)).find(({ day }) => !isDamaged(day));
  if (!next) return undefined;
  const over = overDays(await tools.clock.moments());
  return { work: closingOf(tools.database, lease, next, over, undefined), hits: () => next.hits };
}

async function verifyRows(
  tools: Tools,
  websites: readonly CheckedWebsite[],
  { from, adopt }: Options,
): Promise<void> {
  const given = giveHome(tools.settings.moves);
  const work = await Promise.all(
    websites.map(async (website) => ({ website, days: await daysWhere(tools, website.id, isElsewhere) })),
  );
  const progress = new Progress('counted', sumOf(work.flatMap(({ days }) => days)));
  const wrong: string[] = [];
  for (const { website, days } of work)
    for (const { day, columns } of days.filter((own) => own.day >= from)) {
      const { home, segment: version, hits } = columns!;
      const key = { websiteId: website.id, day, version };
      const stored = await homeOf(home).readSums((work) => tools.database.read(work), key);
      if (!areWhole(stored, hits))
        wrong.push(`${website.domain} ${dayText(day)}: ${stored.hits} rows instead of ${hits}`);
      progress.advance(hits);
    }
  progress.end();
  for (const line of wrong.slice(0, MAX_SHOWN)) process.stdout.write(`${line}\n`);
  if (wrong.length > 0) throw new CommandError(`${wrong.length} days do not have their rows`);
  process.stdout.write('All rows are there.\n');
  if (adopt && given) await new HomeUpkeep(tools.database, given).whileAlone((mark) => mark.adopt());
}

async function daysWhere(
  { database }: Tools,
  websiteId: number,
  isThere: (columns: ColumnDay) => boolean,
): Promise<HitsOfDay[]> {
  const days = await database.read((reader) => readDays(reader, websiteId));
  return days.filter(({ columns }) => columns && isThere(columns));
}

function isInColumns({ home }: ColumnDay): boolean {
  return home === HOMES.columns;
}

function hasMoved({ home }: ColumnDay): boolean {
  return home === HOMES.rows || isRemote(home);
}

function isElsewhere(columns: ColumnDay): boolean {
  return !isInColumns(columns);
}

function sumOf(days: readonly { hits: number }[]): number {
  return days.reduce((sum, { hits }) => sum + hits, 0);
}

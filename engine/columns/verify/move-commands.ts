import { dayText } from '../../ground/time/days';
import { CommandError } from '../../ground/errors';
import { Progress } from '../../ground/progress';
import { readSums } from '../../rows/row-days';
import { makeDueNow } from '../closed-days';
import { HeldLease } from '../leases/held-lease';
import { HOMES } from '../segments/hit-segments';
import { overDays } from '../seal/sealing-times';
import { type HitsOfDay, readDays } from '../stored-days';
import type { ColumnWork } from '../upkeep/column-work';
import { DayMove, sumOfPlaces } from '../upkeep/day-move';
import { closingOf, nextColumnWork } from '../upkeep/next-column-work';
import {
  type CheckedWebsite,
  type Options,
  type StoreCommand,
  type Tools,
  untilInterrupted,
} from './command';

const MAX_SHOWN = 20;

export const MOVE_COMMANDS: readonly StoreCommand[] = [
  {
    group: 'hits',
    name: 'move',
    description: 'Move the hits of old days to where HITS_URL says, while the service runs or not',
    options: ['back'],
    run: (tools, websites, options) =>
      options.back ? moveAll(tools, websites, moveBack) : moveAll(tools, websites, moveThere),
  },
  {
    group: 'hits',
    name: 'verify',
    description: 'Count the rows of each day whose hits are rows, and fail if any are missing',
    options: [],
    run: verifyRows,
  },
];

/** Does the next work of a website. False if there is none. */
type Moving = (
  tools: Tools,
  websiteId: number,
  held: HeldLease,
  onMoved: (hits: number) => void,
) => Promise<boolean>;

async function moveAll(tools: Tools, websites: readonly CheckedWebsite[], move: Moving): Promise<void> {
  const { moves } = tools.settings;
  if (move === moveThere && !moves)
    throw new CommandError(
      'HITS_URL is not set, so no day is to be moved; "hits move --back" brings days back',
    );
  if (move === moveBack && moves)
    throw new CommandError(
      'HITS_URL is set, so the days would move again: unset it, and restart the service',
    );
  const home = move === moveThere ? HOMES.columns : HOMES.rows;
  const all = await Promise.all(websites.map(async ({ id }) => sumOf(await daysAt(tools, id, home))));
  const progress = new Progress('looked through', sumOf(all.map((hits) => ({ hits }))));
  const interruption = untilInterrupted();
  let moved = 0;
  for (const { id } of websites) {
    await HeldLease.during(tools.database, id, async (held) => {
      await held.write((manager) => makeDueNow(manager, id));
      const onMoved = (hits: number) => {
        moved += hits;
        progress.advance(hits);
      };
      while (!interruption.came && (await move(tools, id, held, onMoved)));
    });
    if (interruption.came) throw new CommandError('interrupted; run the command again to go on');
  }
  progress.end();
  process.stdout.write(`${moved} hits were moved.\n`);
}

async function moveThere(
  { database, clock }: Tools,
  _: number,
  { lease, turn }: HeldLease,
  onMoved: (hits: number) => void,
): Promise<boolean> {
  const work = await nextColumnWork(database, lease, overDays(await clock.moments()));
  if (!work) return false;
  await work.run(turn);
  if (work instanceof DayMove) onMoved(work.hits);
  return true;
}

/** Sealing a day again reads its rows, and writes columns. */
async function moveBack(
  tools: Tools,
  websiteId: number,
  { lease, turn }: HeldLease,
  onMoved: (hits: number) => void,
): Promise<boolean> {
  const [next] = await daysAt(tools, websiteId, HOMES.rows);
  if (!next) return false;
  const over = overDays(await tools.clock.moments());
  const work: ColumnWork = closingOf(tools.database, lease, next, over, undefined);
  await work.run(turn);
  onMoved(next.hits);
  return true;
}

async function verifyRows(
  tools: Tools,
  websites: readonly CheckedWebsite[],
  { from }: Options,
): Promise<void> {
  const work = await Promise.all(
    websites.map(async (website) => ({ website, days: await daysAt(tools, website.id, HOMES.rows) })),
  );
  const progress = new Progress('counted', sumOf(work.flatMap(({ days }) => days)));
  const wrong: string[] = [];
  for (const { website, days } of work)
    for (const { day, columns } of days.filter((own) => own.day >= from)) {
      const { segment: version, hits } = columns!;
      const stored = await tools.database.read((reader) =>
        readSums(reader, { websiteId: website.id, day, version }),
      );
      if (stored.hits !== hits || stored.places !== sumOfPlaces(hits))
        wrong.push(`${website.domain} ${dayText(day)}: ${stored.hits} rows instead of ${hits}`);
      progress.advance(hits);
    }
  progress.end();
  for (const line of wrong.slice(0, MAX_SHOWN)) process.stdout.write(`${line}\n`);
  if (wrong.length > 0) throw new CommandError(`${wrong.length} days do not have their rows`);
  process.stdout.write('All rows are there.\n');
}

async function daysAt({ database }: Tools, websiteId: number, home: number): Promise<HitsOfDay[]> {
  const days = await database.read((reader) => readDays(reader, websiteId));
  return days.filter(({ columns }) => columns?.home === home);
}

function sumOf(days: readonly { hits: number }[]): number {
  return days.reduce((sum, { hits }) => sum + hits, 0);
}

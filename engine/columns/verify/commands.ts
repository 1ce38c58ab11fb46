import { CommandError } from '../../ground/errors';
import { untilInterrupted } from '../../ground/interruption';
import { Progress } from '../../ground/progress';
import { dayText } from '../../ground/time/days';
import { Lease } from '../../database/lease';
import { DamagedHits, DamagedRollups, ForgottenDay } from '../damaged-hits';
import { DamagedTexts } from '../rollups/texts/value-texts-format';
import type { HitsOfDay } from '../stored-days';
import type { Difference, OtherCount } from './differences';
import { Rebuilding } from './rebuilding';
import { type CheckedWebsite, type Options, type StoreCommand, type Tools } from './command';
import { MOVE_COMMANDS } from './move-commands';
import { KeepsChanging, Verification } from './verification';

const MAX_SHOWN = 20;
const LEASE_MS = 30_000;

export const STORE_COMMANDS: readonly StoreCommand[] = [
  {
    group: 'stats',
    name: 'verify',
    description: 'Read all hits, compare the rollups with them, and fail if anything differs or is damaged',
    options: ['inSql'],
    run: verify,
  },
  {
    group: 'stats',
    name: 'rebuild',
    description: 'Rebuild rollups that are damaged or differ from the hits, day by day',
    options: ['from'],
    run: rebuild,
  },
  ...MOVE_COMMANDS,
];

interface Work {
  website: CheckedWebsite;
  days: HitsOfDay[];
}

/** A difference, in words. */
interface Found {
  differences: string[];
  damagedRollups: string[];
  damagedHits: string[];
}

/** Days that are counted in SQL are rows meanwhile, under the same key in each process. */
async function verify(tools: Tools, websites: readonly CheckedWebsite[], options: Options): Promise<void> {
  const compare = () => compareAll(tools, websites, options);
  if (!options.inSql) return compare();
  const lease = new Lease(tools.database, 'counting in SQL', LEASE_MS);
  const isOver = await lease.during(() => compare().then(() => true));
  if (!isOver) throw new CommandError('another process counts days in SQL; try again later');
}

async function compareAll(
  { database, clock, settings, inSql }: Tools,
  websites: readonly CheckedWebsite[],
  { from, inSql: recounts }: Options,
): Promise<void> {
  const verification = new Verification(database, clock, settings);
  const work = await workOf(verification, websites, from);
  const progress = new Progress('verified', hitsOf(work));
  const found: Found = { differences: [], damagedRollups: [], damagedHits: [] };
  for (const { website, days } of work) {
    const { id } = website;
    const advance = (hits: number) => progress.advance(hits);
    for (const { day: own } of days) {
      await compare(website, found, () => verification.verifyDay(id, own, advance), inRollup);
      if (recounts) await compare(website, found, () => verification.recountDay(id, own, inSql), bySql);
    }
    for (const month of await verification.months(id))
      await compare(website, found, () => verification.verifyMonth(id, month, () => undefined), inRollup);
    const without = await verification.findDaysWithoutHits(id);
    for (const own of without) await compare(website, found, () => verification.readDay(id, own), inRollup);
    if (without.length > 0)
      process.stdout.write(`${website.domain}: days whose rollups are the only copy: ${without.length}.\n`);
  }
  progress.end();
  const { differences, damagedRollups, damagedHits } = found;
  for (const line of [...damagedRollups, ...damagedHits, ...differences].slice(0, MAX_SHOWN))
    process.stdout.write(`${line}\n`);
  if (damagedRollups.length > 0) throw new CommandError(`${damagedRollups.length} rollups are damaged`);
  if (damagedHits.length > 0) throw new CommandError(`the hits of ${damagedHits.length} days are damaged`);
  if (differences.length > 0) throw new CommandError(`${differences.length} counts differ from the hits`);
  process.stdout.write('The rollups agree with the hits.\n');
}

function isNotCompared(error: unknown): error is Error {
  return error instanceof ForgottenDay || error instanceof KeepsChanging;
}

function inRollup({ rolledUp, inHits }: Difference): string {
  return `rolled up ${rolledUp}, in the hits ${inHits}`;
}

function bySql({ inHits, inSql }: OtherCount): string {
  return `in the hits ${inHits}, counted in SQL ${inSql}`;
}

/** Reports spans that cannot be compared. */
async function compare<D extends Pick<Difference, 'day' | 'name' | 'value'>>(
  { domain }: CheckedWebsite,
  found: Found,
  compare: () => Promise<D[]>,
  wordsFor: (difference: D) => string,
): Promise<void> {
  try {
    for (const difference of await compare()) {
      const { day, name, value } = difference;
      found.differences.push(`${domain} ${day} ${name} ${JSON.stringify(value)}: ${wordsFor(difference)}`);
    }
  } catch (error) {
    if (isNotCompared(error)) process.stdout.write(`${domain}: ${error.message}\n`);
    else if (error instanceof DamagedHits) found.damagedHits.push(`${domain}: ${error.detail}`);
    else if (error instanceof DamagedRollups) found.damagedRollups.push(`${domain}: ${error.detail}`);
    else throw error;
  }
}

async function rebuild(
  { database, clock, settings }: Tools,
  websites: readonly CheckedWebsite[],
  { from }: Options,
): Promise<void> {
  const verification = new Verification(database, clock, settings);
  const rebuilding = new Rebuilding(database, clock, verification);
  const work = await workOf(verification, websites, from);
  const progress = new Progress('rebuilt', hitsOf(work));
  const interruption = untilInterrupted();
  const failed = new Set<string>();
  for (const { website, days } of work) {
    const { id, domain } = website;
    for (const { day: own } of days) {
      if (interruption.aborted)
        throw new CommandError(`interrupted; resume with --domain ${domain} --from ${dayText(own)}`);
      const advance = (hits: number) => progress.advance(hits);
      const day = {
        compare: () => verification.verifyDay(id, own, advance),
        rebuild: () => rebuilding.rebuildDay(id, own),
      };
      await rebuildWhere(rebuilding, website, day, failed);
    }
    for (const own of await verification.months(id)) {
      const month = {
        compare: () => verification.verifyMonth(id, own, () => undefined),
        rebuild: () => rebuilding.rebuildMonth(id, own),
      };
      await rebuildWhere(rebuilding, website, month, failed);
    }
    await attempt(domain, failed, () => rebuilding.addMissing(id));
  }
  progress.end();
  for (const line of [...failed].slice(0, MAX_SHOWN)) process.stdout.write(`${line}\n`);
  if (failed.size > 0) throw new CommandError(`${failed.size} rollups cannot be rebuilt`);
  process.stdout.write('The rollups agree with the hits now.\n');
}

interface RebuildableSpan {
  compare: () => Promise<Difference[]>;
  rebuild: () => Promise<void>;
}

async function rebuildWhere(
  rebuilding: Rebuilding,
  { id, domain }: CheckedWebsite,
  { compare, rebuild }: RebuildableSpan,
  failed: Set<string>,
): Promise<void> {
  await attempt(domain, failed, async () => {
    try {
      if ((await compare()).length > 0) await rebuild();
    } catch (error) {
      if (error instanceof DamagedTexts) await rebuilding.rebuildTexts(id);
      else if (error instanceof DamagedRollups) await rebuild();
      else throw error;
    }
  });
}

/** Reports spans that cannot be rebuilt, and continues with the rest. */
async function attempt(domain: string, failed: Set<string>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isNotCompared(error)) process.stdout.write(`${domain}: ${error.message}\n`);
    else if (error instanceof DamagedHits || error instanceof DamagedRollups)
      failed.add(`${domain}: ${error.detail}`);
    else throw error;
  }
}

async function workOf(
  verification: Verification,
  websites: readonly CheckedWebsite[],
  from: number,
): Promise<Work[]> {
  const work: Work[] = [];
  for (const website of websites) {
    const days = await verification.days(website.id);
    work.push({ website, days: days.filter(({ day }) => day >= from) });
  }
  return work;
}

function hitsOf(work: Work[]): number {
  return work.flatMap(({ days }) => days).reduce((sum, { hits }) => sum + hits, 0);
}

import type { INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { CommandError, type Commands } from '../common/command';
import { dayText } from '../common/days';
import { Progress } from '../common/progress';
import type { HitsOfDay } from '../storage/kept-hits';
import { DamagedHits, ForgottenDay } from '../storage/damaged-hits';
import { day } from '../validation/parsers';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { type Difference, Recount } from './recount';

const MAX_SHOWN = 20;

interface Options {
  domain?: string;
  from?: string;
}

interface Work {
  website: Website;
  days: HitsOfDay[];
}

export const statsCommands: Commands = (stats, run) => {
  const domain = () => new Option('--domain <domain>', 'only this website; all websites by default');

  stats
    .command('verify')
    .description(
      'Compare the counters with the archive, print the first differences and fail if there are any',
    )
    .addOption(domain())
    .action((options: Options) => run((services) => verify(services, options)));

  stats
    .command('rebuild')
    .description('Recount from the archive, day by day; the counts of a day are replaced in one transaction')
    .addOption(domain())
    .option('--from <day>', 'the first day, as Y-m-d, to resume after an interruption')
    .action((options: Options) => run((services) => rebuild(services, options)));
};

async function verify(services: INestApplicationContext, options: Options): Promise<void> {
  const recount = services.get(Recount, { strict: false });
  const work = await workOf(services, options);
  const progress = new Progress('verified', hitsOf(work));
  const found: (Difference & { domain: string })[] = [];
  const problems: string[] = [];
  const unreadable: string[] = [];
  for (const { website, days } of work) {
    const ofWebsite = await recount.problems(website.id, () => progress.advance(0));
    problems.push(...ofWebsite.map((problem) => `${website.domain}: ${problem}\n`));
    if (ofWebsite.length > 0) continue;
    for (const { day: archived } of days) {
      const differences = await comparedDay(recount, website, archived, progress, unreadable);
      found.push(...differences.map((difference) => ({ ...difference, domain: website.domain })));
    }
  }
  progress.end();
  for (const problem of [...problems, ...unreadable].slice(0, MAX_SHOWN)) process.stdout.write(problem);
  if (problems.length > 0) throw new CommandError(`${problems.length} packed counters are damaged`);
  if (unreadable.length > 0) throw new CommandError(`the hits of ${unreadable.length} days are damaged`);
  if (found.length === 0) process.stdout.write('The counters agree with the archive.\n');
  for (const { domain, day: on, name, value, counted, archived } of found.slice(0, MAX_SHOWN))
    process.stdout.write(
      `${domain} ${on} ${name} ${JSON.stringify(value)}: counted ${counted}, archived ${archived}\n`,
    );
  if (found.length > 0) throw new CommandError(`${found.length} counters differ from the archive`);
}

/** A day that cannot be compared is told of. */
async function comparedDay(
  recount: Recount,
  { id, domain }: Website,
  archived: number,
  progress: Progress,
  unreadable: string[],
): Promise<Difference[]> {
  try {
    return await recount.verifyDay(id, archived, (hits) => progress.advance(hits));
  } catch (error) {
    if (!(error instanceof DamagedHits)) throw error;
    if (error instanceof ForgottenDay) process.stdout.write(`${domain}: ${error.detail}\n`);
    else unreadable.push(`${domain}: ${error.detail}\n`);
    return [];
  }
}

async function rebuild(services: INestApplicationContext, options: Options): Promise<void> {
  const recount = services.get(Recount, { strict: false });
  const work = await workOf(services, options);
  const progress = new Progress('rebuilt', hitsOf(work));
  const interruption = untilInterrupted();
  for (const { website, days } of work) {
    await recount.repair(website.id, () => progress.advance(0));
    for (const { day: archived } of days) {
      if (interruption.came)
        throw new CommandError(
          `interrupted; go on with --domain ${website.domain} --from ${dayText(archived)}`,
        );
      try {
        await recount.rebuildDay(website.id, archived, (hits) => progress.advance(hits));
      } catch (error) {
        if (!(error instanceof ForgottenDay)) throw error;
        process.stdout.write(`${website.domain}: ${error.detail}\n`);
      }
    }
    await recount.freeUnused(website.id);
  }
  progress.end();
  process.stdout.write('The counters were rebuilt from the archive.\n');
}

async function workOf(services: INestApplicationContext, { domain, from }: Options): Promise<Work[]> {
  const websites = await services.get(WebsitesRepository, { strict: false }).listUnscoped();
  const chosen = websites.filter((website) => domain === undefined || website.domain === domain);
  if (domain !== undefined && chosen.length === 0) throw new CommandError(`website ${domain} does not exist`);
  const first = from === undefined ? 0 : firstDay(from);
  const recount = services.get(Recount, { strict: false });
  const work: Work[] = [];
  for (const website of chosen) {
    const days = await recount.days(website.id);
    work.push({ website, days: days.filter((archived) => archived.day >= first) });
  }
  return work;
}

function firstDay(text: string): number {
  try {
    return day(text);
  } catch (error) {
    throw new CommandError(`--from ${(error as Error).message}`);
  }
}

function hitsOf(work: Work[]): number {
  return work.flatMap(({ days }) => days).reduce((sum, { hits }) => sum + hits, 0);
}

function untilInterrupted(): { came: boolean } {
  const interruption = { came: false };
  process.once('SIGINT', () => (interruption.came = true));
  return interruption;
}

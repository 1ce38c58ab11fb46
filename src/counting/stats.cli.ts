import type { INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { CommandError, type Commands } from '../common/command';
import { day, dayText } from '../common/parsers';
import { Progress } from '../common/progress';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import type { ArchivedDay } from './archive';
import { type Difference, Recount } from './recount';

const MOST_SHOWN = 20;

interface Options {
  domain?: string;
  from?: string;
}

interface Work {
  website: Website;
  days: ArchivedDay[];
}

export const statsCommands: Commands = (program, run) => {
  const stats = program.command('stats').description('the counters, held against the archive');
  const domain = () => new Option('--domain <domain>', 'one website alone; without it, all');

  stats
    .command('verify')
    .description(
      'compare the counters with the archive, print the first differences, and fail if there are any',
    )
    .addOption(domain())
    .action((options: Options) => run((services) => verify(services, options)));

  stats
    .command('rebuild')
    .description('count the archive again, day by day; each day is replaced at once')
    .addOption(domain())
    .option('--from <day>', 'the first day, as Y-m-d, to go on where it was interrupted')
    .action((options: Options) => run((services) => rebuild(services, options)));
};

async function verify(services: INestApplicationContext, options: Options): Promise<void> {
  const recount = services.get(Recount, { strict: false });
  const work = await workOf(services, options);
  const progress = new Progress('verified', hitsOf(work));
  const found: (Difference & { domain: string })[] = [];
  const problems: string[] = [];
  for (const { website, days } of work) {
    const ofWebsite = await recount.problems(website.id);
    problems.push(...ofWebsite.map((problem) => `${website.domain}: ${problem}\n`));
    if (ofWebsite.length > 0) continue;
    for (const { day: archived } of days) {
      const differences = await recount.verifyDay(website.id, archived, (hits) => progress.advance(hits));
      found.push(...differences.map((difference) => ({ ...difference, domain: website.domain })));
    }
  }
  progress.end();
  for (const problem of problems.slice(0, MOST_SHOWN)) process.stdout.write(problem);
  if (problems.length > 0) throw new CommandError(`${problems.length} packed counters are not right`);
  if (found.length === 0) process.stdout.write('The counters agree with the archive.\n');
  for (const { domain, day: on, name, value, counted, archived } of found.slice(0, MOST_SHOWN))
    process.stdout.write(
      `${domain} ${on} ${name} ${JSON.stringify(value)}: counted ${counted}, archived ${archived}\n`,
    );
  if (found.length > 0) throw new CommandError(`${found.length} counters differ from the archive`);
}

async function rebuild(services: INestApplicationContext, options: Options): Promise<void> {
  const recount = services.get(Recount, { strict: false });
  const work = await workOf(services, options);
  const progress = new Progress('rebuilt', hitsOf(work));
  const interruption = untilInterrupted();
  for (const { website, days } of work) {
    const lease = await recount.lease(website.id);
    await recount.mend(lease);
    for (const { day: archived } of days) {
      if (interruption.came)
        throw new CommandError(
          `interrupted; go on with --domain ${website.domain} --from ${dayText(archived)}`,
        );
      await recount.rebuildDay(lease, archived, (hits) => progress.advance(hits));
    }
    await lease.release();
  }
  progress.end();
  process.stdout.write('The counters were rebuilt from the archive.\n');
}

async function workOf(services: INestApplicationContext, { domain, from }: Options): Promise<Work[]> {
  const websites = await services.get(WebsitesRepository, { strict: false }).listUnscoped();
  const chosen = websites.filter((website) => domain === undefined || website.domain === domain);
  if (domain !== undefined && chosen.length === 0) throw new CommandError(`there is no website ${domain}`);
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

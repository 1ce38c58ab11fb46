import type { INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { CommandError, type Commands } from '../common/command';
import { day, dayText, wholeNumber } from '../common/parsers';
import { Progress } from '../common/progress';
import { UsersService } from '../users/users.service';
import { StoreWebsite } from '../websites/dto/store-website.dto';
import { normaliseDomain } from '../websites/domain';
import { WebsitesRepository } from '../websites/websites.repository';
import { WebsitesService } from '../websites/websites.service';
import { DemoService } from './demo.service';

interface Options {
  domain: string;
  events: number;
  days: number;
  seed: number;
  from: number;
}

export const demoCommand: Commands = (program, run) => {
  program
    .command('demo')
    .description('fill a website of the first user with made-up traffic, the same for the same seed')
    .option('--domain <domain>', 'the website; it is registered where it is missing', aDomain, 'demo.example')
    .option('--events <number>', 'how many page views and events in all', aNumber, 100_000)
    .option('--days <number>', 'over how many days up to today', aNumber, 30)
    .option('--seed <number>', 'another seed makes other traffic', aNumber, 1)
    .option(
      '--from <day>',
      'the first of these days to fill, as Y-m-d, to go on where it was interrupted',
      aDay,
      0,
    )
    .action((options: Options) => run((services) => fill(services, options), 'all'));
};

async function fill(
  services: INestApplicationContext,
  { domain, events, days, seed, from }: Options,
): Promise<void> {
  const demo = services.get(DemoService, { strict: false });
  await register(services, domain);
  const progress = new Progress(`sent to ${domain}`, events);
  const all = demo.lastDays(days);
  let interrupted = false;
  process.once('SIGINT', () => (interrupted = true));
  for (const [index, one] of all.entries()) {
    if (interrupted) throw new CommandError(`interrupted; go on with --from ${dayText(one)}`);
    const share = Math.floor(((index + 1) * events) / days) - Math.floor((index * events) / days);
    if (one < from) progress.advance(share);
    else await demo.fillDay(domain, one, share, seed, (sent) => progress.advance(sent));
  }
  await demo.untilPacked(domain);
  progress.end();
  process.stdout.write(`${domain} has ${events.toLocaleString('en')} more events, all counted and packed.\n`);
}

async function register(services: INestApplicationContext, domain: string): Promise<void> {
  const [first] = await services.get(UsersService, { strict: false }).list();
  if (!first)
    throw new CommandError('there is no user yet; start the service once, or make one with "user create"');
  const existing = await services.get(WebsitesRepository, { strict: false }).findByDomainUnscoped(domain);
  if (existing && existing.userId !== first.id) throw new CommandError(`${domain} belongs to another user`);
  if (existing) return;
  await services
    .get(WebsitesService, { strict: false })
    .store(first.id, Object.assign(new StoreWebsite(), { domain }));
}

function aDomain(text: string): string {
  return parsed(() => normaliseDomain(text));
}

function aDay(text: string): number {
  return parsed(() => day(text));
}

function aNumber(text: string): number {
  return parsed(() => wholeNumber(text));
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { CommandError } from '../../engine/ground/errors';
import { type Commands, parsedArgument } from '../common/commands/command';
import { dayText } from '../../engine/ground/time/days';
import { Progress } from '../../engine/ground/progress';
import { Settings } from '../config/settings';
import { UsersService } from '../users/users.service';
import { day } from '../../engine/ground/time/parsed';
import { wholeNumber } from '../validation/parsers';
import { normaliseDomain } from '../websites/domain';
import { WebsitesRepository } from '../websites/websites.repository';
import { eventsByDay } from './demo-calendar';
import { DEMO_DAYS, DEMO_DOMAIN, DemoWebsite } from './demo-website';
import { DemoService } from './demo.service';

interface Options {
  domain: string;
  events: number;
  days: number;
  seed: number;
  from?: number;
}

export const demoCommand: Commands = (demo, run) => {
  demo
    .option('--domain <domain>', 'the website; it is registered if it does not exist', aDomain, DEMO_DOMAIN)
    .option('--events <number>', 'the number of page views and events in all', aNumber, 100_000)
    .option('--days <number>', 'the number of days, up to today', aNumber, DEMO_DAYS)
    .option('--seed <number>', 'the same seed generates the same traffic', aNumber, 1)
    .option('--from <day>', 'the first day to fill, as Y-m-d, to resume after an interruption', aDay)
    .action((options: Options) => run((services) => fill(services, options)));
};

async function fill(
  services: INestApplicationContext,
  { domain, events, days, seed, from = 0 }: Options,
): Promise<void> {
  const demo = services.get(DemoService, { strict: false });
  const all = demo.lastDays(days);
  const websiteId = await register(services, domain, all);
  const progress = new Progress(`sent to ${domain}`, events);
  let interrupted = false;
  process.once('SIGINT', () => (interrupted = true));
  const shares = eventsByDay(all, events, seed);
  for (const [index, one] of all.entries()) {
    if (interrupted) throw new CommandError(`interrupted; resume with --from ${dayText(one)}`);
    const share = shares[index]!;
    if (one < from) progress.advance(share);
    else await demo.fillDay(domain, one, share, seed, (sent) => progress.advance(sent));
  }
  await demo.waitUntilSealed(domain);
  progress.end();
  process.stdout.write(
    `${domain} now has ${events.toLocaleString('en')} additional events. Its website id is ${websiteId}. ` +
      `Open its statistics:\n\n  ${addressOf(services.get(Settings))}/?website=${websiteId}\n\n`,
  );
}

function addressOf({ baseUrl, host, port }: Settings): string {
  return baseUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}

/** Returns the id of the website. A new one gets goals, a funnel and annotations. */
async function register(services: INestApplicationContext, domain: string, days: number[]): Promise<number> {
  const [first] = await services.get(UsersService, { strict: false }).list();
  if (!first) throw new CommandError('no user exists yet; start the service once or run "user create"');
  const existing = await services.get(WebsitesRepository, { strict: false }).findByDomainUnscoped(domain);
  if (existing && existing.userId !== first.id) throw new CommandError(`${domain} belongs to another user`);
  if (existing) return existing.id;
  return services.get(DemoWebsite, { strict: false }).register(first.id, domain, days);
}

function aDomain(text: string): string {
  return parsedArgument(() => normaliseDomain(text));
}

function aDay(text: string): number {
  return parsedArgument(() => day(text));
}

function aNumber(text: string): number {
  return parsedArgument(() => wholeNumber(text));
}

import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { CommandError } from '../../engine/ground/errors';
import { type Commands, parsedArgument, printTable } from '../common/commands/command';
import { clockFrom } from '../../engine/ground/time/clock-from';
import { DayClock } from '../../engine/ground/time/day-clock';
import { dayText } from '../../engine/ground/time/days';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { recipientOf } from '../mail/addresses';
import { LONGEST_LEASE_MS } from '../mail/claimed-mails';
import { MAIL_STATES, type MailState } from '../mail/mail-state';
import { SmtpSession } from '../mail/smtp-session';
import { NotAllowed } from '../../engine/ground/errors';
import { day } from '../../engine/ground/time/parsed';
import { positiveInteger, wholeNumber } from '../validation/parsers';
import { normaliseDomain } from '../websites/domain';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { Deliverer } from './deliverer';
import { DeliveriesRepository, type ListedDelivery } from './deliveries.repository';
import { periodWording } from './mail/language/dates';
import { type Period, periodAround, periodDue, type Rhythm, RHYTHMS } from './period';
import { ReportsService } from './reports.service';

interface Chosen {
  every?: Rhythm;
  day?: number;
}

export const reportCommands: Commands = (report, run) => {
  const ofWebsite = (name: string) =>
    report
      .command(name)
      .argument('<website>', 'the id or the domain of a website')
      .addOption(every())
      .addOption(aDay());

  ofWebsite('preview')
    .description('Print a report as HTML: of the last period, unless a day of another one is given')
    .action((name: string, chosen: Chosen) => run((services) => preview(services, name, chosen)));

  ofWebsite('send')
    .description('Send a report now, even if it was already sent; it has the same Message-ID')
    .option('--to <email>', 'send a copy to this address instead; do not record it')
    .action((name: string, chosen: Chosen & { to?: string }) =>
      run((services) =>
        chosen.to === undefined ? send(services, name, chosen) : copy(services, name, chosen, chosen.to),
      ),
    );

  report
    .command('list')
    .description('List report deliveries, the latest first')
    .addOption(new Option('--state <state>', 'only reports in this state').choices(MAIL_STATES))
    .option('--limit <number>', 'how many', aNumber, 50)
    .action(({ limit, state }: { limit: number; state?: MailState }) =>
      run(async (services) =>
        show(await services.get(DeliveriesRepository, { strict: false }).list(limit, state)),
      ),
    );
};

async function preview(services: INestApplicationContext, name: string, chosen: Chosen): Promise<void> {
  const { website, period } = await subjectOf(services, name, chosen);
  const reports = services.get(ReportsService, { strict: false });
  process.stdout.write(`${reports.preview(website, await reports.report(website, period))}\n`);
}

async function copy(
  services: INestApplicationContext,
  name: string,
  chosen: Chosen,
  to: string,
): Promise<void> {
  const recipient = recipientOf(to);
  if (recipient === undefined) throw new CommandError(`no mail can be delivered to "${to}"`);
  const session = sessionOf(services);
  const { website, period } = await subjectOf(services, name, chosen);
  try {
    await services.get(Deliverer, { strict: false }).sendCopy(website, period, recipient, session);
  } catch (error) {
    throw new CommandError(`it was not sent: ${(error as Error).message}`);
  } finally {
    session.close();
  }
  process.stdout.write(
    `A copy of the report of ${website.domain}, ${periodWording(period)}, was sent to ${recipient}.\n`,
  );
}

async function send(services: INestApplicationContext, name: string, chosen: Chosen): Promise<void> {
  const session = sessionOf(services);
  const { website, period } = await subjectOf(services, name, chosen);
  const deliveries = services.get(DeliveriesRepository, { strict: false });
  const owner = randomUUID();
  const key = { websiteId: website.id, every: period.every, firstDay: period.from };
  const now = await services.get(Database, { strict: false }).now();
  const delivery = await deliveries.seize(key, owner, now, now + LONGEST_LEASE_MS);
  if (!delivery) throw new CommandError('another process is sending this report');
  const clock = clockFrom(now);
  const outcome = await services
    .get(Deliverer, { strict: false })
    .deliver(delivery, { owner, session, now: clock }, true)
    .finally(() => session.close());
  if (!outcome) throw new CommandError('another process took this report over');
  const isSettled = outcome.state === 'sent' || outcome.state === 'unknown';
  const { state, attempts } = delivery;
  const before = { ...outcome, state: state as typeof outcome.state, attempts };
  await deliveries.settle(key, owner, isSettled ? outcome : before, clock());
  if (outcome.state !== 'sent') throw new CommandError(`it was not sent: ${outcome.reason}`);
  process.stdout.write(`The report of ${website.domain}, ${periodWording(period)}, was sent.\n`);
}

function sessionOf(services: INestApplicationContext): SmtpSession {
  const { smtp, mailFrom } = services.get(Settings, { strict: false });
  if (!smtp || !mailFrom) throw new CommandError(`${smtp ? 'MAIL_FROM' : 'SMTP_URL'} is not set`);
  return new SmtpSession(smtp);
}

async function subjectOf(
  services: INestApplicationContext,
  name: string,
  { every, day: chosen }: Chosen,
): Promise<{ website: Website; period: Period }> {
  const website = await websiteOf(services.get(WebsitesRepository, { strict: false }), name);
  const { reports, timezone } = services.get(Settings, { strict: false });
  const rhythm = every ?? (reports === 'off' ? 'weekly' : reports);
  if (chosen !== undefined) return { website, period: periodAround(chosen, rhythm) };
  const now = await services.get(Database, { strict: false }).now();
  return { website, period: periodDue(now, rhythm, new DayClock(timezone)) };
}

async function websiteOf(websites: WebsitesRepository, name: string): Promise<Website> {
  const id = positiveInteger(name);
  const website =
    id === undefined ? await websites.findByDomainUnscoped(domainOf(name)) : await websites.findUnscoped(id);
  if (!website) throw new CommandError(`there is no website ${name}`);
  return website;
}

function domainOf(name: string): string {
  try {
    return normaliseDomain(name);
  } catch (error) {
    if (error instanceof NotAllowed) throw new CommandError(`"${name}" ${error.message}`);
    throw error;
  }
}

function show(deliveries: ListedDelivery[]): void {
  printTable(
    ['WEBSITE', 'PERIOD', 'STATE', 'ATTEMPTS', 'CHANGED', 'TO', 'REASON'],
    deliveries.map(
      ({ websiteId, domain, every, firstDay, state, attempts, changedAt, recipient, email, reason }) => [
        domain ?? String(websiteId),
        `${every} ${dayText(firstDay)}`,
        state,
        String(attempts),
        new Date(changedAt).toISOString(),
        recipient ?? email ?? '',
        reason ?? '',
      ],
    ),
  );
}

function every(): Option {
  return new Option('--every <interval>', 'overrides REPORTS').choices(RHYTHMS);
}

function aDay(): Option {
  return new Option('--day <day>', 'a day of the period, as Y-m-d').argParser((text) =>
    parsedArgument(() => day(text)),
  );
}

function aNumber(text: string): number {
  return parsedArgument(() => wholeNumber(text));
}

import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module';
import { Settings } from '../../src/config/settings';
import { EntityDatabase } from '../../src/database/entity-database';
import { BackgroundReports } from '../../src/reports/background-reports';
import { DeliveriesRepository, type ListedDelivery } from '../../src/reports/deliveries.repository';
import { UsersService } from '../../src/users/users.service';
import { day } from '../../src/validation/parsers';
import { StoreWebsite } from '../../src/websites/dto/store-website.dto';
import { WebsitesService } from '../../src/websites/websites.service';
import { fillCounters } from './fill-counters';
import { type FreshDatabase, freshDatabase } from './fresh-database';
import { recorder } from './log-recorder';
import type { MailServer } from './mail-server';
import { SECRET_FILE } from './secret-file';

export const OWNER = 'ann@example.com';
export const FROM = 'Milepost <stats@milepost.example>';

export interface Reporter {
  database: EntityDatabase;
  logs: string[];
  /** Plans and sends due reports as of this moment. */
  run(now: string | number): Promise<void>;
  deliveries(): Promise<ListedDelivery[]>;
  states(): Promise<string[]>;
  /** A website that existed in all periods, with reports switched on by default. */
  website(domain: string, email?: 0 | 1): Promise<number>;
  stop(): Promise<void>;
}

/** The environment for reports to the test's server, at the highest rate. */
export function reportsEnvironment(server: MailServer, url: string): Record<string, string> {
  return {
    DATABASE_URL: url,
    SECRET_FILE,
    SMTP_URL: server.url,
    MAIL_FROM: FROM,
    MAIL_RATE: '60000',
    BASE_URL: 'https://stats.example.com',
  };
}

/** A process that sends reports when the test calls it, by the test's clock. */
export async function startReporter(environment: Record<string, string>): Promise<Reporter> {
  const logs: string[] = [];
  const services = await openServices(environment, recorder(logs));
  const database = services.get(EntityDatabase, { strict: false });
  const deliveries = services.get(DeliveriesRepository, { strict: false });
  const list = () => deliveries.list(1000);
  return {
    database,
    logs,
    run: (now) => services.get(BackgroundReports, { strict: false }).run(new Date(now).getTime()),
    deliveries: list,
    states: async () => (await list()).map(({ state }) => state),
    website: async (domain, email = 1) => {
      const [owner] = await services.get(UsersService, { strict: false }).list();
      const website = Object.assign(new StoreWebsite(), { domain, email });
      const websites = services.get(WebsitesService, { strict: false });
      const { id } = await websites.store(owner!.id, website, { owner: owner!.id });
      await database.execute('UPDATE websites SET created_at = 0 WHERE id = ?', [id]);
      return id;
    },
    stop: () => services.close(),
  };
}

/** The services without HTTP and without background work. */
export function openServices(environment: Record<string, string>, logger: LoggerService | false = false) {
  const services = AppModule.for(new Settings(environment));
  return NestFactory.createApplicationContext(services, { logger, abortOnError: false });
}

/** A database with one user, for which reports of both rhythms were planned before. */
export async function reportsDatabase(): Promise<FreshDatabase> {
  const fresh = await freshDatabase();
  const services = await openServices({ DATABASE_URL: fresh.url, SECRET_FILE });
  await services.get(UsersService, { strict: false }).create(OWNER);
  const deliveries = services.get(DeliveriesRepository, { strict: false });
  for (const every of ['weekly', 'monthly'] as const) await deliveries.markPlanned(every, 0, Date.now());
  await services.close();
  return fresh;
}

/** Traffic on a few days of a period, with the test's values. */
export async function fillReport(
  database: EntityDatabase,
  websiteId: number,
  from: string,
  values: { page?: string; referrer?: string; event?: string } = {},
): Promise<void> {
  const next = new Date((day(from) + 1) * 86_400_000).toISOString().slice(0, 10);
  const { page = '/', referrer = 'news.example', event = 'Sign up' } = values;
  const byDay = (first: number, second: number): [string, string, number][] => [
    [from, from, first],
    [next, next, second],
  ];
  await fillCounters(database, websiteId, 'visitor', byDay(30, 12));
  await fillCounters(database, websiteId, 'pageview', byDay(80, 20));
  await fillCounters(database, websiteId, 'page', [
    [from, page, 80],
    [next, '/pricing', 20],
  ]);
  await fillCounters(database, websiteId, 'referrer', [
    [from, referrer, 30],
    [next, '(direct)', 12],
  ]);
  await fillCounters(database, websiteId, 'country', [
    [from, 'DE', 30],
    [next, 'US', 12],
  ]);
  await fillCounters(database, websiteId, 'event', [[from, event, 7]]);
}

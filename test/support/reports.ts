import type { LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module';
import { Settings } from '../../src/config/settings';
import { CountingService } from '../../engine/columns/counting.service';
import { EntityDatabase } from '../../src/database/entity-database';
import { Jobs } from '../../engine/database/jobs';
import { DeliveriesRepository, type ListedDelivery } from '../../src/reports/deliveries.repository';
import { UsersService } from '../../src/users/users.service';
import { dayText } from '../../engine/ground/time/days';
import { day } from '../../engine/ground/time/parsed';
import { StoreWebsite } from '../../src/websites/dto/store-website.dto';
import { WebsitesService } from '../../src/websites/websites.service';
import { type FreshDatabase, freshDatabase } from './fresh-database';
import { runJobs } from './jobs';
import { recorder } from './log-recorder';
import type { MailServer } from './mail-server';
import { addHits, hitsOn, visitorsOn } from './past-days';
import { SECRET_FILE } from './secret-file';
import { type ColumnStore } from '../../engine/columns/column-store';
import { HitStore } from '../../engine/port';

const MINUTE_MS = 60_000;
export const OWNER = 'ann@example.com';
export const FROM = 'Milepost <stats@milepost.example>';

export interface Reporter {
  database: EntityDatabase;
  counting: CountingService;
  logs: string[];
  service<T>(type: Type<T>): T;
  /** Plans and sends due reports as of this moment, then those to other addresses than the owner's. */
  run(now: string | number): Promise<void>;
  deliveries(): Promise<ListedDelivery[]>;
  states(): Promise<string[]>;
  /** Adds a recipient who confirmed. */
  recipient(websiteId: number, address: string, place: number): Promise<unknown>;
  /** The states of the mails besides those to owners. */
  copies(): Promise<string[]>;
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
    counting: services.get<HitStore, ColumnStore>(HitStore, { strict: false }).counting,
    logs,
    service: (type) => services.get(type, { strict: false }),
    run: async (now) => {
      const moment = new Date(now).getTime();
      await runJobs(services.get(Jobs, { strict: false }), 'reports', moment);
      // Their clock begins anew, and they are due since they were planned.
      await runJobs(services.get(Jobs, { strict: false }), 'mails about reports', moment + MINUTE_MS);
    },
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
    recipient: (websiteId, address, place) =>
      database.execute(
        "INSERT INTO report_recipients (website_id, address, state, place) VALUES (?, ?, 'confirmed', ?)",
        [websiteId, address, place],
      ),
    copies: async () =>
      (await database.query<{ state: string }[]>('SELECT state FROM report_mails ORDER BY id')).map(
        ({ state }) => state,
      ),
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

/** Traffic on two days of a period, with the test's values. */
export async function fillReport(
  service: Pick<Reporter, 'database' | 'counting'>,
  websiteId: number,
  from: string,
  { page = '/', referrer = 'news.example', event = 'Sign up' } = {},
): Promise<void> {
  const next = dayText(day(from) + 1);
  await addHits(service, websiteId, [
    ...visitorsOn(from, 30, { page, referrer: referrer === '(direct)' ? null : referrer, country: 'DE' }),
    ...hitsOn(from, 50, { page }),
    ...hitsOn(from, 7, { event }),
    ...visitorsOn(next, 12, { page: '/pricing', country: 'US' }),
    ...hitsOn(next, 8, { page: '/pricing' }),
  ]);
}

import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AlertsService } from '../../src/alerts/alert/alerts.service';
import type { StoreAlert } from '../../src/alerts/alert/alert.dto';
import type { AlertView } from '../../src/alerts/alert/alert.view';
import { FiringsService } from '../../src/alerts/firings/firings.service';
import type { FiringView } from '../../src/alerts/firings/firing.view';
import { AppModule } from '../../src/app.module';
import { Settings } from '../../src/config/settings';
import { EntityDatabase } from '../../src/database/entity-database';
import { Jobs } from '../../engine/database/jobs';
import type { Hit } from '../../engine/hits/hit';
import { UsersService } from '../../src/users/users.service';
import { StoreWebsite } from '../../src/websites/dto/store-website.dto';
import { WebsitesService } from '../../src/websites/websites.service';
import { CountingProcess, pageView } from './counting';
import { runJobs } from './jobs';
import { recorder } from './log-recorder';
import { SECRET_FILE } from './secret-file';
import type { Site } from './sending';
import { HitStore } from '../../engine/port';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const OWNER = 'ann@example.com';

export interface Alerter {
  database: EntityDatabase;
  logs: string[];
  service<T>(type: Type<T>): T;
  /** Another user, by id. */
  user(email: string): Promise<number>;
  website(ownerId?: number): Promise<Site>;
  /** Stores an alert as if it had been stored at a moment. */
  alert(site: Site, fields: Partial<StoreAlert>, storedAt: number, ownerId?: number): Promise<number>;
  /** Counts page views at a moment, each of another visitor. */
  hits(site: Site, at: number, count: number, fields?: Partial<Hit>): Promise<void>;
  check(now: number): Promise<void>;
  mail(now?: number): Promise<void>;
  view(site: Site, id: number, ownerId?: number): Promise<AlertView>;
  /** The latest first. */
  firings(site: Site, id: number, ownerId?: number): Promise<FiringView[]>;
  stop(): Promise<void>;
}

let sites = 0;
let names = 0;

/** A process that checks alerts and sends their mails when the test calls it, by the test's clock. */
export async function startAlerter(environment: Record<string, string>): Promise<Alerter> {
  const logs: string[] = [];
  const module = AppModule.for(new Settings({ SECRET_FILE, ...environment }));
  const services = await NestFactory.createApplicationContext(module, {
    logger: recorder(logs),
    abortOnError: false,
  });
  const get = <T>(type: Type<T>): T => services.get(type, { strict: false });
  const database = services.get(EntityDatabase, { strict: false });
  const users = get(UsersService);
  await users.create(OWNER);
  services.get(HitStore, { strict: false }).prepare();
  const counting = await CountingProcess.start(environment.DATABASE_URL!);
  return {
    database,
    logs,
    service: get,
    user: async (email) => {
      await users.create(email);
      return (await users.find(email))!.id;
    },
    website: async (ownerId = 1) => {
      const fields = Object.assign(new StoreWebsite(), { domain: `alerting${++sites}.example` });
      return get(WebsitesService).store(ownerId, fields, { owner: ownerId });
    },
    alert: async (site, fields, storedAt, ownerId = 1) => {
      const wished = { name: `alert ${++names}`, metric: 'pageviews', ...fields } as StoreAlert;
      const { id } = await get(AlertsService).store(ownerId, site.id, wished);
      await database.execute('UPDATE alerts SET starts_at = ?, due_at = ? WHERE id = ?', [
        storedAt,
        storedAt,
        id,
      ]);
      return id;
    },
    hits: (site, at, count, fields = {}) => {
      const hit = (index: number): Hit => ({
        ...pageView('/', String.fromCodePoint(0x61 + (index % 26))),
        at: Math.floor(at / 1000),
        day: Math.floor(at / DAY_MS),
        ...fields,
      });
      return counting.count(
        site.id,
        Array.from({ length: count }, (_, index) => hit(index)),
      );
    },
    check: (now) => get(Jobs).run('alerts', now),
    mail: (now) => runJobs(get(Jobs), 'mails about alerts', now),
    view: (site, id, ownerId = 1) => get(AlertsService).show(ownerId, site.id, id),
    firings: async (site, id, ownerId = 1) =>
      (await get(FiringsService).page(ownerId, site.id, id, { page: 1, per_page: 100 })).rows,
    stop: async () => {
      await counting.stop();
      await services.close();
    },
  };
}

/** A full hour in the past, with this many hours after it. */
export function hourAgo(hours: number): number {
  return Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS;
}

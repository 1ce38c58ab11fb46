import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InvalidFields, Overloaded, TooManyRequests } from '../../engine/ground/errors';
import { Conflict } from '../common/problems';
import { reasonOf } from '../../engine/database/errors';
import { EntityDatabase } from '../database/entity-database';
import { DayCounts, secondsOfDayAfter } from '../limits/day-counts';
import { WebsitesService } from '../websites/websites.service';
import { eventsByDay } from './demo-calendar';
import { DEMO_DAYS, DEMO_DOMAIN, DemoWebsite } from './demo-website';
import { DemoService } from './demo.service';

/** Enough for all pages of the console, within seconds. */
const EVENTS = 30_000;
const SEED = 1;
/** Per user and day: filling takes a turn that nobody else can have meanwhile. */
const MAX_RUNS = 3;

interface Run {
  userId: number;
  websiteId?: number;
  sent: number;
}

export interface DemoProgress {
  /** Null also if the website was deleted meanwhile. */
  website_id: number | null;
  sent: number;
  events: number;
  has_failed: boolean;
}

/** Fills a demo website for a user who has none, in the background, one at a time. */
@Injectable()
export class DemoRun implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Demo');
  private run: Run | undefined;
  /** The last one that could not be finished. */
  private failed: Run | undefined;
  private filling = Promise.resolve();
  private isEnding = false;

  constructor(
    private readonly demo: DemoService,
    private readonly demoWebsite: DemoWebsite,
    private readonly websites: WebsitesService,
    private readonly counts: DayCounts,
    private readonly database: EntityDatabase,
  ) {}

  async start(userId: number): Promise<DemoProgress> {
    if (this.run && this.run.userId !== userId) throw new Overloaded();
    if (this.run) return this.viewOf(this.run);
    const run: Run = (this.run = { userId, sent: 0 });
    if (this.failed?.userId === userId) this.failed = undefined;
    try {
      if ((await this.websites.ids(userId, { page: 1, per_page: 10 }, null)).length > 0)
        throw new HasWebsites();
      await this.count(userId);
      const days = this.demo.lastDays(DEMO_DAYS);
      const domain = await this.domainFor(userId);
      run.websiteId = await this.demoWebsite.register(userId, domain, days);
      this.filling = this.fill(run, domain, days);
    } catch (error) {
      this.run = undefined;
      throw error;
    }
    return this.viewOf(run);
  }

  /** Null once everything is there. */
  progressOf(userId: number): DemoProgress | null {
    const run = [this.run, this.failed].find((one) => one?.userId === userId);
    return run ? this.viewOf(run) : null;
  }

  beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    return this.filling;
  }

  private async count(userId: number): Promise<void> {
    const now = await this.database.now();
    const portion = { name: `demo websites of user ${userId}`, wanted: 1, most: MAX_RUNS };
    const exceeded = await this.database.write((manager) => this.counts.take(manager, now, [portion]));
    if (exceeded.length > 0) throw new LoadedTooOften(now);
  }

  /** One of the user's own where another user has the usual one. */
  private async domainFor(userId: number): Promise<string> {
    try {
      await this.websites.checkDomain(userId, DEMO_DOMAIN);
      return DEMO_DOMAIN;
    } catch (error) {
      if (error instanceof InvalidFields) return `demo-${userId}.example`;
      throw error;
    }
  }

  private async fill(run: Run, domain: string, days: number[]): Promise<void> {
    try {
      const shares = eventsByDay(days, EVENTS, SEED);
      for (const [index, day] of days.entries()) {
        if (this.isEnding) return;
        await this.demo.fillDay(domain, day, shares[index]!, SEED, (sent) => (run.sent += sent));
      }
    } catch (error) {
      await this.fail(run, error);
    } finally {
      this.run = undefined;
    }
  }

  private async fail(run: Run, error: unknown): Promise<void> {
    const owned = await this.websites.owned(run.userId, [run.websiteId!]).catch(() => undefined);
    this.failed = run;
    if (owned?.size === 0) {
      delete run.websiteId;
      this.logger.log('the demo website was deleted while it was filled');
    } else this.logger.error(`the demo website could not be filled: ${reasonOf(error)}`);
  }

  private viewOf(run: Run): DemoProgress {
    const { websiteId, sent } = run;
    return { website_id: websiteId ?? null, sent, events: EVENTS, has_failed: run === this.failed };
  }
}

export class HasWebsites extends Conflict {
  constructor() {
    super('Demo data is only for users without websites.');
  }
}

export class LoadedTooOften extends TooManyRequests {
  constructor(now: number) {
    super('Demo data can be loaded three times a day. Load it tomorrow.', secondsOfDayAfter(now));
  }
}

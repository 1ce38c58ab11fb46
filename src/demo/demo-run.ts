import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InvalidFields, Overloaded } from '../../engine/ground/errors';
import { Conflict } from '../common/problems';
import { reasonOf } from '../../engine/database/errors';
import { WebsitesService } from '../websites/websites.service';
import { eventsByDay } from './demo-calendar';
import { DEMO_DAYS, DEMO_DOMAIN, DemoWebsite } from './demo-website';
import { DemoService } from './demo.service';

/** Enough for all pages of the console, within seconds. */
const EVENTS = 30_000;
const SEED = 1;

interface Run {
  userId: number;
  websiteId?: number;
  sent: number;
}

export interface DemoProgress {
  website_id: number | null;
  sent: number;
  events: number;
}

/** Fills a demo website for a user who has none, in the background, one at a time. */
@Injectable()
export class DemoRun implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Demo');
  private run: Run | undefined;
  private filling = Promise.resolve();
  private isEnding = false;

  constructor(
    private readonly demo: DemoService,
    private readonly demoWebsite: DemoWebsite,
    private readonly websites: WebsitesService,
  ) {}

  async start(userId: number): Promise<DemoProgress> {
    if (this.run && this.run.userId !== userId) throw new Overloaded();
    if (this.run) return viewOf(this.run);
    const run: Run = (this.run = { userId, sent: 0 });
    try {
      if ((await this.websites.ids(userId, { page: 1, per_page: 10 }, null)).length > 0)
        throw new Conflict('Demo data is only for users without websites.');
      const days = this.demo.lastDays(DEMO_DAYS);
      const domain = await this.domainFor(userId);
      run.websiteId = await this.demoWebsite.register(userId, domain, days);
      this.filling = this.fill(run, domain, days);
    } catch (error) {
      this.run = undefined;
      throw error;
    }
    return viewOf(run);
  }

  /** Null once everything is there. */
  progressOf(userId: number): DemoProgress | null {
    return this.run?.userId === userId ? viewOf(this.run) : null;
  }

  beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    return this.filling;
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
      this.logger.error(`the demo website could not be filled: ${reasonOf(error)}`);
    } finally {
      this.run = undefined;
    }
  }
}

function viewOf({ websiteId, sent }: Run): DemoProgress {
  return { website_id: websiteId ?? null, sent, events: EVENTS };
}

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Settings } from '../config/settings';
import { hostedPageIn } from '../derive/page/host';
import { parsePageAddress } from '../derive/page/page-address';
import { eventDetails } from '../intake/events/event-properties';
import type { Arrival } from '../intake/events/website-rules';
import { Inbox } from '../intake/inbox/inbox';
import { WebsitesRepository } from '../websites/websites.repository';
import { DemoTraffic } from './demo-traffic';
import { HitStore } from '../../engine/port';

const EVENTS_PER_ROW = 2000;
const ROWS_BETWEEN_FOLDS = 5;
const HITS_PER_FOLD = 10_000;
const PAUSE_MS = 100;
/** One more visitor has come every so often in the last minutes. */
const LIVE_VISITS = 24;
const LIVE_EVERY_MS = 45_000;

/** Sends made-up visits through the same code as real ones: processing, inbox and counting. */
@Injectable()
export class DemoService {
  private readonly clock: DayClock;

  constructor(
    private readonly inbox: Inbox,
    private readonly store: HitStore,
    private readonly websites: WebsitesRepository,
    { timezone }: Settings,
  ) {
    this.clock = new DayClock(timezone);
  }

  /** The last days up to today, the oldest first. */
  lastDays(count: number): number[] {
    const today = this.clock.dayOf(Date.now());
    return Array.from({ length: count }, (_, index) => today - count + 1 + index);
  }

  /** Fills one day and returns when it is counted, and sealed if it is over. Calls `report` after each row. */
  async fillDay(domain: string, day: number, events: number, seed: number, report: (events: number) => void) {
    const arrivals = this.arrivals(domain, day, events, seed);
    for (let from = 0, rows = 1; from < events; from += EVENTS_PER_ROW, rows++) {
      const piece = arrivals.slice(from, from + EVENTS_PER_ROW);
      await this.inbox.submit({ source: 'browser', owner: domain, domain, arrivals: piece, bytes: 0 });
      report(piece.length);
      if (rows % ROWS_BETWEEN_FOLDS === 0) await this.store.foldAll(HITS_PER_FOLD);
    }
    const { id } = (await this.websites.findByDomainUnscoped(domain))!;
    while (await this.store.hasWaiting(id))
      if ((await this.store.foldAll(HITS_PER_FOLD)) === 0) await sleep(PAUSE_MS);
    const today = Math.min(day + 1, this.clock.dayOf(Date.now()));
    while ((await this.store.settle(id, today)) === 'more');
  }

  /** Returns once past days are sealed. A service that counts the website may hold its lease for some seconds. */
  async waitUntilSealed(domain: string): Promise<void> {
    const today = this.clock.dayOf(Date.now());
    for (;;) {
      const website = await this.websites.findByDomainUnscoped(domain);
      if (!website) return;
      const settled = await this.store.settle(website.id, today);
      if (settled === 'done') return;
      if (settled === 'elsewhere') await sleep(PAUSE_MS);
    }
  }

  private arrivals(domain: string, day: number, events: number, seed: number): Arrival[] {
    const traffic = new DemoTraffic(seed, day);
    const salt = createHmac('sha256', 'demo').update(`${seed} ${day}`).digest();
    const [begin, end] = [this.clock.endOf(day - 1), this.clock.endOf(day)];
    const now = Date.now();
    // The visits of today have already been.
    const shareOver = Math.min(1, Math.max(0, (now - begin) / (end - begin)));
    const arrivals: Arrival[] = [];
    let visits = 0;
    while (arrivals.length < events) {
      const { address, userAgent, language, screen, referrer, campaign } = traffic.visit();
      const spread = begin + Math.floor(traffic.second() * 1000 * shareOver);
      // Some visitors of today are there now.
      let at = shareOver < 1 && visits < LIVE_VISITS ? Math.max(begin, now - visits * LIVE_EVERY_MS) : spread;
      visits++;
      for (
        let left = traffic.length(), first = true;
        left > 0 && arrivals.length < events;
        left--, first = false
      ) {
        const query =
          first && campaign
            ? `?utm_source=${campaign.source}&utm_medium=${campaign.medium}&utm_campaign=${campaign.name}`
            : '';
        const url = parsePageAddress(`https://${domain}${traffic.page()}${query}`)!;
        const event = {
          url,
          domain: null,
          referrer: first && referrer ? hostedPageIn(referrer) : null,
          title: null,
          language,
          screen,
          event: eventDetails(traffic.event()),
          id: null,
        };
        arrivals.push({
          event,
          at,
          day,
          salt,
          address,
          userAgent,
          acceptLanguage: undefined,
          origin: undefined,
          optedOut: false,
        });
        at = Math.max(at, Math.min(at + 30_000, now));
      }
    }
    return arrivals.sort((one, other) => one.at - other.at);
  }
}

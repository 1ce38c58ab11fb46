import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { clockFrom } from '../common/time/clock-from';
import { DayClock } from '../common/time/day-clock';
import { Mutex } from '../common/threads/mutex';
import { Settings } from '../config/settings';
import { Database } from '../database/database';
import { reasonOf } from '../database/errors';
import { Lease, LeaseLost } from '../database/lease';
import { Deliverer, type DeliveryOutcome, type Sending } from './deliverer';
import { DeliveriesRepository, type Delivery } from './deliveries.repository';
import { type Period, periodAround, periodDue, type Rhythm, periodWording } from './period';
import { publicAddress } from './unsubscribe-links';
import { SmtpSession } from './smtp-session';
import { offReasonOf, type OffReason } from './status/off-reason';

const MINUTE_MS = 60_000;
const EVERY_MS = MINUTE_MS;
const LEASE_MS = 90_000;
/** Longer than it takes to create a report and until the mail server requests it. */
const CLAIM_MS = 5 * MINUTE_MS;
/** Pauses while the mail server is down. */
const RESTS_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS);

const OFF: Record<OffReason, string> = {
  no_mail_server: 'SMTP_URL is not set',
  no_sender: 'MAIL_FROM is not set',
  turned_off: 'REPORTS is off',
};

/**
 * Sends due reports one after the other, at the rate of `MAIL_RATE`. One process at a time does this. The state of each
 * report is a row, so that any process can continue.
 */
@Injectable()
export class BackgroundReports implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Reports');
  private readonly lease: Lease;
  private readonly clock: DayClock;
  private readonly owner = randomUUID();
  private readonly end = new AbortController();
  private readonly every: Rhythm | undefined;
  private checking: Promise<void> | undefined;
  private readonly turns = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private nextAt = 0;
  private rests = 0;
  private restUntil = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly deliverer: Deliverer,
    private readonly settings: Settings,
  ) {
    this.lease = new Lease(database, 'reports', LEASE_MS);
    this.clock = new DayClock(settings.timezone);
    this.every = settings.reports === 'off' || offReasonOf(settings) ? undefined : settings.reports;
  }

  start(): void {
    const off = offReasonOf(this.settings);
    if (off !== undefined) return this.logger.log(`Reports are off: ${OFF[off]}`);
    const { baseUrl } = this.settings;
    if (baseUrl === undefined)
      this.logger.warn(`BASE_URL is not set: links in reports lead to ${publicAddress(this.settings)}`);
    this.checking = this.check();
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
    this.nudge();
  }

  nudge(): void {
    this.nudged ??= this.run()
      .catch((error: unknown) => this.logger.warn(`reports postponed: ${reasonOf(error)}`))
      .finally(() => (this.nudged = undefined));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.end.abort();
    await Promise.all([this.checking, this.turns.run(() => Promise.resolve())]);
    await this.lease.release();
  }

  /** Plans and sends due reports, unless another process does. */
  run(now?: number): Promise<void> {
    return this.turns.run(() => this.underLease(now));
  }

  private async underLease(startedAt?: number): Promise<void> {
    const { every } = this;
    if (every === undefined || this.end.signal.aborted || !(await this.lease.take())) return;
    const now = clockFrom(startedAt ?? (await this.database.now()));
    await this.lease.renewDuring(() => this.sendDue(every, now));
  }

  private async sendDue(every: Rhythm, now: () => number): Promise<void> {
    const period = periodDue(now(), every, this.clock);
    await this.plan(period, now());
    const { lost } = await this.deliveries.endLeases(now());
    if (lost > 0)
      this.logger.warn(`${lost} reports may or may not have been sent: see "report list --state unknown"`);
    if (now() < this.restUntil) return;
    const session = new SmtpSession(this.settings.smtp!, this.end.signal);
    try {
      await this.sendAll(period, { owner: this.owner, session, now });
    } finally {
      session.close();
    }
  }

  /** A newly chosen rhythm begins with the next period: nobody expects reports of earlier days. */
  private async plan(period: Period, now: number): Promise<void> {
    const { every, from, to } = period;
    const planned = await this.deliveries.readPlannedPeriods(every);
    if (planned.has(from)) return;
    if (planned.size > 0) return this.deliveries.plan(period, this.clock.endOf(to), now);
    await this.deliveries.markPlanned(every, from, now);
    this.logger.log(`The first ${every} reports will cover ${periodWording(periodAround(to + 1, every))}`);
  }

  private async sendAll(period: Period, sending: Sending): Promise<void> {
    const ended: Record<DeliveryOutcome['state'], number> = {
      sent: 0,
      waiting: 0,
      failed: 0,
      skipped: 0,
      unknown: 0,
    };
    while (await this.isMyTurn()) {
      const now = sending.now();
      const delivery = await this.claim(now);
      if (!delivery) break;
      const outcome = isOf(period, delivery)
        ? await this.pace(() => this.deliverer.deliver(delivery, sending))
        : tooLate(delivery, now);
      if (!outcome) continue;
      await this.deliveries.settle(delivery, this.owner, outcome, sending.now());
      ended[outcome.state]++;
      this.rest(outcome, sending.now());
      if (outcome.isServerAway) break;
    }
    const counts = Object.entries(ended).filter(([, count]) => count > 0);
    if (counts.length > 0)
      this.logger.log(`reports: ${counts.map(([state, count]) => `${count} ${state}`).join(', ')}`);
  }

  /** Undefined if nothing is due or another process has the lease. */
  private async claim(now: number): Promise<Delivery | undefined> {
    try {
      return await this.deliveries.claim(this.lease, this.owner, now, now + CLAIM_MS);
    } catch (error) {
      if (error instanceof LeaseLost) return undefined;
      throw error;
    }
  }

  /** While the mail server is down, all reports wait. */
  private rest({ isServerAway, state, reason }: DeliveryOutcome, now: number): void {
    if (state === 'sent') this.rests = 0;
    if (!isServerAway || this.end.signal.aborted) return;
    const restMs = RESTS_MS[Math.min(this.rests++, RESTS_MS.length - 1)]!;
    this.restUntil = now + restMs;
    this.logger.warn(
      `the mail server accepts nothing, trying again in ${restMs / MINUTE_MS} minutes: ${reason}`,
    );
  }

  private pace<T>(work: () => Promise<T>): Promise<T> {
    this.nextAt = performance.now() + MINUTE_MS / this.settings.mailRate;
    return work();
  }

  /** False if the service stops or another process has the lease. */
  private async isMyTurn(): Promise<boolean> {
    const { signal } = this.end;
    const waitMs = this.nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted && this.lease.isHeld();
  }

  private async check(): Promise<void> {
    const { smtp, mailRate } = this.settings;
    const session = new SmtpSession(smtp!, this.end.signal);
    try {
      await session.open();
      this.logger.log(
        `Reports are sent ${this.every} by ${smtp!.host}:${smtp!.port}, at most ${mailRate} a minute`,
      );
    } catch (error) {
      this.logger.warn(`SMTP_URL: the mail server is not available: ${(error as Error).message}`);
    } finally {
      session.close();
    }
  }
}

function isOf({ every, from }: Period, delivery: Delivery): boolean {
  return delivery.every === every && delivery.firstDay === from;
}

function tooLate({ attempts, reason }: Delivery, now: number): DeliveryOutcome {
  const given = `not sent before the next report was due${reason === null ? '' : `: ${reason}`}`;
  return { state: 'failed', reason: given.slice(0, 250), attempts, dueAt: now, isServerAway: false };
}

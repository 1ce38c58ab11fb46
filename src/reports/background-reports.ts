import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { clockFrom } from '../../engine/ground/time/clock-from';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Mutex } from '../../engine/ground/threads/mutex';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { reasonOf } from '../../engine/database/errors';
import { publicAddress } from '../mail/addresses';
import type { MailOutcome } from '../mail/mail-state';
import { type MailKind, MailTurns } from '../mail/mail-turns';
import { SmtpSession } from '../mail/smtp-session';
import { Deliverer } from './deliverer';
import { DeliveriesRepository, type Delivery } from './deliveries.repository';
import { periodWording } from './mail/language/dates';
import { type Period, periodAround, periodDue, type Rhythm } from './period';
import { OFF_TEXTS, offReasonOf } from './status/off-reason';

const EVERY_MS = 60_000;

/** Plans reports, and sends those that are due. */
@Injectable()
export class BackgroundReports implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Reports');
  private readonly clock: DayClock;
  private readonly every: Rhythm | undefined;
  private checking: Promise<void> | undefined;
  private readonly runs = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly deliverer: Deliverer,
    private readonly turns: MailTurns,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
    this.every = settings.reports === 'off' || offReasonOf(settings) ? undefined : settings.reports;
  }

  start(): void {
    const off = offReasonOf(this.settings);
    if (off !== undefined) return this.logger.log(`Reports are off: ${OFF_TEXTS[off]}`);
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
    this.turns.stop();
    await Promise.all([this.checking, this.runs.run(() => Promise.resolve())]);
  }

  /** Plans and sends due reports, unless another process does. */
  run(now?: number): Promise<void> {
    return this.runs.run(async () => {
      const { every } = this;
      if (every === undefined) return;
      await this.turns.during(async () => this.sendDue(every, clockFrom(now ?? (await this.database.now()))));
    });
  }

  private async sendDue(every: Rhythm, now: () => number): Promise<void> {
    const period = periodDue(now(), every, this.clock);
    await this.plan(period, now());
    const { lost } = await this.deliveries.makeDue(now());
    if (lost > 0)
      this.logger.warn(`${lost} reports may or may not have been sent: see "report list --state unknown"`);
    if (this.turns.isResting(now())) return;
    const session = new SmtpSession(this.settings.smtp!, this.turns.signal);
    try {
      await this.turns.sendAll(this.kindFor(period), { owner: this.turns.owner, session, now });
    } finally {
      session.close();
    }
  }

  private kindFor(period: Period): MailKind<Delivery, Delivery> {
    return {
      name: 'reports',
      mails: this.deliveries,
      deliver: (delivery, sending) =>
        isOf(period, delivery)
          ? this.turns.paced(() => this.deliverer.deliver(delivery, sending))
          : Promise.resolve(tooLate(delivery, sending.now())),
    };
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

  private async check(): Promise<void> {
    const { smtp, mailRate } = this.settings;
    const session = new SmtpSession(smtp!, this.turns.signal);
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

function tooLate({ attempts, reason }: Delivery, now: number): MailOutcome {
  const given = `not sent before the next report was due${reason === null ? '' : `: ${reason}`}`;
  return { state: 'failed', reason: given.slice(0, 250), attempts, dueAt: now, isServerAway: false };
}

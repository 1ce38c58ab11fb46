import { Injectable, Logger } from '@nestjs/common';
import { DayClock } from '../../engine/ground/time/day-clock';
import { Settings } from '../config/settings';
import { publicAddress } from '../mail/addresses';
import type { MailOutcome, MailSending } from '../mail/mail-state';
import { type MailKind, MailTurns } from '../mail/mail-turns';
import { SmtpSession } from '../mail/smtp-session';
import { Deliverer } from './deliverer';
import { DeliveriesRepository, type Delivery, type DeliveryKey } from './deliveries.repository';
import { periodWording } from './mail/language/dates';
import { type Period, periodAround, periodDue, type Rhythm } from './period';
import { OFF_TEXTS, offReasonOf } from './status/off-reason';

/** Plans the reports of each period, and sends those that are due. */
@Injectable()
export class PlannedReports implements MailKind<DeliveryKey, Delivery> {
  readonly name = 'reports';
  readonly part = 'Reports';
  readonly isOn: boolean;
  readonly everyMs = 60_000;
  readonly lostAre = ': see "report list --state unknown"';
  private readonly logger = new Logger('Reports');
  private readonly clock: DayClock;
  private period: Period | undefined;

  constructor(
    turns: MailTurns,
    readonly mails: DeliveriesRepository,
    private readonly deliverer: Deliverer,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
    this.isOn = offReasonOf(settings) === undefined;
    turns.register(this);
  }

  async announce(signal: AbortSignal): Promise<void> {
    const { baseUrl, smtp, mailRate, reports } = this.settings;
    const off = offReasonOf(this.settings);
    if (off !== undefined) return this.logger.log(`Reports are off: ${OFF_TEXTS[off]}`);
    if (baseUrl === undefined)
      this.logger.warn(`BASE_URL is not set: links in reports lead to ${publicAddress(this.settings)}`);
    const session = new SmtpSession(smtp!, signal);
    try {
      await session.open();
      this.logger.log(
        `Reports are sent ${reports} by ${smtp!.host}:${smtp!.port}, at most ${mailRate} a minute`,
      );
    } catch (error) {
      this.logger.warn(`SMTP_URL: the mail server is not available: ${(error as Error).message}`);
    } finally {
      session.close();
    }
  }

  /** A newly chosen rhythm begins with the next period: nobody expects reports of earlier days. */
  async plan(now: number): Promise<void> {
    const period = periodDue(now, this.settings.reports as Rhythm, this.clock);
    this.period = period;
    const { every, from, to } = period;
    const planned = await this.mails.readPlannedPeriods(every);
    if (planned.has(from)) return;
    if (planned.size > 0) return this.mails.plan(period, this.clock.endOf(to), now);
    await this.mails.markPlanned(every, from, now);
    this.logger.log(`The first ${every} reports will cover ${periodWording(periodAround(to + 1, every))}`);
  }

  outdated({ every, firstDay, attempts, reason }: Delivery, now: () => number): MailOutcome | undefined {
    if (every === this.period!.every && firstDay === this.period!.from) return undefined;
    const given = `not sent before the next report was due${reason === null ? '' : `: ${reason}`}`;
    return { state: 'failed', reason: given.slice(0, 250), attempts, dueAt: now(), isServerAway: false };
  }

  deliver(delivery: Delivery, sending: MailSending): Promise<MailOutcome | undefined> {
    return this.deliverer.deliver(delivery, sending);
  }
}

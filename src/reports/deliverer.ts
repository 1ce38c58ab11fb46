import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../config/settings';
import { recipientOf } from '../mail/addresses';
import type { MailOutcome, MailSending } from '../mail/mail-state';
import { Outcomes } from '../mail/outcomes';
import type { SmtpSession } from '../mail/smtp-session';
import { UsersService } from '../users/users.service';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { DeliveriesRepository, type Delivery, type ReportSettlement } from './deliveries.repository';
import { type Period, periodAround } from './period';
import type { Report } from './report';
import type { MailedReport } from './report-for-webhooks';
import { ReportsService } from './reports.service';

type ReportOutcome = MailOutcome & ReportSettlement;

const COUNTING_PAUSE_MS = 5 * 60_000;
const MAX_LOGGED = 1000;

/** A report waits until the events of its days are counted. */
export function countedLater(outcomes: Outcomes): MailOutcome {
  return outcomes.later(COUNTING_PAUSE_MS, 'events of these days are not counted yet');
}

/** Sends one report that its process has claimed, and returns the outcome. */
@Injectable()
export class Deliverer {
  private readonly logger = new Logger('Reports');
  private readonly logged = new Set<string>();

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly reports: ReportsService,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
    private readonly settings: Settings,
  ) {}

  /** Undefined if another process took the report over. */
  async deliver(
    delivery: Delivery,
    sending: MailSending,
    isWished = false,
  ): Promise<ReportOutcome | undefined> {
    const outcome = new Outcomes(delivery.attempts, sending.now);
    try {
      const result = await this.tryTo(delivery, sending, isWished);
      if (result === 'counting') return countedLater(outcome);
      return typeof result === 'string'
        ? outcome.ended('skipped', result)
        : { ...outcome.ended('sent'), mailed: result };
    } catch (error) {
      return outcome.afterError(error, sending.session.isStopped);
    }
  }

  /** Sends a copy without recording it. */
  async sendCopy(website: Website, period: Period, recipient: string, session: SmtpSession): Promise<void> {
    const { mailFrom } = this.settings;
    const report = await this.reports.report(website, period);
    const messageId = this.reports.messageId(mailFrom!, website, period);
    const reader = { address: recipient, isOwner: true };
    const message = await this.reports.message(website, report, reader, mailFrom!, messageId);
    await session.send({ from: mailFrom!.address, to: recipient }, message, () => Promise.resolve());
  }

  /** Returns the report, or the reason why it was not sent. */
  private async tryTo(
    delivery: Delivery,
    sending: MailSending,
    isWished: boolean,
  ): Promise<string | MailedReport> {
    const website = await this.websites.findUnscoped(delivery.websiteId);
    if (!website) return 'the website was deleted';
    if (website.email === 0 && !isWished) return 'its reports were switched off';
    const email = (await this.users.show(website.userId))?.email ?? '';
    const recipient = recipientOf(email);
    if (recipient === undefined) return this.logOnce(`no mail can be delivered to ${email}`);
    const period = periodAround(delivery.firstDay, delivery.every);
    const report = await this.reports.report(website, period);
    if (!isWished && this.reports.isBeingCounted(report, sending.now())) return 'counting';
    await this.send(delivery, sending, { website, recipient, report });
    return { website, report };
  }

  private async send(
    delivery: Delivery,
    sending: MailSending,
    { website, recipient: to, report }: { website: Website; recipient: string; report: Report },
  ): Promise<void> {
    const { mailFrom } = this.settings;
    const messageId = delivery.messageId ?? this.reports.messageId(mailFrom!, website, report.period);
    const reader = { address: to, isOwner: true };
    const message = await this.reports.message(website, report, reader, mailFrom!, messageId);
    const envelope = { from: mailFrom!.address, to, messageId };
    await this.deliveries.send(delivery, sending, envelope, message);
  }

  private logOnce(reason: string): string {
    if (this.logged.size < MAX_LOGGED && !this.logged.has(reason)) {
      this.logged.add(reason);
      this.logger.warn(`a report is skipped: ${reason}; change the address with "user update"`);
    }
    return reason;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { DayClock } from '../common/time/day-clock';
import { Problem } from '../common/problem';
import { Settings } from '../config/settings';
import { UsersService } from '../users/users.service';
import type { Website } from '../websites/website.entity';
import { WebsitesRepository } from '../websites/websites.repository';
import { DeliveriesRepository, type Delivery, type Settlement } from './deliveries.repository';
import { type Period, periodAround } from './period';
import type { Report } from './report';
import type { MailedReport } from './report-content';
import { ReportsService } from './reports.service';
import { SendFailure } from './send-failure';
import type { SmtpSession } from './smtp-session';
import { isIP } from 'node:net';
import { mailAddress } from '../config/mail-settings';

const MINUTE_MS = 60_000;
/** The pauses before further attempts; after the last attempt the report fails. */
const PAUSES_MS = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);
const BUSY_PAUSE_MS = MINUTE_MS;
/** Damaged data stay damaged until they are repaired. */
const DAMAGED_PAUSE_MS = 60 * MINUTE_MS;
const COUNTING_PAUSE_MS = 5 * MINUTE_MS;
/** Longer than a mail server may take to accept a message. */
const SENDING_LEASE_MS = 10 * MINUTE_MS;
const MAX_LOGGED = 1000;

/** The sending process, its connection, and its clock. */
export interface Sending {
  owner: string;
  session: SmtpSession;
  now: () => number;
}

/** The outcome of one report. */
export interface DeliveryOutcome extends Settlement {
  /** Whether other reports would fail too. */
  isServerAway: boolean;
}

/** The outcomes of one attempt. */
class Outcomes {
  constructor(
    private readonly delivery: Delivery,
    private readonly now: () => number,
  ) {}

  ended(state: DeliveryOutcome['state'], reason: string | null = null): DeliveryOutcome {
    return {
      state,
      reason,
      attempts: this.delivery.attempts + 1,
      dueAt: this.now(),
      isServerAway: false,
    };
  }

  /** Postponed, without counting an attempt. */
  later(pauseMs: number, reason: string): DeliveryOutcome {
    return {
      ...this.ended('waiting', reason),
      attempts: this.delivery.attempts,
      dueAt: this.now() + pauseMs,
    };
  }

  /** The report cannot be created because of its website; other reports are unaffected. */
  notMade(reason: string): DeliveryOutcome {
    const outcome = this.failed(new SendFailure('later', reason, false));
    return { ...outcome, dueAt: Math.max(outcome.dueAt, this.now() + DAMAGED_PAUSE_MS) };
  }

  failed({ kind, message }: SendFailure): DeliveryOutcome {
    if (kind === 'unknown') return this.ended('unknown', message);
    const pauseMs = kind === 'never' ? undefined : PAUSES_MS[this.delivery.attempts];
    const isServerAway = kind === 'server';
    if (pauseMs === undefined) return { ...this.ended('failed', message), isServerAway };
    return { ...this.ended('waiting', message), dueAt: this.now() + pauseMs, isServerAway };
  }
}

/** Another process has the report. */
class TakenOver extends Error {}

/** Sends one report that its process has claimed, and returns the outcome. */
@Injectable()
export class Deliverer {
  private readonly logger = new Logger('Reports');
  private readonly clock: DayClock;
  private readonly logged = new Set<string>();

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly reports: ReportsService,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
  }

  /** Undefined if another process took the report over. */
  async deliver(
    delivery: Delivery,
    sending: Sending,
    isWished = false,
  ): Promise<DeliveryOutcome | undefined> {
    const outcome = new Outcomes(delivery, sending.now);
    try {
      const result = await this.tryTo(delivery, sending, isWished);
      if (result === 'counting')
        return outcome.later(COUNTING_PAUSE_MS, 'events of these days are not counted yet');
      return typeof result === 'string'
        ? outcome.ended('skipped', result)
        : { ...outcome.ended('sent'), mailed: result };
    } catch (error) {
      if (error instanceof TakenOver) return undefined;
      if (error instanceof Problem)
        return willPass(error) ? outcome.later(BUSY_PAUSE_MS, error.message) : outcome.notMade(error.message);
      if (error instanceof SendFailure)
        return sending.session.isStopped && error.kind === 'server'
          ? outcome.later(0, error.message)
          : outcome.failed(error);
      this.logger.error(error);
      return outcome.failed(new SendFailure('later', 'internal error', false));
    }
  }

  /** Sends a copy without recording it. */
  async sendCopy(website: Website, period: Period, recipient: string, session: SmtpSession): Promise<void> {
    const { mailFrom } = this.settings;
    const report = await this.reports.report(website, period);
    const messageId = this.reports.messageId(website, period, mailFrom!);
    const message = await this.reports.message(website, report, mailFrom!, recipient, messageId);
    await session.send({ from: mailFrom!.address, to: recipient }, message, () => Promise.resolve());
  }

  /** Returns the report, or the reason why it was not sent. */
  private async tryTo(
    delivery: Delivery,
    sending: Sending,
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
    if (!isWished && this.isBeingCounted(period, report.asOf, sending.now())) return 'counting';
    await this.send(delivery, sending, { website, recipient, report });
    return { website, report };
  }

  private async send(
    delivery: Delivery,
    { owner, session, now }: Sending,
    { website, recipient, report }: { website: Website; recipient: string; report: Report },
  ): Promise<void> {
    const { mailFrom } = this.settings;
    const messageId = delivery.messageId ?? this.reports.messageId(website, report.period, mailFrom!);
    const message = await this.reports.message(website, report, mailFrom!, recipient, messageId);
    await session.send({ from: mailFrom!.address, to: recipient }, message, async () => {
      const leaseEndsAt = now() + SENDING_LEASE_MS;
      const isMine = await this.deliveries.beginSending(delivery, owner, {
        recipient,
        messageId,
        now: now(),
        leaseEndsAt,
      });
      if (!isMine) throw new TakenOver();
    });
  }

  /** Uncounted events delay a report during the first day only. */
  private isBeingCounted({ to }: Period, asOf: number, now: number): boolean {
    return this.clock.dayOf(asOf) <= to && this.clock.dayOf(now) <= to + 1;
  }

  private logOnce(reason: string): string {
    if (this.logged.size < MAX_LOGGED && !this.logged.has(reason)) {
      this.logged.add(reason);
      this.logger.warn(`a report is skipped: ${reason}; change the address with "user update"`);
    }
    return reason;
  }
}

/** Whether the service is busy or the database is down, rather than the website's data damaged. */
function willPass({ status }: Problem): boolean {
  return status === 503 || status === 429;
}

/** Domains that mail is never sent to (RFC 6761). */
const NOWHERE = /\.(localhost|invalid)$/;

/** The address for the envelope. Undefined if no mail can be delivered to it. */
export function recipientOf(email: string): string | undefined {
  const address = mailAddress(email);
  const domain = address?.slice(address.lastIndexOf('@') + 1) ?? '';
  return domain.includes('.') && isIP(domain) === 0 && !NOWHERE.test(domain) ? address : undefined;
}

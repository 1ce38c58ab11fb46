import { Injectable } from '@nestjs/common';
import { shownDomain } from '../../../engine/ground/shown-domain';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { DAY_MS } from '../../../engine/ground/time/days';
import { Settings } from '../../config/settings';
import { recipientOf } from '../../mail/addresses';
import type { MailOutcome, MailSending } from '../../mail/mail-state';
import { type MailKind, MailTurns } from '../../mail/mail-turns';
import { messageBytes } from '../../mail/message';
import { Outcomes } from '../../mail/outcomes';
import { confirmationContent } from '../../recipients/confirmation';
import { NO_RECIPIENT } from '../../recipients/recipient';
import { RecipientLinks } from '../../recipients/recipient-links';
import { UsersService } from '../../users/users.service';
import type { Website } from '../../websites/website.entity';
import { WebsitesRepository } from '../../websites/websites.repository';
import { countedLater } from '../deliverer';
import { WORDS } from '../mail/language/language';
import { offReasonOf } from '../status/off-reason';
import { periodAround, periodDue, type Rhythm } from '../period';
import type { Reader } from '../report';
import { ReportRecipientsRepository } from '../recipients/report-recipients.repository';
import { ReportsService } from '../reports.service';
import { type MailKey, type ReportMail, ReportMailsRepository, TO_OWNER } from './report-mails.repository';

/** A mail that is ready to be sent, or the reason why it is not. */
type Made = { to: string; messageId: string; bytes: Buffer } | { never: string } | 'counting';

/** Sends reports to other addresses than the owner's, reports that are wanted now, and questions to new addresses. */
@Injectable()
export class ReportMailDeliverer implements MailKind<MailKey, ReportMail> {
  readonly name = 'mails about reports';
  readonly part = 'Reports';
  readonly isOn: boolean;
  private readonly clock: DayClock;

  constructor(
    turns: MailTurns,
    readonly mails: ReportMailsRepository,
    private readonly reports: ReportsService,
    private readonly recipients: ReportRecipientsRepository,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
    private readonly links: RecipientLinks,
    private readonly settings: Settings,
  ) {
    this.clock = new DayClock(settings.timezone);
    this.isOn = offReasonOf(settings) === undefined;
    turns.register(this);
  }

  outdated(mail: ReportMail, now: () => number): MailOutcome | undefined {
    const reason = this.whyOutdated(mail, now());
    return reason === undefined ? undefined : new Outcomes(mail.attempts, now).ended('failed', reason);
  }

  async deliver(mail: ReportMail, sending: MailSending): Promise<MailOutcome | undefined> {
    const outcomes = new Outcomes(mail.attempts, sending.now);
    try {
      const made = await this.made(mail, sending.now);
      if (made === 'counting') return countedLater(outcomes);
      if ('never' in made) return outcomes.ended('skipped', made.never);
      const { bytes, ...envelope } = made;
      const from = this.settings.mailFrom!.address;
      await this.mails.send(mail, sending, { from, ...envelope }, bytes);
      return outcomes.ended('sent');
    } catch (error) {
      return outcomes.afterError(error, sending.session.isStopped);
    }
  }

  private whyOutdated({ every, firstDay, askedAt }: ReportMail, now: number): string | undefined {
    if (every === '') return undefined;
    if (askedAt > 0)
      return askedAt > now - DAY_MS ? undefined : 'the report was asked for more than 24 hours ago';
    const due = periodDue(now, this.settings.reports as Rhythm, this.clock);
    const isDue = due.every === every && due.from === firstDay;
    return isDue ? undefined : 'not sent before the next report was due';
  }

  private async made(mail: ReportMail, now: () => number): Promise<Made> {
    const website = await this.websites.findUnscoped(mail.websiteId);
    if (!website) return { never: 'the website was deleted' };
    if (mail.every === '') return this.question(mail, website);
    if (mail.askedAt === 0 && website.email === 0) return { never: 'its reports were switched off' };
    const reader = await this.readerOf(mail, website);
    if (typeof reader === 'string') return { never: reader };
    const report = await this.reports.report(website, periodAround(mail.firstDay, mail.every));
    if (mail.askedAt === 0 && this.reports.isBeingCounted(report, now())) return 'counting';
    const { mailFrom } = this.settings;
    const { address, askedAt } = mail;
    const messageId = this.reports.messageId(mailFrom!, website, report.period, address, askedAt);
    const bytes = await this.reports.message(website, report, reader, mailFrom!, messageId);
    return { to: reader.address, messageId, bytes };
  }

  /** Or why nobody gets the report. */
  private async readerOf({ address }: ReportMail, { id, userId }: Website): Promise<Reader | string> {
    const { email } = await this.users.show(userId);
    const ofOwner = recipientOf(email);
    if (address === TO_OWNER)
      return ofOwner === undefined
        ? `no mail can be delivered to ${email}`
        : { address: ofOwner, isOwner: true };
    if (address === ofOwner) return 'the owner gets the report anyway';
    const readers = await this.recipients.findReadersUnscoped(id);
    return readers.includes(address) ? { address, isOwner: false } : NO_RECIPIENT;
  }

  private async question({ websiteId, address, askedAt }: ReportMail, website: Website): Promise<Made> {
    const state = await this.recipients.findStateUnscoped(websiteId, address);
    if (state !== 'pending')
      return { never: state === 'confirmed' ? 'the address is confirmed' : 'the address was unsubscribed' };
    if (await this.recipients.takeQuestionBackUnscoped(websiteId, address)) return { never: NO_RECIPIENT };
    const { language } = await this.users.show(website.userId);
    const subscription = { topic: 'reports', websiteId, address } as const;
    const stop = this.links.toUnsubscribe(subscription);
    const content = confirmationContent({
      domain: shownDomain(website.domain),
      language,
      words: WORDS[language].confirmation,
      confirm: this.links.toConfirm(subscription),
      stop,
    });
    const from = this.settings.mailFrom!;
    const messageId = this.reports.messageIdFor(from, 'question', websiteId, address, askedAt);
    const bytes = await messageBytes({ ...content, messageId, unsubscribeLink: stop }, from, address);
    return { to: address, messageId, bytes };
  }
}

import { createHmac } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { shownDomain } from '../../../engine/ground/shown-domain';
import { DayClock } from '../../../engine/ground/time/day-clock';
import { DAY_MS, dayText } from '../../../engine/ground/time/days';
import { Settings } from '../../config/settings';
import { Secret } from '../../database/secret';
import type { MailOutcome, MailSending } from '../../mail/mail-state';
import { type MailKind, MailTurns } from '../../mail/mail-turns';
import { type Message, messageBytes, messageIdOf } from '../../mail/message';
import { Outcomes } from '../../mail/outcomes';
import { hasMailServer } from '../../mail/smtp-session';
import { confirmationContent } from '../../recipients/confirmation';
import { NO_RECIPIENT } from '../../recipients/recipient';
import { RecipientLinks } from '../../recipients/recipient-links';
import { addressOf } from '../../recipients/recipients-field';
import { UsersService } from '../../users/users.service';
import { Privacy } from '../../websites/privacy/privacy';
import type { Website } from '../../websites/website.entity';
import { WebsitesRepository } from '../../websites/websites.repository';
import type { Firing } from '../firings/firing';
import { FiringsRepository } from '../firings/firings.repository';
import { AlertRecipientsRepository } from '../recipients/alert-recipients.repository';
import { type AlertMail, AlertMailsRepository, type MailKey } from './alert-mails.repository';
import { firingContent } from './firing-mail';
import { alertWords } from './words';

type Content = Pick<Message, 'subject' | 'text' | 'html'>;

/** Sends the mails about alerts. */
@Injectable()
export class AlertMailDeliverer implements MailKind<MailKey, AlertMail> {
  readonly name = 'mails about alerts';
  readonly part = 'Alerts';
  readonly isOn: boolean;
  private readonly clock: DayClock;
  private readonly key: Buffer;

  constructor(
    turns: MailTurns,
    readonly mails: AlertMailsRepository,
    private readonly firings: FiringsRepository,
    private readonly recipients: AlertRecipientsRepository,
    private readonly websites: WebsitesRepository,
    private readonly users: UsersService,
    private readonly links: RecipientLinks,
    private readonly settings: Settings,
    secret: Secret,
  ) {
    this.clock = new DayClock(settings.timezone);
    this.key = secret.key('message ids of alerts');
    this.isOn = hasMailServer(settings);
    turns.register(this);
  }

  announce(): void {
    if (!this.isOn) new Logger(this.part).log('Alerts send no mails: SMTP_URL or MAIL_FROM is not set');
  }

  outdated({ firingId, createdAt, attempts }: AlertMail, now: () => number): MailOutcome | undefined {
    if (firingId === 0 || createdAt > now() - DAY_MS) return undefined;
    return new Outcomes(attempts, now).ended('failed', 'the alert fired more than 24 hours ago');
  }

  async deliver(mail: AlertMail, sending: MailSending): Promise<MailOutcome | undefined> {
    const outcomes = new Outcomes(mail.attempts, sending.now);
    try {
      const made = await this.contentFor(mail);
      if (typeof made === 'string') return outcomes.ended('skipped', made);
      await this.send(mail, made, sending);
      return outcomes.ended('sent');
    } catch (error) {
      return outcomes.afterError(error, sending.session.isStopped);
    }
  }

  /** Or the reason why it is no longer sent. */
  private async contentFor({ websiteId, firingId, address }: AlertMail): Promise<Content | string> {
    const website = await this.websites.findUnscoped(websiteId);
    if (!website) return 'the website was deleted';
    const state = await this.recipients.findStateUnscoped(websiteId, address);
    if (state === 'unsubscribed') return 'the address was unsubscribed';
    const domain = shownDomain(website.domain);
    const owner = await this.users.show(website.userId);
    const { language } = owner;
    const stop = this.links.toUnsubscribe({ topic: 'alerts', websiteId, address });
    if (firingId === 0) {
      if (state === 'confirmed') return 'the address is confirmed';
      if (await this.recipients.takeQuestionBackUnscoped(websiteId, address)) return NO_RECIPIENT;
      const confirm = this.links.toConfirm({ topic: 'alerts', websiteId, address });
      return confirmationContent({
        domain,
        language,
        words: alertWords(language).confirmation,
        confirm,
        stop,
      });
    }
    const firing = await this.firings.findUnscoped(firingId);
    if (!firing) return 'the alert was deleted';
    const { timezone } = this.settings;
    const page = this.pageFor(website, firing, addressOf(owner.email) === address);
    return firingContent({ firing, domain, timezone, language, page, stop });
  }

  private async send(mail: AlertMail, content: Content, sending: MailSending): Promise<void> {
    const { websiteId, address: to } = mail;
    const from = this.settings.mailFrom!;
    const messageId = messageIdOf(this.nameOf(mail), from);
    const unsubscribeLink = this.links.toUnsubscribe({ topic: 'alerts', websiteId, address: to });
    const bytes = await messageBytes({ ...content, messageId, unsubscribeLink }, from, to);
    await this.mails.send(mail, sending, { from: from.address, to, messageId }, bytes);
  }

  /** Constant for all sendings of one mail, so that a mail program can merge duplicates. */
  private nameOf({ websiteId, firingId, askedAt, address }: AlertMail): string {
    const name = createHmac('sha256', this.key).update(`${websiteId} ${firingId} ${askedAt} ${address}`);
    return name.digest('hex').slice(0, 32);
  }

  /** The owner gets a link to the console; others to the shared page, if there is one. */
  private pageFor(
    { id, domain, privacy }: Website,
    { from, to }: Firing,
    isOfOwner: boolean,
  ): string | undefined {
    const { baseUrl } = this.settings;
    if (baseUrl === undefined) return undefined;
    if (isOfOwner) return `${baseUrl}/?website=${id}`;
    if (privacy === Privacy.Private) return undefined;
    const dayOf = (moment: number) => dayText(this.clock.dayOf(moment));
    const range = `range=custom&from=${dayOf(from)}&to=${dayOf(to - 1)}`;
    return `${baseUrl}/share/${encodeURIComponent(domain)}?${range}`;
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Database } from '../../../engine/database/database';
import { BackgroundMails } from '../../mail/background-mails';
import type { MailOutcome } from '../../mail/mail-state';
import { type MailSending, MailTurns } from '../../mail/mail-turns';
import { hasMailServer } from '../../mail/smtp-session';
import { AlertMailDeliverer } from './alert-mail-deliverer';
import { type AlertMail, AlertMailsRepository, type MailKey } from './alert-mails.repository';

/** Sends the mails about alerts. */
@Injectable()
export class BackgroundAlertMails extends BackgroundMails<MailKey, AlertMail> {
  constructor(
    database: Database,
    mails: AlertMailsRepository,
    private readonly deliverer: AlertMailDeliverer,
    turns: MailTurns,
    settings: Settings,
  ) {
    super('mails about alerts', new Logger('Alerts'), mails, turns, database, settings);
  }

  override start(): void {
    if (!this.isOn) this.logger.log('Alerts send no mails: SMTP_URL or MAIL_FROM is not set');
    super.start();
  }

  protected override get isOn(): boolean {
    return hasMailServer(this.settings);
  }

  protected override async deliver(mail: AlertMail, sending: MailSending): Promise<MailOutcome | undefined> {
    return (
      this.deliverer.outdated(mail, sending.now) ??
      this.turns.paced(() => this.deliverer.deliver(mail, sending))
    );
  }
}

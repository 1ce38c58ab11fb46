import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Database } from '../../../engine/database/database';
import { BackgroundMails } from '../../mail/background-mails';
import type { MailOutcome } from '../../mail/mail-state';
import { type MailSending, MailTurns } from '../../mail/mail-turns';
import { offReasonOf } from '../status/off-reason';
import { ReportMailDeliverer } from './report-mail-deliverer';
import { type MailKey, type ReportMail, ReportMailsRepository } from './report-mails.repository';

/** Sends reports to other addresses than the owner's, reports that are wanted now, and questions to new addresses. */
@Injectable()
export class BackgroundReportMails extends BackgroundMails<MailKey, ReportMail> {
  constructor(
    database: Database,
    mails: ReportMailsRepository,
    private readonly deliverer: ReportMailDeliverer,
    turns: MailTurns,
    settings: Settings,
  ) {
    super('mails about reports', new Logger('Reports'), mails, turns, database, settings);
  }

  protected override get isOn(): boolean {
    return offReasonOf(this.settings) === undefined;
  }

  protected override async deliver(mail: ReportMail, sending: MailSending): Promise<MailOutcome | undefined> {
    return (
      this.deliverer.outdated(mail, sending.now) ??
      this.turns.paced(() => this.deliverer.deliver(mail, sending))
    );
  }
}

import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Mutex } from '../../common/threads/mutex';
import { Settings } from '../../config/settings';
import { Database } from '../../database/database';
import { reasonOf } from '../../database/errors';
import { clockFrom } from '../../common/time/clock-from';
import { MailTurns } from '../../mail/mail-turns';
import { hasMailServer, SmtpSession } from '../../mail/smtp-session';
import { AlertMailDeliverer } from './alert-mail-deliverer';
import { AlertMailsRepository } from './alert-mails.repository';

const EVERY_MS = 5000;

/** Sends the mails about alerts. */
@Injectable()
export class BackgroundAlertMails implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Alerts');
  private readonly runs = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly mails: AlertMailsRepository,
    private readonly deliverer: AlertMailDeliverer,
    private readonly turns: MailTurns,
    private readonly settings: Settings,
  ) {}

  start(): void {
    if (!hasMailServer(this.settings))
      return this.logger.log('Alerts send no mails: SMTP_URL or MAIL_FROM is not set');
    this.timer ??= setInterval(() => this.nudge(), EVERY_MS);
    this.nudge();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.turns.stop();
    await this.runs.run(() => Promise.resolve());
  }

  /** Sends what is due, unless another process does. */
  run(now?: number): Promise<void> {
    return this.runs.run(async () => {
      if (!hasMailServer(this.settings)) return;
      const clock = clockFrom(now ?? (await this.database.now()));
      if (await this.mails.isAnyDue(clock())) await this.turns.during(() => this.sendDue(clock));
    });
  }

  private nudge(): void {
    this.nudged ??= this.run()
      .catch((error: unknown) => this.logger.warn(`mails about alerts postponed: ${reasonOf(error)}`))
      .finally(() => (this.nudged = undefined));
  }

  private async sendDue(now: () => number): Promise<void> {
    const { lost } = await this.mails.makeDue(now());
    if (lost > 0) this.logger.warn(`${lost} mails about alerts may or may not have been sent`);
    if (this.turns.isResting(now())) return;
    const session = new SmtpSession(this.settings.smtp!, this.turns.signal);
    try {
      const sending = { owner: this.turns.owner, session, now };
      await this.turns.sendAll(
        {
          name: 'mails about alerts',
          mails: this.mails,
          deliver: async (mail) =>
            this.deliverer.outdated(mail, now) ??
            this.turns.paced(() => this.deliverer.deliver(mail, sending)),
        },
        sending,
      );
    } finally {
      session.close();
    }
  }
}

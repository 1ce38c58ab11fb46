import { type BeforeApplicationShutdown, Logger } from '@nestjs/common';
import { Mutex } from '../../engine/ground/threads/mutex';
import { clockFrom } from '../../engine/ground/time/clock-from';
import type { Settings } from '../config/settings';
import type { Database } from '../../engine/database/database';
import { reasonOf } from '../../engine/database/errors';
import type { ClaimedMails } from './claimed-mails';
import type { MailOutcome } from './mail-state';
import type { MailSending, MailTurns } from './mail-turns';
import { SmtpSession } from './smtp-session';

const EVERY_MS = 5000;

/** Sends the mails of one kind soon after they are due. */
export abstract class BackgroundMails<K, M extends K> implements BeforeApplicationShutdown {
  private readonly runs = new Mutex();
  private nudged: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** In the log, for example `mails about alerts`. */
    private readonly name: string,
    protected readonly logger: Logger,
    private readonly mails: ClaimedMails<K, M>,
    protected readonly turns: MailTurns,
    private readonly database: Database,
    protected readonly settings: Settings,
  ) {}

  /** Whether the settings let mails of this kind be sent. */
  protected abstract get isOn(): boolean;

  /** Undefined if another process took the mail over. */
  protected abstract deliver(mail: M, sending: MailSending): Promise<MailOutcome | undefined>;

  start(): void {
    if (!this.isOn) return;
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
      if (!this.isOn) return;
      const clock = clockFrom(now ?? (await this.database.now()));
      if (await this.mails.isAnyDue(clock())) await this.turns.during(() => this.sendDue(clock));
    });
  }

  private nudge(): void {
    this.nudged ??= this.run()
      .catch((error: unknown) => this.logger.warn(`${this.name} postponed: ${reasonOf(error)}`))
      .finally(() => (this.nudged = undefined));
  }

  private async sendDue(now: () => number): Promise<void> {
    const { name, mails, turns } = this;
    const { lost } = await mails.makeDue(now());
    if (lost > 0) this.logger.warn(`${lost} ${name} may or may not have been sent`);
    if (turns.isResting(now())) return;
    const session = new SmtpSession(this.settings.smtp!, turns.signal);
    const sending = { owner: turns.owner, session, now };
    const deliver = (mail: M) => this.deliver(mail, sending);
    try {
      await turns.sendAll({ name, mails, deliver }, sending);
    } finally {
      session.close();
    }
  }
}

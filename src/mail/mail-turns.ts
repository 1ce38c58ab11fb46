import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type JobKind, Jobs, type Turn } from '../../engine/database/jobs';
import { latestEnd } from '../../engine/ground/time/clock-from';
import { Counter } from '../../engine/ground/measures';
import { Settings } from '../config/settings';
import type { ClaimedMails } from './claimed-mails';
import type { MailOutcome, MailSending, SettledState } from './mail-state';
import { SmtpSession } from './smtp-session';

const MINUTE_MS = 60_000;
/** All mails have one lease. Its name is that of its first kind of mail. */
const LEASE = { name: 'reports', lengthMs: 90_000 };
/** Longer than it takes to create a mail and until the mail server requests it. */
const CLAIM_MS = 5 * MINUTE_MS;
/** Pauses while the mail server is down. */
const RESTS_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS);
const LONGEST_REST_MS = Math.max(...RESTS_MS);

const MAILS = new Counter('mails_total', 'Attempts at mails that ended, by what became of the mail.', [
  'kind',
  'state',
]);

/** Mails of one kind, and how one of them is sent. */
export interface MailKind<K, M extends K> extends Pick<JobKind, 'name' | 'part' | 'isOn' | 'announce'> {
  readonly everyMs?: number;
  readonly mails: ClaimedMails<K, M>;
  /** Where to find mails that may or may not have been sent. */
  readonly lostAre?: string;
  /** Adds mails before those that are due are looked for. */
  plan?(now: number): Promise<void>;
  /** The outcome of a mail that is no news. Undefined for any other. */
  outdated(mail: M, now: () => number): MailOutcome | undefined;
  /** Undefined if another process took the mail over. */
  deliver(mail: M, sending: MailSending): Promise<MailOutcome | undefined>;
}

/** Sends mails of all kinds at the rate of `MAIL_RATE`. The state of each mail is a row. */
@Injectable()
export class MailTurns {
  private readonly owner = randomUUID();
  private readonly logger = new Logger('Mails');
  private nextAt = 0;
  private rests = 0;
  private restUntil = -Infinity;
  /** The recipient of the last mail, if the server was silent about it. */
  private silentAt: string | undefined;

  constructor(
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  register<K, M extends K>(kind: MailKind<K, M>): void {
    const { name, part, isOn = true, everyMs = 5000, mails } = kind;
    this.jobs.register({
      ...{ name, part, isOn, everyMs, lease: LEASE, areRows: true },
      announce: (signal) => kind.announce?.(signal),
      isAnyDue: async (now) => kind.plan !== undefined || mails.isAnyDue(now),
      work: (turn) => this.sendDue(kind, turn),
      waiting: () => mails.waiting,
    });
  }

  private async sendDue<K, M extends K>(kind: MailKind<K, M>, turn: Turn): Promise<void> {
    const { name, part, mails, lostAre = '' } = kind;
    await kind.plan?.(turn.now());
    const { lost } = await mails.makeDue(turn.now());
    if (lost > 0) new Logger(part).warn(`${lost} ${name} may or may not have been sent${lostAre}`);
    if (this.isResting(turn.now())) return;
    const session = new SmtpSession(this.settings.smtp!, turn.signal);
    try {
      await this.sendAll(kind, turn, { owner: this.owner, session, now: turn.now });
    } finally {
      session.close();
    }
  }

  /** Sends what is due, one after the other. */
  private async sendAll<K, M extends K>(
    kind: MailKind<K, M>,
    turn: Turn,
    sending: MailSending,
  ): Promise<void> {
    const ended: Partial<Record<SettledState, number>> = {};
    while (await this.isMyTurn(turn)) {
      const mail = await kind.mails.claim(turn.lease, this.owner, turn.now(), turn.now() + CLAIM_MS);
      if (!mail) break;
      const outcome = kind.outdated(mail, turn.now) ?? (await this.paced(() => kind.deliver(mail, sending)));
      if (!outcome) continue;
      await kind.mails.settle(mail, this.owner, outcome, turn.now());
      MAILS.add(1, kind.name, outcome.state);
      ended[outcome.state] = (ended[outcome.state] ?? 0) + 1;
      const isServerAway = this.isServerAway(outcome);
      this.rest({ ...outcome, isServerAway }, turn);
      if (isServerAway) break;
    }
    const counts = Object.entries(ended).map(([state, count]) => `${count} ${state}`);
    if (counts.length > 0) this.logger.log(`${kind.name}: ${counts.join(', ')}`);
  }

  /** Counts a mail. All kinds together keep to the rate. */
  private paced<T>(work: () => Promise<T>): Promise<T> {
    this.nextAt = Math.max(this.nextAt, performance.now()) + MINUTE_MS / this.settings.mailRate;
    return work();
  }

  /** Silence about one recipient may be that of another server behind it. About two in a row, it is its own. */
  private isServerAway({ isServerAway, silentAt, state }: MailOutcome): boolean {
    const before = this.silentAt;
    if (silentAt !== undefined || state === 'sent' || state === 'failed') this.silentAt = silentAt;
    return isServerAway || (silentAt !== undefined && before !== undefined && before !== silentAt);
  }

  private isResting(now: number): boolean {
    return now < this.restUntil && this.restUntil <= latestEnd(now, LONGEST_REST_MS);
  }

  /** While the mail server is down, all mails wait. */
  private rest({ isServerAway, state, reason }: MailOutcome, { now, signal }: Turn): void {
    if (state === 'sent') this.rests = 0;
    if (!isServerAway || signal.aborted) return;
    const restMs = RESTS_MS[Math.min(this.rests++, RESTS_MS.length - 1)]!;
    this.restUntil = now() + restMs;
    this.logger.warn(
      `the mail server accepts nothing, trying again in ${restMs / MINUTE_MS} minutes: ${reason}`,
    );
  }

  /** False if the service stops or another process has the lease. */
  private async isMyTurn(turn: Turn): Promise<boolean> {
    const waitMs = this.nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: turn.signal }).catch(() => undefined);
    return turn.goesOn();
  }
}

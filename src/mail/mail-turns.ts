import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { latestEnd } from '../../engine/ground/time/clock-from';
import { Settings } from '../config/settings';
import { Database } from '../../engine/database/database';
import { Lease, LeaseLost } from '../../engine/database/lease';
import type { ClaimedMails } from './claimed-mails';
import type { MailOutcome, SettledState } from './mail-state';
import type { SmtpSession } from './smtp-session';

const MINUTE_MS = 60_000;
const LEASE_MS = 90_000;
/** Longer than it takes to create a mail and until the mail server requests it. */
const CLAIM_MS = 5 * MINUTE_MS;
/** Pauses while the mail server is down. */
const RESTS_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS);
const LONGEST_REST_MS = Math.max(...RESTS_MS);

/** The sending process, its connection, and its clock. */
export interface MailSending {
  owner: string;
  session: SmtpSession;
  now: () => number;
}

/** Mails of one kind, and how one of them is sent. */
export interface MailKind<K, M extends K> {
  /** In the log, for example `reports`. */
  readonly name: string;
  readonly mails: ClaimedMails<K, M>;
  /** Undefined if another process took the mail over. */
  deliver(mail: M, sending: MailSending): Promise<MailOutcome | undefined>;
}

/**
 * Sends mails of all kinds at the rate of `MAIL_RATE`. One process at a time does this. The state of each mail is a row,
 * so that any process can continue.
 */
@Injectable()
export class MailTurns implements BeforeApplicationShutdown {
  readonly owner = randomUUID();
  private readonly logger = new Logger('Mails');
  private readonly lease: Lease;
  private readonly end = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private nextAt = 0;
  private rests = 0;
  private restUntil = -Infinity;
  /** The recipient of the last mail, if the server was silent about it. */
  private silentAt: string | undefined;

  constructor(
    database: Database,
    private readonly settings: Settings,
  ) {
    // Its name is that of its first kind of mail.
    this.lease = new Lease(database, 'reports', LEASE_MS);
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }

  /** Begins no further mail. */
  stop(): void {
    this.end.abort();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop();
    await Promise.allSettled(this.running);
    await this.lease.release();
  }

  /** Does work unless another process may, or the service stops. */
  async during(work: () => Promise<void>): Promise<void> {
    if (this.signal.aborted || !(await this.lease.take())) return;
    const running = this.lease.renewDuring(work);
    this.running.add(running);
    await running.finally(() => this.running.delete(running));
  }

  isResting(now: number): boolean {
    return now < this.restUntil && this.restUntil <= latestEnd(now, LONGEST_REST_MS);
  }

  /** Sends what is due, one after the other. */
  async sendAll<K, M extends K>(kind: MailKind<K, M>, sending: MailSending): Promise<void> {
    const ended: Partial<Record<SettledState, number>> = {};
    while (await this.isMyTurn()) {
      const mail = await this.claim(kind.mails, sending.now());
      if (!mail) break;
      const outcome = await kind.deliver(mail, sending);
      if (!outcome) continue;
      await kind.mails.settle(mail, this.owner, outcome, sending.now());
      ended[outcome.state] = (ended[outcome.state] ?? 0) + 1;
      const isServerAway = this.isServerAway(outcome);
      this.rest({ ...outcome, isServerAway }, sending.now());
      if (isServerAway) break;
    }
    const counts = Object.entries(ended).map(([state, count]) => `${count} ${state}`);
    if (counts.length > 0) this.logger.log(`${kind.name}: ${counts.join(', ')}`);
  }

  /** Counts a mail. All kinds together keep to the rate. */
  paced<T>(work: () => Promise<T>): Promise<T> {
    this.nextAt = Math.max(this.nextAt, performance.now()) + MINUTE_MS / this.settings.mailRate;
    return work();
  }

  /** Undefined if nothing is due or another process has the lease. */
  private async claim<K, M extends K>(mails: ClaimedMails<K, M>, now: number): Promise<M | undefined> {
    try {
      return await mails.claim(this.lease, this.owner, now, now + CLAIM_MS);
    } catch (error) {
      if (error instanceof LeaseLost) return undefined;
      throw error;
    }
  }

  /** Silence about one recipient may be that of another server behind it. About two in a row, it is its own. */
  private isServerAway({ isServerAway, silentAt, state }: MailOutcome): boolean {
    const before = this.silentAt;
    if (silentAt !== undefined || state === 'sent' || state === 'failed') this.silentAt = silentAt;
    return isServerAway || (silentAt !== undefined && before !== undefined && before !== silentAt);
  }

  /** While the mail server is down, all mails wait. */
  private rest({ isServerAway, state, reason }: MailOutcome, now: number): void {
    if (state === 'sent') this.rests = 0;
    if (!isServerAway || this.signal.aborted) return;
    const restMs = RESTS_MS[Math.min(this.rests++, RESTS_MS.length - 1)]!;
    this.restUntil = now + restMs;
    this.logger.warn(
      `the mail server accepts nothing, trying again in ${restMs / MINUTE_MS} minutes: ${reason}`,
    );
  }

  /** False if the service stops or another process has the lease. */
  private async isMyTurn(): Promise<boolean> {
    const { signal } = this.end;
    const waitMs = this.nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted && this.lease.isHeld();
  }
}

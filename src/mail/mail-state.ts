import type { SmtpSession } from './smtp-session';

/**
 * `claimed` and `sending` belong to one process until their lease ends. From `sending` on, the mail server may have the
 * message: if its process ends then, the mail becomes `unknown`.
 */
export const MAIL_STATES = ['waiting', 'claimed', 'sending', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type MailState = (typeof MAIL_STATES)[number];
export type SettledState = Exclude<MailState, 'claimed' | 'sending'>;

export interface Settlement {
  state: SettledState;
  reason: string | null;
  attempts: number;
  /** The time of the next attempt. */
  dueAt: number;
}

/** The outcome of one mail. */
export interface MailOutcome extends Settlement {
  /** Tells whether other mails would fail too. */
  isServerAway: boolean;
  /** The recipient about whom the server was silent, after it had accepted the sender. */
  silentAt?: string | undefined;
}

/** The sending process, its connection, and its clock. */
export interface MailSending {
  owner: string;
  session: SmtpSession;
  now: () => number;
}

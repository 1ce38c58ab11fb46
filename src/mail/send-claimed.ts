import type { ClaimedMails } from './claimed-mails';
import type { MailSending } from './mail-turns';

/** Longer than a mail server may take to accept a message. */
const SENDING_LEASE_MS = 10 * 60_000;

/** Another process has the mail. */
export class TakenOver extends Error {}

export interface Envelope {
  from: string;
  to: string;
  messageId: string;
}

/** Sends a mail that this process has claimed. Throws TakenOver if it has it no longer. */
export function sendClaimed<K>(
  mails: Pick<ClaimedMails<K, never>, 'beginSending'>,
  key: K,
  { owner, session, now }: MailSending,
  { from, to, messageId }: Envelope,
  message: Buffer,
): Promise<void> {
  return session.send({ from, to }, message, async () => {
    const leaseEndsAt = now() + SENDING_LEASE_MS;
    const begun = { recipient: to, messageId, now: now(), leaseEndsAt };
    if (!(await mails.beginSending(key, owner, begun))) throw new TakenOver();
  });
}

import { type ClaimedMails, LONGEST_LEASE_MS } from './claimed-mails';
import type { MailSending } from './mail-turns';

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
    const leaseEndsAt = now() + LONGEST_LEASE_MS;
    const begun = { recipient: to, messageId, now: now(), leaseEndsAt };
    if (!(await mails.beginSending(key, owner, begun))) throw new TakenOver();
  });
}

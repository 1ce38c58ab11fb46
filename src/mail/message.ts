import MailComposer from 'nodemailer/lib/mail-composer';
import type { Sender } from '../config/settings';

export interface Message {
  subject: string;
  messageId: string;
  text: string;
  html: string;
  /** Stops further mails. With https, mail programs can do it with one click (RFC 8058). */
  unsubscribeLink: string;
}

/** The complete message. */
export function messageBytes(message: Message, from: Sender, to: string): Promise<Buffer> {
  const { unsubscribeLink: link, ...content } = message;
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    ...content,
    headers: {
      'List-Unsubscribe': `<${link}>`,
      ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      'Auto-Submitted': 'auto-generated',
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** An id that belongs to a sender's domain. */
export function messageIdOf(name: string, { address }: Sender): string {
  return `<${name}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}

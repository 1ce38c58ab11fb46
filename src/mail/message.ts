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

/** At four bytes each, they fit the 75 characters of an encoded word. */
const CHARACTERS_OF_WORD = 11;

/** The complete message. */
export function messageBytes(message: Message, from: Sender, to: string): Promise<Buffer> {
  const { unsubscribeLink: link, subject, ...content } = message;
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    ...content,
    subject: subject.includes('=?') ? encodedWords(subject) : subject,
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

/** A subject that looks like encoded words would be decoded (RFC 2047), so it is encoded itself. */
function encodedWords(subject: string): string {
  const words = subject.match(new RegExp(`.{1,${CHARACTERS_OF_WORD}}`, 'gsu')) ?? [];
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}

/** An id that belongs to a sender's domain. */
export function messageIdOf(name: string, { address }: Sender): string {
  return `<${name}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}

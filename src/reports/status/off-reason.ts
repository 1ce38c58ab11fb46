import type { Settings } from '../../config/settings';

export type OffReason = 'no_mail_server' | 'no_sender' | 'turned_off';

/** For operators. */
export const OFF_TEXTS: Record<OffReason, string> = {
  no_mail_server: 'SMTP_URL is not set',
  no_sender: 'MAIL_FROM is not set',
  turned_off: 'REPORTS is off',
};

/** The reason why no reports are sent. Undefined if they are. */
export function offReasonOf({ smtp, mailFrom, reports }: Settings): OffReason | undefined {
  if (!smtp) return 'no_mail_server';
  if (!mailFrom) return 'no_sender';
  return reports === 'off' ? 'turned_off' : undefined;
}

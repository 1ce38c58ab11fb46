import type { Settings } from '../../config/settings';

export type OffReason = 'no_mail_server' | 'no_sender' | 'turned_off';

/** The reason why no reports are sent. Undefined if they are. */
export function offReasonOf({ smtp, mailFrom, reports }: Settings): OffReason | undefined {
  if (!smtp) return 'no_mail_server';
  if (!mailFrom) return 'no_sender';
  return reports === 'off' ? 'turned_off' : undefined;
}

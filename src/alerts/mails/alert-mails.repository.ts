import { Injectable } from '@nestjs/common';
import { Database } from '../../../engine/database/database';
import { ClaimedMails } from '../../mail/claimed-mails';
import type { MailState } from '../../mail/mail-state';

export interface MailKey {
  id: number;
}

/** A mail about a firing, or one that asks for confirmation. */
export interface AlertMail extends MailKey {
  websiteId: number;
  /** The owner of the alert. */
  userId: number;
  /** Zero if it asks for confirmation. */
  firingId: number;
  /** Zero if it is about a firing. */
  askedAt: number;
  address: string;
  state: MailState;
  attempts: number;
  createdAt: number;
}

@Injectable()
export class AlertMailsRepository extends ClaimedMails<MailKey, AlertMail> {
  constructor(database: Database) {
    super(database, {
      name: 'alert_mails',
      columns: `id, website_id AS websiteId, user_id AS userId, firing_id AS firingId, asked_at AS askedAt, address,
        state, attempts, created_at AS createdAt`,
      key: ['id'],
      keyOf: ({ id }) => [id],
      numbers: ['id', 'websiteId', 'userId', 'firingId', 'askedAt', 'createdAt'],
      users: { column: 'user_id', idOf: ({ userId }) => userId },
    });
  }
}

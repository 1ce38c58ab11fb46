import { Injectable } from '@nestjs/common';
import { Database } from '../../../engine/database/database';
import { ClaimedMails } from '../../mail/claimed-mails';
import type { MailState } from '../../mail/mail-state';
import type { Rhythm } from '../period';

/** In place of an address: that of the owner, as it is when the mail is sent. */
export const TO_OWNER = '';

export interface MailKey {
  id: number;
}

/**
 * A mail besides the report of a period to its owner: the same report to another address, a report that somebody wanted
 * now, or the question whether an address wants reports.
 */
export interface ReportMail extends MailKey {
  websiteId: number;
  /** The owner of the website. */
  userId: number;
  /** Empty if it asks for confirmation. */
  every: Rhythm | '';
  firstDay: number;
  /** When the owner asked for it. Zero if its period did. */
  askedAt: number;
  address: string;
  state: MailState;
  attempts: number;
  createdAt: number;
}

@Injectable()
export class ReportMailsRepository extends ClaimedMails<MailKey, ReportMail> {
  constructor(database: Database) {
    super(database, {
      name: 'report_mails',
      columns: `id, website_id AS websiteId, user_id AS userId, every, first_day AS firstDay, asked_at AS askedAt,
        address, state, attempts, created_at AS createdAt`,
      key: ['id'],
      keyOf: ({ id }) => [id],
      numbers: ['id', 'websiteId', 'userId', 'askedAt', 'createdAt'],
      users: { column: 'user_id', idOf: ({ userId }) => userId },
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Settings } from '../../config/settings';
import { EntityDatabase } from '../../database/entity-database';
import { nowOf } from '../../../engine/database/rows';
import { DayCounts } from '../../limits/day-counts';
import { hasMailServer } from '../../mail/smtp-session';
import type { Recipient } from '../../recipients/recipient';
import { type Question, RecipientsRepository } from '../../recipients/recipients.repository';
import { Alert } from '../alert/alert.entity';
import { askForConfirmation } from '../mails/new-mails';

/** What addresses decided about the alerts of websites. Alerts keep a copy of the states of their recipients. */
@Injectable()
export class AlertRecipientsRepository extends RecipientsRepository {
  constructor(database: EntityDatabase, counts: DayCounts, settings: Settings) {
    super(database, counts, 'alerts', hasMailServer(settings));
  }

  protected override ask(manager: EntityManager, question: Question): Promise<void> {
    return askForConfirmation(manager, question);
  }

  protected override async isListed(
    manager: EntityManager,
    websiteId: number,
    address: string,
  ): Promise<boolean> {
    const alerts = await manager.find(Alert, { where: { websiteId } });
    return alerts.some(({ recipients }) => recipients.some((one) => one.address === address));
  }

  protected override async decided(
    manager: EntityManager,
    websiteId: number,
    { address, state }: Recipient,
  ): Promise<void> {
    const now = await nowOf(manager, this.database.dialect);
    const alerts = await manager.find(Alert, { where: { websiteId }, order: { id: 'ASC' } });
    for (const { id, recipients, updatedAt } of alerts) {
      if (!recipients.some((one) => one.address === address && one.state !== state)) continue;
      const changed = recipients.map((one) => (one.address === address ? { address, state } : one));
      const later = new Date(Math.max(now, updatedAt.getTime() + 1));
      await manager.getRepository(Alert).update(id, { recipients: changed, updatedAt: later });
    }
  }
}

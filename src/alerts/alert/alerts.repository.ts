import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EntityDatabase } from '../../database/entity-database';
import { readDefinitions, resolve } from '../../goals/definitions';
import { ALERTS } from './alerts.resource';
import { ResourcesRepository } from '../../websites/resources/resources.repository';
import { AlertRecipientsRepository } from '../recipients/alert-recipients.repository';
import type { Recipient } from '../../recipients/recipient';
import { Alert } from './alert.entity';

@Injectable()
export class AlertsRepository extends ResourcesRepository<Alert> {
  constructor(
    database: EntityDatabase,
    private readonly recipients: AlertRecipientsRepository,
  ) {
    super(database, ALERTS);
  }

  /** Its filters may contain goals and saved filters of the website. */
  protected override async beforeStore(manager: EntityManager, wanted: Alert, before?: Alert): Promise<void> {
    await super.beforeStore(manager, wanted, before);
    const { websiteId, filters, recipients } = wanted;
    if (!isDeepStrictEqual(filters, before?.filters))
      resolve(filters, await readDefinitions(manager, websiteId), 'filters');
    const [addresses, earlier] = [recipients, before?.recipients ?? []].map(addressesOf);
    wanted.recipients = await this.recipients.admit(manager, websiteId, addresses!, earlier!);
  }

  protected override async beforeDelete(manager: EntityManager, { id }: Alert): Promise<void> {
    await manager.query('DELETE FROM alert_firings WHERE alert_id = ?', [id]);
  }
}

const addressesOf = (recipients: readonly Recipient[]) => recipients.map(({ address }) => address);

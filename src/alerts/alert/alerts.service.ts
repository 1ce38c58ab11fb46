import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ReadMemory } from '../../../engine/ground/memory/read-memory';
import { Database } from '../../../engine/database/database';
import type { Recipient } from '../../recipients/recipient';
import { addressOf } from '../../recipients/recipients-field';
import { anyVersion, type IsExpected, ResourcesService } from '../../websites/resources/resources.service';
import { StoreRequests } from '../../websites/store-requests';
import { DEFAULT_QUIET_HOURS } from './alert-fields';
import { ruleOf } from './alert-rules';
import type { StoreAlert, UpdateAlert } from './alert.dto';
import type { Alert } from './alert.entity';
import { AlertView } from './alert.view';
import { AlertsRepository } from './alerts.repository';
import { ALERTS } from './alerts.resource';

@Injectable()
export class AlertsService extends ResourcesService<Alert, AlertView, StoreAlert, UpdateAlert> {
  constructor(
    private readonly alerts: AlertsRepository,
    requests: StoreRequests,
    private readonly database: Database,
    memory: ReadMemory,
  ) {
    super(ALERTS, alerts, requests, memory);
  }

  override async store(
    ownerId: number,
    websiteId: number,
    input: StoreAlert,
    idempotencyKey?: string,
  ): Promise<AlertView> {
    const { name, filters = [], quiet_hours = DEFAULT_QUIET_HOURS, recipients = [] } = input;
    const { mail = 1, webhook = 1, enabled = 1 } = input;
    const now = new Date(await this.database.now());
    const alert = {
      ...{ name, ...ruleOf(input), filters, quietHours: quiet_hours, mail, webhook, enabled },
      ...{ recipients: recipientsOf(recipients, []), startsAt: now, dueAt: now },
      ...{ firedAt: null, firedValue: null, error: null },
    };
    const request = this.requestOf(ownerId, websiteId, input, idempotencyKey);
    return AlertView.of(await this.alerts.insert(ownerId, websiteId, alert, request));
  }

  override async update(
    ownerId: number,
    websiteId: number,
    id: number,
    sent: UpdateAlert,
    isExpected: IsExpected<AlertView> = anyVersion,
  ): Promise<AlertView> {
    const now = new Date(await this.database.now());
    const changed = (before: Alert): Alert => {
      const wanted = withFields(before, sent);
      if (isDeepStrictEqual({ ...wanted }, { ...before })) return before;
      return { ...wanted, dueAt: now, ...(watchesForTheSame(wanted, before) ? {} : { startsAt: now }) };
    };
    return this.change(ownerId, websiteId, id, changed, isExpected);
  }
}

function withFields(before: Alert, sent: UpdateAlert): Alert {
  return {
    ...before,
    ...ruleOf(sent, before),
    name: sent.name ?? before.name,
    filters: sent.filters ?? before.filters,
    quietHours: sent.quiet_hours ?? before.quietHours,
    mail: sent.mail ?? before.mail,
    webhook: sent.webhook ?? before.webhook,
    enabled: sent.enabled ?? before.enabled,
    recipients: sent.recipients ? recipientsOf(sent.recipients, before.recipients) : before.recipients,
  };
}

/** Checked addresses, with what those decided that the alert had before. */
function recipientsOf(sent: readonly string[], before: readonly Recipient[]): Recipient[] {
  return sent.map((text) => {
    const address = addressOf(text)!;
    return before.find((one) => one.address === address) ?? { address, state: 'pending' };
  });
}

/** Tells whether a window that has begun still counts. */
function watchesForTheSame(one: Alert, other: Alert): boolean {
  const watchedFor = ({ metric, filters, condition, threshold, within, enabled }: Alert) => [
    metric,
    filters,
    condition,
    threshold,
    within,
    enabled,
  ];
  return isDeepStrictEqual(watchedFor(one), watchedFor(other));
}

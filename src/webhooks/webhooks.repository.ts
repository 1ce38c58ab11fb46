import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LimitReached } from '../common/problems';
import { offsetOf, type Rows } from '../../engine/ground/rows';
import { EntityDatabase } from '../database/entity-database';
import { nowOf } from '../../engine/database/rows';
import { followWithWebhook } from '../goals/wanted-websites';
import { findMadeBy, remember, type StoreRequest } from '../websites/store-requests';
import { endSomeWaiting, noteDue, WEBHOOK_DISABLED } from './deliveries/waiting-deliveries';
import type { ListWebhooks } from './webhook.dto';
import { MAX_WEBHOOKS } from './webhook-limits';
import { FIRST_GENERATION, NOBODY, Webhook } from './webhook.entity';
import { HitStore } from '../../engine/port';

const SECRET = { generation: FIRST_GENERATION, standardFrom: FIRST_GENERATION };

/** What the owner of a webhook chooses. */
export type WebhookOptions = Pick<Webhook, 'url' | 'events' | 'format' | 'enabled'>;

@Injectable()
export class WebhooksRepository {
  constructor(
    private readonly database: EntityDatabase,
    private readonly store: HitStore,
  ) {}

  page(ownerId: number, query: ListWebhooks): Promise<Rows<Webhook>> {
    return this.database.readQuick(async (manager) => {
      const [rows, total] = await manager.findAndCount(Webhook, {
        where: { userId: ownerId },
        order: { id: 'ASC' },
        skip: offsetOf(query),
        take: query.per_page,
      });
      return { rows, total };
    });
  }

  all(ownerId: number): Promise<Webhook[]> {
    return this.database.readQuick((manager) =>
      manager.find(Webhook, { where: { userId: ownerId }, order: { id: 'ASC' } }),
    );
  }

  find(ownerId: number, id: number): Promise<Webhook | null> {
    return this.database.readQuick((manager) => manager.findOneBy(Webhook, { userId: ownerId, id }));
  }

  /** Checks before the insertion, but not where the request made one before. */
  insert(
    ownerId: number,
    options: WebhookOptions,
    check: () => void,
    request?: StoreRequest,
  ): Promise<Webhook> {
    return this.changing(ownerId, async (manager) => {
      const made = request && (await this.findMade(manager, ownerId, request));
      if (made) return made;
      if ((await manager.countBy(Webhook, { userId: ownerId })) >= MAX_WEBHOOKS)
        throw new LimitReached('user', MAX_WEBHOOKS, 'webhooks');
      check();
      const now = new Date(await nowOf(manager, this.database.dialect));
      const moments = { servedAt: new Date(0), createdAt: now, updatedAt: now };
      const attempts = { isSlow: 0 as const, failures: 0, dueAt: null, pausedUntil: null, changes: 0 };
      const stored = { ...options, userId: ownerId, ...SECRET, ...attempts, ...moments };
      const { identifiers } = await manager.insert(Webhook, { ...stored });
      const id = Number(identifiers[0]!.id);
      if (request) await remember(manager, this.database.dialect, request, id);
      if (wantsConversions(stored))
        await followWithWebhook(manager, { store: this.store, dialect: this.database.dialect }, ownerId);
      return { ...stored, id };
    });
  }

  /** Updates a webhook, with a later `updatedAt` if anything changed. Null if there is none. */
  change(ownerId: number, id: number, changed: (webhook: Webhook) => Webhook): Promise<Webhook | null> {
    return this.changing(ownerId, async (manager) => {
      // An attempt may disable it meanwhile.
      await manager.query('UPDATE webhooks SET served_at = served_at WHERE id = ? AND user_id = ?', [
        id,
        ownerId,
      ]);
      const before = await manager.findOneBy(Webhook, { userId: ownerId, id });
      if (!before) return null;
      const wanted = changed(before);
      if (isDeepStrictEqual({ ...wanted }, { ...before })) return before;
      const now = await nowOf(manager, this.database.dialect);
      const updatedAt = new Date(Math.max(now, before.updatedAt.getTime() + 1));
      const { url, events, format, enabled, generation } = wanted;
      await manager.update(Webhook, { id }, { url, events, format, enabled, generation, updatedAt });
      // A reader that stores deliveries of an enabled webhook locks in the other order.
      if (wantsConversions(wanted) && !wantsConversions(before))
        await followWithWebhook(manager, { store: this.store, dialect: this.database.dialect }, ownerId);
      const isAnew = isTriedAnew(before, wanted);
      if (isAnew) await forgetFailures(manager, id);
      if (enabled < before.enabled) await endSomeWaiting(manager, id, { reason: WEBHOOK_DISABLED, now });
      return { ...wanted, updatedAt, pausedUntil: isAnew ? null : before.pausedUntil };
    });
  }

  /** False if there is none. Its deliveries are removed in the background. */
  delete(ownerId: number, id: number, check: (webhook: Webhook) => void): Promise<boolean> {
    return this.changing(ownerId, async (manager) => {
      const webhook = await manager.findOneBy(Webhook, { userId: ownerId, id });
      if (!webhook) return false;
      check(webhook);
      await manager.update(Webhook, { id }, { userId: NOBODY, enabled: 0, dueAt: null });
      return true;
    });
  }

  private findMade(
    manager: EntityManager,
    userId: number,
    request: StoreRequest,
  ): Promise<Webhook | undefined> {
    return findMadeBy(manager, request, 'webhook', (id) => manager.findOneBy(Webhook, { userId, id }));
  }

  /** Serialises the changes of a user's webhooks, so that their number stays within the limit. */
  private changing<T>(ownerId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.write(async (manager) => {
      await manager.query('UPDATE users SET created_at = created_at WHERE id = ?', [ownerId]);
      return work(manager);
    });
  }
}

function wantsConversions({ enabled, events }: WebhookOptions): boolean {
  return enabled === 1 && events.includes('goal.reached');
}

/** Tells whether a change ends the pause of a webhook. */
export function isTriedAnew(before: WebhookOptions, wanted: WebhookOptions): boolean {
  return wanted.url !== before.url || wanted.format !== before.format || wanted.enabled > before.enabled;
}

/**
 * Another address or format is tried at once. It has the last turn of the one before, so that its owner gains no turns, and a
 * place among the slow ones until it answers.
 */
async function forgetFailures(manager: EntityManager, id: number): Promise<void> {
  await manager.query(
    `UPDATE webhooks SET failures = 0, paused_until = NULL, is_slow = CASE WHEN served_at > 0 THEN 1 ELSE 0 END
    WHERE id = ?`,
    [id],
  );
  await noteDue(manager, id);
}

import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { networkOf } from '../common/address';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import type { BudgetName, RateLimit } from '../config/rate-limits';
import { Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { BYTES_OF_COUNT, type Count, RequestBudget, type RateLimitResult, UNCOUNTED } from './rate-limit';
import { KeyTrials, type Trial } from './key-trials';
import { SharedCounts } from './shared-counts';

const WRONG_KEYS: RateLimit = { requests: 20, seconds: 60 };
/** Per website and address. */
const WRONG_PASSWORDS: RateLimit = { requests: 20, seconds: 900 };
/** A key has its own budgets, so a user with unlimited new keys would have unlimited requests. */
const NEW_KEYS: RateLimit = { requests: 20, seconds: 3600 };
/** Per website, for keys that only store annotations. */
const NEW_ANNOTATIONS: RateLimit = { requests: 60, seconds: 3600 };
/** Per user: each of them makes the service call an address of the user's choice. */
const TEST_DELIVERIES: RateLimit = { requests: 10, seconds: 3600 };
const REPEATED_DELIVERIES: RateLimit = { requests: 60, seconds: 3600 };
/** Per user: a new webhook has neither failures nor a budget behind it. */
const NEW_WEBHOOKS: RateLimit = { requests: 40, seconds: 3600 };
/** Per user: each of them ends a pause, so that waiting deliveries are tried at once. */
const WEBHOOK_CHANGES: RateLimit = { requests: 20, seconds: 3600 };

type Budgets = Record<BudgetName, RequestBudget>;

/**
 * Request budgets per key, and per address for requests without a key; `RATE_LIMIT=off` removes these, and new keys then
 * need no limit either. What protects keys, passwords and the addresses of webhooks is always limited.
 */
@Injectable()
export class Limits {
  private readonly ofKeys: Budgets | undefined;
  private readonly ofAddresses: Budgets | undefined;
  private readonly newKeys: RequestBudget | undefined;
  private readonly wrongKeys: RequestBudget;
  private readonly keyTrials: KeyTrials;
  private readonly passwordTrials: KeyTrials;
  private readonly newAnnotations: RequestBudget;
  private readonly testDeliveries: RequestBudget;
  private readonly repeatedDeliveries: RequestBudget;
  private readonly newWebhooks: RequestBudget;
  private readonly webhookChanges: RequestBudget;

  private readonly addressKey: string;

  constructor({ rateLimits }: Settings, shared: SharedCounts, secret: Secret) {
    this.addressKey = secret.key('addresses with limits').toString('base64');
    const report = shared.report.bind(shared);
    // Separate caches, so that many addresses cannot evict the counts of keys or of wrong keys.
    const keys = new ByteCache<Count>('keyLimits', () => BYTES_OF_COUNT);
    const addresses = new ByteCache<Count>('addressLimits', () => BYTES_OF_COUNT);
    const wrongKeys = new ByteCache<Count>('wrongKeyLimits', () => BYTES_OF_COUNT);
    const wrongPasswords = new ByteCache<Count>('wrongPasswordLimits', () => BYTES_OF_COUNT);
    if (rateLimits) {
      const budgetsIn = (counts: ByteCache<Count>): Budgets => ({
        management: new RequestBudget('management', rateLimits.management, counts, report),
        statistics: new RequestBudget('statistics', rateLimits.statistics, counts, report),
        events: new RequestBudget('events', rateLimits.events, counts, report),
      });
      this.ofKeys = budgetsIn(keys);
      this.ofAddresses = budgetsIn(addresses);
      this.newKeys = new RequestBudget('new-keys', NEW_KEYS, keys, report);
    }
    this.wrongKeys = new RequestBudget('wrong-keys', WRONG_KEYS, wrongKeys, report);
    this.keyTrials = new KeyTrials(this.wrongKeys);
    this.passwordTrials = new KeyTrials(
      new RequestBudget('wrong-passwords', WRONG_PASSWORDS, wrongPasswords, report),
    );
    this.newAnnotations = new RequestBudget('new-annotations', NEW_ANNOTATIONS, keys, report);
    this.testDeliveries = new RequestBudget('test-deliveries', TEST_DELIVERIES, keys, report);
    this.repeatedDeliveries = new RequestBudget('repeated-deliveries', REPEATED_DELIVERIES, keys, report);
    this.newWebhooks = new RequestBudget('new-webhooks', NEW_WEBHOOKS, keys, report);
    this.webhookChanges = new RequestBudget('webhook-changes', WEBHOOK_CHANGES, keys, report);
  }

  ofKey(budget: BudgetName, keyId: number): RateLimitResult {
    return this.ofKeys?.[budget].take(`key ${keyId}`) ?? UNCOUNTED;
  }

  ofAddress(budget: BudgetName, address: string): RateLimitResult {
    return this.ofAddresses?.[budget].take(this.hashOf(address)) ?? UNCOUNTED;
  }

  wrongKey(address: string): RateLimitResult {
    return this.wrongKeys.take(this.hashOf(address));
  }

  /** Looks up a key that may be wrong, unless the address has sent too many wrong ones. */
  tryKey<K>(address: string, look: () => Promise<K | null>): Promise<Trial<K>> {
    return this.keyTrials.run(this.hashOf(address), look);
  }

  /** The same for a website's password. The caller chooses the result for a right one. */
  tryPassword<K>(address: string, websiteId: number, look: () => Promise<K | null>): Promise<Trial<K>> {
    return this.passwordTrials.run(`${this.hashOf(address)} ${websiteId}`, look);
  }

  newKey(userId: number): RateLimitResult {
    return this.newKeys?.take(`user ${userId}`) ?? UNCOUNTED;
  }

  newAnnotation(websiteId: number): RateLimitResult {
    return this.newAnnotations.take(`website ${websiteId}`);
  }

  newTestDelivery(userId: number): RateLimitResult {
    return this.testDeliveries.take(`user ${userId}`);
  }

  repeatedDelivery(userId: number): RateLimitResult {
    return this.repeatedDeliveries.take(`user ${userId}`);
  }

  newWebhook(userId: number): RateLimitResult {
    return this.newWebhooks.take(`user ${userId}`);
  }

  changedWebhook(userId: number): RateLimitResult {
    return this.webhookChanges.take(`user ${userId}`);
  }

  /** Counts stay in memory longer than their events, so their keys are hashes instead of addresses. */
  private hashOf(address: string): string {
    return hash('sha256', this.addressKey + networkOf(address), 'base64url');
  }
}

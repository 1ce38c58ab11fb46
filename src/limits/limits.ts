import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { networkOf } from '../common/address';
import { ByteCache } from '../common/memory/byte-cache';
import type { BudgetName, RateLimit } from '../config/rate-limits';
import { Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { BYTES_OF_COUNT, type Count, Counter, type RateLimitResult, UNCOUNTED } from './counter';
import { KeyTrials, type Trial } from './key-trials';
import { SharedCounts } from './shared-counts';

const WRONG_KEYS: RateLimit = { requests: 20, seconds: 60 };
/** Of one website. */
const WRONG_PASSWORDS: RateLimit = { requests: 20, seconds: 900 };
/** A key has budgets of its own: users who could make keys without end would have requests without end. */
const NEW_KEYS: RateLimit = { requests: 20, seconds: 3600 };

type Counters = Record<BudgetName, Counter>;

/** The budgets of requests: of each key, and of each address for requests without one. */
@Injectable()
export class Limits {
  private readonly ofKeys: Counters | undefined;
  private readonly ofAddresses: Counters | undefined;
  private readonly wrongKeys: Counter | undefined;
  private readonly keyTrials: KeyTrials | undefined;
  private readonly passwordTrials: KeyTrials | undefined;
  private readonly newKeys: Counter | undefined;

  private readonly addressKey: string;

  constructor({ rateLimits }: Settings, shared: SharedCounts, secret: Secret) {
    this.addressKey = secret.key('addresses with limits').toString('base64');
    if (!rateLimits) return;
    const report = shared.report.bind(shared);
    // Apart from each other, so that many addresses push neither the counts of keys nor those of wrong keys out of memory.
    const keys = new ByteCache<Count>('keyLimits', () => BYTES_OF_COUNT);
    const addresses = new ByteCache<Count>('addressLimits', () => BYTES_OF_COUNT);
    const wrongKeys = new ByteCache<Count>('wrongKeyLimits', () => BYTES_OF_COUNT);
    const countersIn = (counts: ByteCache<Count>): Counters => ({
      management: new Counter('management', rateLimits.management, counts, report),
      statistics: new Counter('statistics', rateLimits.statistics, counts, report),
      events: new Counter('events', rateLimits.events, counts, report),
    });
    this.ofKeys = countersIn(keys);
    this.ofAddresses = countersIn(addresses);
    this.wrongKeys = new Counter('wrong-keys', WRONG_KEYS, wrongKeys, report);
    this.keyTrials = new KeyTrials(this.wrongKeys);
    const wrongPasswords = new ByteCache<Count>('wrongPasswordLimits', () => BYTES_OF_COUNT);
    this.passwordTrials = new KeyTrials(
      new Counter('wrong-passwords', WRONG_PASSWORDS, wrongPasswords, report),
    );
    this.newKeys = new Counter('new-keys', NEW_KEYS, keys, report);
  }

  /** Counts a request of a key. */
  ofKey(budget: BudgetName, keyId: number): RateLimitResult {
    return this.ofKeys?.[budget].take(`key ${keyId}`) ?? UNCOUNTED;
  }

  /** Counts a request without a key. */
  ofAddress(budget: BudgetName, address: string): RateLimitResult {
    return this.ofAddresses?.[budget].take(this.hashOf(address)) ?? UNCOUNTED;
  }

  /** Counts a wrong key. */
  wrongKey(address: string): RateLimitResult {
    return this.wrongKeys?.take(this.hashOf(address)) ?? UNCOUNTED;
  }

  /** Looks at a key that may be wrong, unless the address has sent too many wrong ones. */
  async tryKey<K>(address: string, look: () => Promise<K | null>): Promise<Trial<K>> {
    if (!this.keyTrials) return { key: await look(), rateLimit: UNCOUNTED };
    return this.keyTrials.run(this.hashOf(address), look);
  }

  /** The same for the password of a website; what a right one is looked up as is the caller's choice. */
  async tryPassword<K>(address: string, websiteId: number, look: () => Promise<K | null>): Promise<Trial<K>> {
    if (!this.passwordTrials) return { key: await look(), rateLimit: UNCOUNTED };
    return this.passwordTrials.run(`${this.hashOf(address)} ${websiteId}`, look);
  }

  /** Counts a key that a user makes. */
  newKey(userId: number): RateLimitResult {
    return this.newKeys?.take(`user ${userId}`) ?? UNCOUNTED;
  }

  /** Counts stay in memory longer than their events, so they are not kept under an address. */
  private hashOf(address: string): string {
    return hash('sha256', this.addressKey + networkOf(address), 'base64url');
  }
}

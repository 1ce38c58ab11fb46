import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { networkOf } from '../common/address';
import { ByteCache } from '../../engine/ground/memory/byte-cache';
import type { BudgetName, RateLimit } from '../config/rate-limits';
import { Settings } from '../config/settings';
import { Secret } from '../database/secret';
import { BYTES_OF_COUNT, type Count, RequestBudget, type RateLimitResult, UNCOUNTED } from './rate-limit';
import { Guesses, type Trial, WRONG_KEYS, WRONG_PASSWORDS } from './guesses';
import { SharedCounts } from './shared-counts';

/** For keys, users and websites. */
const LIMITS = {
  /** A key has its own budgets, so a user with unlimited new keys would have unlimited requests. */
  'new-keys': { requests: 20, seconds: 3600 },
  /** Per website, for keys that only store annotations. */
  'new-annotations': { requests: 60, seconds: 3600 },
  /** Each of them makes the service call an address of the user's choice. */
  'test-deliveries': { requests: 10, seconds: 3600 },
  'repeated-deliveries': { requests: 60, seconds: 3600 },
  /** A new webhook has neither failures nor a budget behind it. */
  'new-webhooks': { requests: 40, seconds: 3600 },
  /** Each of them ends a pause, so that waiting deliveries are tried at once. */
  'webhook-changes': { requests: 20, seconds: 3600 },
} satisfies Record<string, RateLimit>;

type LimitName = BudgetName | keyof typeof LIMITS | 'wrong-keys';
type Who = { key: number } | { user: number } | { website: number } | { address: string };
type Budgets = Partial<Record<LimitName, RequestBudget>>;

/**
 * Request budgets per key, and per address for requests without a key; `RATE_LIMIT=off` removes these, and new keys then
 * need no limit either. What protects keys, passwords and the addresses of webhooks is always limited.
 */
@Injectable()
export class Limits {
  private readonly budgets: Budgets;
  private readonly ofAddresses: Budgets;
  private readonly keyGuesses: Guesses;
  private readonly passwordGuesses: Guesses;

  private readonly addressKey: string;

  constructor({ rateLimits }: Settings, shared: SharedCounts, secret: Secret) {
    this.addressKey = secret.key('addresses with limits').toString('base64');
    // Separate caches, so that many addresses cannot evict the counts of keys or of wrong keys.
    const budgetsIn = (
      cache: ConstructorParameters<typeof ByteCache>[0],
      limits: Record<string, RateLimit>,
    ) => {
      const counts = new ByteCache<Count>(cache, () => BYTES_OF_COUNT);
      const budget = ([name, limit]: [string, RateLimit]) =>
        [name, new RequestBudget(name, limit, counts, shared.report.bind(shared))] as const;
      return Object.fromEntries(Object.entries(limits).map(budget));
    };
    this.budgets = budgetsIn('keyLimits', { ...rateLimits, ...LIMITS });
    if (!rateLimits) delete this.budgets['new-keys'];
    const wrongKeys = budgetsIn('wrongKeyLimits', { 'wrong-keys': WRONG_KEYS });
    const wrongPasswords = budgetsIn('wrongPasswordLimits', { 'wrong-passwords': WRONG_PASSWORDS });
    this.ofAddresses = { ...budgetsIn('addressLimits', { ...rateLimits }), ...wrongKeys };
    this.keyGuesses = new Guesses(wrongKeys['wrong-keys']!);
    this.passwordGuesses = new Guesses(wrongPasswords['wrong-passwords']!);
  }

  take(name: LimitName, who: Who): RateLimitResult {
    if ('address' in who) return this.ofAddresses[name]?.take(this.hashOf(who.address)) ?? UNCOUNTED;
    const [[kind, id]] = Object.entries(who) as [[string, number]];
    return this.budgets[name]?.take(`${kind} ${id}`) ?? UNCOUNTED;
  }

  /** Looks up a key that may be wrong, unless the address has sent too many wrong ones. */
  tryKey<K>(address: string, look: () => Promise<K | null>): Promise<Trial<K>> {
    return this.keyGuesses.run(this.hashOf(address), look);
  }

  /** Counts guesses at a website's password. The caller chooses the result for a right one. */
  tryPassword<K>(address: string, websiteId: number, look: () => Promise<K | null>): Promise<Trial<K>> {
    return this.passwordGuesses.run(`${this.hashOf(address)} ${websiteId}`, look);
  }

  /** Counts stay in memory longer than their events, so their keys are hashes instead of addresses. */
  private hashOf(address: string): string {
    return hash('sha256', this.addressKey + networkOf(address), 'base64url');
  }
}

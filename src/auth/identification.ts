import { Injectable } from '@nestjs/common';
import type { BudgetName } from '../config/rate-limits';
import { UNCOUNTED } from '../limits/rate-limit';
import type { Trial } from '../limits/guesses';
import { Limits } from '../limits/limits';
import type { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';

/** Finds the caller's key and counts the request, for HTTP and for messages. */
@Injectable()
export class Identification {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly limits: Limits,
  ) {}

  /** The caller's usable key, and the rate limit after this request. */
  async identify(secret: string, address: string, budget: BudgetName): Promise<Trial<ApiKey>> {
    // A recently used key must still work while others guess keys from the same address.
    const wasUsable = this.keys.lastUserOf(secret) !== undefined;
    const { key, rateLimit } = wasUsable
      ? await this.lookAgain(secret, address)
      : await this.limits.tryKey(address, () => this.keys.recognise(secret));
    return { key, rateLimit: key ? this.limits.take(budget, { key: key.id }) : rateLimit };
  }

  private async lookAgain(secret: string, address: string): Promise<Trial<ApiKey>> {
    const key = await this.keys.recognise(secret);
    return { key, rateLimit: key ? UNCOUNTED : this.limits.take('wrong-keys', { address }) };
  }
}

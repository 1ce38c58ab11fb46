import { Injectable } from '@nestjs/common';
import type { BudgetName } from '../config/rate-limits';
import { UNCOUNTED } from '../limits/counter';
import type { Trial } from '../limits/key-trials';
import { Limits } from '../limits/limits';
import type { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';

/** Finds the key of a caller, over HTTP and by message alike, and counts the request. */
@Injectable()
export class Identification {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly limits: Limits,
  ) {}

  /** Whose key it is, if it may be used, and how the caller stands after this request. */
  async identify(secret: string, address: string, budget: BudgetName): Promise<Trial<ApiKey>> {
    // A key that was used lately goes on working beside others that guess keys from the same address.
    const wasUsable = this.keys.lastUserOf(secret) !== undefined;
    const { key, rateLimit } = wasUsable
      ? await this.lookAgain(secret, address)
      : await this.limits.tryKey(address, () => this.keys.recognise(secret));
    return { key, rateLimit: key ? this.limits.ofKey(budget, key.id) : rateLimit };
  }

  private async lookAgain(secret: string, address: string): Promise<Trial<ApiKey>> {
    const key = await this.keys.recognise(secret);
    return { key, rateLimit: key ? UNCOUNTED : this.limits.wrongKey(address) };
  }
}

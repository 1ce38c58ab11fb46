import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { BudgetName } from '../config/rate-limits';
import { onTimeOf } from '../http/answer-in-time';
import { ClientAddress } from '../http/client-address';
import { discardRefused } from '../http/read-body';
import { asksForKey, isShared, pathOf } from '../http/requests';
import { type Standing, UNCOUNTED } from '../limits/counter';
import type { Trial } from '../limits/key-trials';
import { Limits } from '../limits/limits';
import type { ApiKey } from './api-key.entity';
import { ApiKeysService } from './api-keys.service';
import { rememberKey } from './caller';

const STATISTICS = /^\/(api\/v1\/stats\/|console\/api\/recent|mcp\/?$|share\/[^/]+\/api\/)/i;
const EVENTS = /^\/api\/v1\/(websites\/[^/]+\/)?events\/?$/i;

/** Recognises the caller of a request and counts the request, before its body is read or anything is done for it. */
@Injectable()
export class Admission {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
  ) {}

  handler(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      const path = pathOf(request);
      if (!asksForKey(path) && !isShared(path)) return next();
      onTimeOf(response, this.admit(request, response, budgetOf(path))).then(
        () => next(),
        (error: Error) => void discardRefused(request).then(() => next(error), next),
      );
    };
  }

  /** Throws if the request exceeds a budget. The guard decides whether a key is required. */
  async admit(request: Request, response: Response, budget: BudgetName): Promise<void> {
    const address = this.addresses.of(request);
    const authorization = isShared(pathOf(request)) ? undefined : request.get('Authorization');
    if (authorization === undefined) return allow(response, this.limits.ofAddress(budget, address));
    const secret = /^Bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? '';
    const { key, standing } = await this.identify(secret, address, budget);
    allow(response, standing);
    if (key) rememberKey(request, key);
  }

  /** Whose key it is, if it may be used, and how the caller stands after this request. */
  async identify(secret: string, address: string, budget: BudgetName): Promise<Trial<ApiKey>> {
    // A key that was used lately goes on working beside others that guess keys from the same address.
    const wasUsable = this.keys.lastUserOf(secret) !== undefined;
    const { key, standing } = wasUsable
      ? await this.lookAgain(secret, address)
      : await this.limits.tryKey(address, () => this.keys.recognise(secret));
    return { key, standing: key ? this.limits.ofKey(budget, key.id) : standing };
  }

  private async lookAgain(secret: string, address: string): Promise<Trial<ApiKey>> {
    const key = await this.keys.recognise(secret);
    return { key, standing: key ? UNCOUNTED : this.limits.wrongKey(address) };
  }
}

export function allow(response: Response, { headers, refusal }: Standing): void {
  response.set(headers);
  if (refusal) throw refusal;
}

export function budgetOf(path: string): BudgetName {
  if (STATISTICS.test(path)) return 'statistics';
  return EVENTS.test(path) ? 'events' : 'management';
}

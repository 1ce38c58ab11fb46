import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { onTimeOf } from '../http/connections/answer-in-time';
import { ClientAddress } from '../http/requests/client-address';
import { discardRefused } from '../http/requests/read-body';
import { asksForKey, isShared, pathOf } from '../http/requests/requests';
import { Limits } from '../limits/limits';
import { Identification } from './identification';
import type { BudgetName } from '../config/rate-limits';
import type { RateLimitResult } from '../limits/rate-limit';

const STATISTICS =
  /^\/(api\/v1\/(stats\/|websites\/[^/]+\/report\/?$)|console\/api\/(recent|first-visit)|mcp\/?$|share\/[^/]+\/api\/)/i;
const EVENTS = /^\/api\/v1\/(websites\/[^/]+\/)?events\/?$/i;

export function allow(response: Response, { headers, refusal }: RateLimitResult): void {
  response.set(headers);
  if (refusal) throw refusal;
}

export function budgetOf(path: string): BudgetName {
  if (STATISTICS.test(path)) return 'statistics';
  return EVENTS.test(path) ? 'events' : 'management';
}

const BEARER = /^Bearer ([^ ]+)$/i;

/** Identifies the caller and counts the request, before its body is read. */
@Injectable()
export class Admission {
  constructor(
    private readonly identification: Identification,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
  ) {}

  handler(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      const path = pathOf(request);
      if (!asksForKey(path) && !isShared(path)) return next();
      onTimeOf(response, this.admit(request, response)).then(
        () => next(),
        (error: Error) => void discardRefused(request).then(() => next(error), next),
      );
    };
  }

  /** Throws if the request exceeds a budget. The guard decides whether a key is required. */
  async admit(request: Request, response: Response): Promise<void> {
    const address = this.addresses.of(request);
    const path = pathOf(request);
    const authorization = isShared(path) ? undefined : request.get('Authorization');
    if (authorization === undefined) return allow(response, this.limits.ofAddress(budgetOf(path), address));
    const secret = BEARER.exec(authorization)?.[1];
    if (secret === undefined) return allow(response, this.limits.wrongKey(address));
    const { key, rateLimit } = await this.identification.identify(secret, address, budgetOf(path));
    allow(response, rateLimit);
    request.user = key ?? undefined;
  }
}

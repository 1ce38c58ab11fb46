import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { onTimeOf } from '../http/connections/answer-in-time';
import { ClientAddress } from '../http/requests/client-address';
import { discardRefused } from '../http/requests/read-body';
import { Routes } from '../http/requests/routes';
import { Limits } from '../limits/limits';
import { Identification } from './identification';
import type { RateLimitResult } from '../limits/rate-limit';

export function allow(response: Response, { headers, refusal }: RateLimitResult): void {
  response.set(headers);
  if (refusal) throw refusal;
}

const BEARER = /^Bearer ([^ ]+)$/i;

/** Identifies the caller and counts the request, before its body is read. */
@Injectable()
export class Admission {
  constructor(
    private readonly identification: Identification,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
    private readonly routes: Routes,
  ) {}

  handler(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      const { gate } = this.routes.of(request);
      if (gate !== 'key' && gate !== 'anyone') return next();
      onTimeOf(response, this.admit(request, response)).then(
        () => next(),
        (error: Error) => void discardRefused(request).then(() => next(error), next),
      );
    };
  }

  /** Throws if the request exceeds a budget. The guard decides whether a key is required. */
  async admit(request: Request, response: Response): Promise<void> {
    const address = this.addresses.of(request);
    const { gate, budget } = this.routes.of(request);
    const authorization = gate === 'anyone' ? undefined : request.get('Authorization');
    if (authorization === undefined) return allow(response, this.limits.take(budget, { address }));
    const secret = BEARER.exec(authorization)?.[1];
    if (secret === undefined) return allow(response, this.limits.take('wrong-keys', { address }));
    const { key, rateLimit } = await this.identification.identify(secret, address, budget);
    allow(response, rateLimit);
    request.user = key ?? undefined;
  }
}

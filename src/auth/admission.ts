import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import passport from 'passport';
import { onTimeOf } from '../http/connections/answer-in-time';
import { ClientAddress } from '../http/requests/client-address';
import { discardRefused } from '../http/requests/read-body';
import { asksForKey, isShared, pathOf } from '../http/requests/requests';
import { Limits } from '../limits/limits';
import type { ApiKey } from './api-key.entity';
import { BearerStrategy } from './bearer.strategy';
import { allow, budgetOf } from './budgets';

const BEARER = /^Bearer [^ ]+$/i;

/** Has Passport identify the caller of a request, and counts the request, before its body is read. */
@Injectable()
export class Admission {
  constructor(
    private readonly strategy: BearerStrategy,
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
    if (authorization === undefined) allow(response, this.limits.ofAddress(budgetOf(path), address));
    else if (!BEARER.test(authorization)) allow(response, this.limits.wrongKey(address));
    else request.user = await this.byPassport(request, response);
  }

  private byPassport(request: Request, response: Response): Promise<ApiKey | undefined> {
    return new Promise((resolve, reject) => {
      const found = (error: Error | null, key?: ApiKey | false | null) =>
        error ? reject(error) : resolve(key || undefined);
      // Passport puts what a request does next into the strategy that it is given, so each has its own. By name, all
      // applications of a process would share the strategy of one.
      const own = Object.create(this.strategy) as BearerStrategy;
      const authenticate = passport.authenticate(own, { session: false }, found) as RequestHandler;
      void authenticate(request, response, reject);
    });
  }
}

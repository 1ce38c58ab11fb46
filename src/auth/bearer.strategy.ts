import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import passport from 'passport';
import { onTimeOf } from '../http/connections/answer-in-time';
import { ClientAddress } from '../http/requests/client-address';
import { discardRefused } from '../http/requests/read-body';
import { asksForKey, isShared, pathOf } from '../http/requests/requests';
import { Limits } from '../limits/limits';
import type { ApiKey } from './api-key.entity';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
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

/** The library would also accept a key from the query or the body. */
interface HeadersOnly {
  headers: Request['headers'];
  request: Request;
}

/** Looks up the key in the `Authorization` header. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    private readonly identification: Identification,
    private readonly addresses: ClientAddress,
  ) {
    super({ passReqToCallback: true });
  }

  override authenticate(request: Request): void {
    super.authenticate({ headers: request.headers, request } satisfies HeadersOnly as never);
  }

  async validate({ request }: HeadersOnly, secret: string): Promise<ApiKey | null> {
    const address = this.addresses.of(request);
    const { key, rateLimit } = await this.identification.identify(secret, address, budgetOf(pathOf(request)));
    allow(request.res!, rateLimit);
    return key;
  }
}

const BEARER = /^Bearer [^ ]+$/i;

/** Identifies the caller through Passport and counts the request, before its body is read. */
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
      // Passport stores each request's continuation in the strategy object, so each request has its own. Registered by
      // name, all applications of a process would share one strategy.
      const own = Object.create(this.strategy) as BearerStrategy;
      const authenticate = passport.authenticate(own, { session: false }, found) as RequestHandler;
      void authenticate(request, response, reject);
    });
  }
}

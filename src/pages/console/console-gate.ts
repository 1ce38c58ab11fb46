import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Admission, allow } from '../../auth/admission';
import { CrossSite, SessionRequired } from '../../common/problems';
import { onTimeOf } from '../../http/connections/answer-in-time';
import { ClientAddress } from '../../http/requests/client-address';
import { discardRefused } from '../../http/requests/read-body';
import { isCrossSite } from '../../http/requests/requests';
import { type Route, Routes } from '../../http/requests/routes';
import { Limits } from '../../limits/limits';
import { ConsoleSessions } from './console-sessions';

const PREFIX = '/console/api';
const READS = new Set(['GET', 'HEAD']);

/**
 * Lets the console use the API with a session instead of a key. A request that passes continues under `/api/v1` with a
 * known key. That path itself never reads a cookie.
 */
@Injectable()
export class ConsoleGate {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly admission: Admission,
    private readonly limits: Limits,
    private readonly addresses: ClientAddress,
    private readonly routes: Routes,
  ) {}

  handler(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      const route = this.routes.of(request);
      if (route.gate !== 'session') return next();
      onTimeOf(response, this.admit(request, response, route)).then(
        () => {
          if (route.isOfApi) request.url = `/api/v1${request.url.slice(PREFIX.length)}`;
          next();
        },
        (error: Error) => void discardRefused(request).then(() => next(error), next),
      );
    };
  }

  private async admit(request: Request, response: Response, { signsIn, budget }: Route): Promise<void> {
    if (isCrossSite(request)) throw new CrossSite();
    if (signsIn && request.method === 'POST') return this.admission.admit(request, response);
    const cookies = request.get('Cookie');
    const key = await this.sessions.keyIn(cookies);
    if (!key) {
      allow(response, this.limits.take('management', { address: this.addresses.of(request) }));
      throw new SessionRequired();
    }
    allow(response, this.limits.take(budget, { key: key.id }));
    const token = request.get('X-Milepost-Token');
    if (!READS.has(request.method) && !this.sessions.isTokenOf(cookies, token)) throw new CrossSite();
    request.user = key;
  }
}

import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Admission, allow, budgetOf } from '../../auth/admission';
import { CrossSite, SessionRequired } from '../../common/problems';
import { onTimeOf } from '../../http/connections/answer-in-time';
import { ClientAddress } from '../../http/requests/client-address';
import { discardRefused } from '../../http/requests/read-body';
import { isCrossSite, pathOf } from '../../http/requests/requests';
import { Limits } from '../../limits/limits';
import { ConsoleSessions } from './console-sessions';

const CONSOLE = /^\/console\/api\//i;
const SESSION = /^\/console\/api\/session\/?$/i;
/** The paths of the API that the console may use with a session. */
const ROUTES = /^\/console\/api\/(?=(?:websites|stats|keys|me|webhooks|names)(?:[/?]|$))/i;
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
  ) {}

  handler(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      if (!CONSOLE.test(pathOf(request))) return next();
      onTimeOf(response, this.admit(request, response)).then(
        () => {
          request.url = request.url.replace(ROUTES, '/api/v1/');
          next();
        },
        (error: Error) => void discardRefused(request).then(() => next(error), next),
      );
    };
  }

  private async admit(request: Request, response: Response): Promise<void> {
    if (isCrossSite(request)) throw new CrossSite();
    const path = pathOf(request);
    // Signing in has a key and no session yet.
    if (SESSION.test(path) && request.method === 'POST') return this.admission.admit(request, response);
    const cookies = request.get('Cookie');
    const key = await this.sessions.keyIn(cookies);
    if (!key) {
      allow(response, this.limits.ofAddress('management', this.addresses.of(request)));
      throw new SessionRequired();
    }
    allow(response, this.limits.ofKey(budgetOf(path.replace(ROUTES, '/api/v1/')), key.id));
    const token = request.get('X-Milepost-Token');
    if (!READS.has(request.method) && !this.sessions.isTokenOf(cookies, token)) throw new CrossSite();
    request.user = key;
  }
}

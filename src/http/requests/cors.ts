import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { OriginNotAllowed } from '../../common/problem';
import { pathOf } from './requests';

const EVENTS = /^\/api\/v1\/events\/?$/i;

/** Scripts may send a key by themselves; credentials that a browser adds, like cookies, are never allowed. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};
const EXPOSED =
  'ETag, Content-Disposition, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate';

/** Lets the pages of these origins read with a key. Whatever changes something stays with servers. */
export function letOriginsRead(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction) => {
    if (allowed.size === 0 || EVENTS.test(pathOf(request))) return next();
    response.vary('Origin');
    const origin = request.get('Origin');
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    if (origin === undefined || !allowed.has(origin) || !reads) return next();
    response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
    if (request.method !== 'OPTIONS') return next();
    response.set(PREFLIGHT).status(204).end();
  };
}

const PREFLIGHT_OF_AGENTS = {
  ...PREFLIGHT,
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version, X-Request-Id',
};

/**
 * Lets the pages of these origins ask as agents, with a key, and no others: the protocol wants pages refused that
 * reach a service inside a network by a name that is made to point there.
 */
export function letOriginsAsk(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction) => {
    const origin = request.get('Origin');
    response.vary('Origin');
    if (origin === undefined) return next();
    if (!allowed.has(origin)) return next(new OriginNotAllowed());
    response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
    if (request.method !== 'OPTIONS') return next();
    response.set(PREFLIGHT_OF_AGENTS).status(204).end();
  };
}

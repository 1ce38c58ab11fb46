import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { OriginNotAllowed } from '../../common/problems';
import type { Routes } from './routes';

/** It allows all origins. */
const EVENTS = '/api/v1/events';

/** Scripts may send a key. Credentials that a browser adds, like cookies, are never allowed. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};
const PREFLIGHT_OF_QUESTIONS = {
  ...PREFLIGHT,
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Request-Id',
};
const EXPOSED =
  'ETag, Content-Disposition, X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Deprecation, Sunset';

/** Lets pages of these origins read with a key, and ask what POST asks. Changes are left to servers. */
export function letOriginsRead(origins: readonly string[], routes: Routes): RequestHandler {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction) => {
    const { pattern, budget, methods } = routes.of(request);
    if (allowed.size === 0 || pattern === EVENTS) return next();
    response.vary('Origin');
    const origin = request.get('Origin');
    const asks = budget === 'statistics' && methods.has('POST');
    const reads = ['GET', 'HEAD', 'OPTIONS', ...(asks ? ['POST'] : [])].includes(request.method);
    if (origin === undefined || !allowed.has(origin) || !reads) return next();
    response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
    if (request.method !== 'OPTIONS') return next();
    response
      .set(asks ? PREFLIGHT_OF_QUESTIONS : PREFLIGHT)
      .status(204)
      .end();
  };
}

const PREFLIGHT_OF_AGENTS = {
  ...PREFLIGHT,
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version, X-Request-Id',
};

/**
 * Lets pages of these origins, and no others, use the protocol for agents with a key. The protocol demands this,
 * because a page could otherwise reach an internal service through a name that resolves to it.
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

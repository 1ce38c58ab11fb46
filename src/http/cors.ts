import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { pathOf } from './requests';

const EVENTS = /^\/api\/v1\/events\/?$/i;

/** Scripts may send a key by themselves; credentials that a browser adds, such as cookies, are never allowed. */
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

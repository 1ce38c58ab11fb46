import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const logger = new Logger('Request');

/** Gives each request an id, the caller's own where it sent a sane one, and logs how it ended. */
export function identifyAndLog(request: Request, response: Response, next: NextFunction): void {
  const id = requestIdOf(request.get('X-Request-Id'));
  const startedAt = performance.now();
  response.set('X-Request-Id', id);
  response.on('close', () => {
    logger.log(request.method, {
      request_id: id,
      route: routeOf(request),
      status: response.writableFinished ? response.statusCode : 'aborted',
      ms: Math.round(performance.now() - startedAt),
    });
  });
  next();
}

export function requestIdOf(sent: string | undefined): string {
  return sent && SANE_ID.test(sent) ? sent : randomUUID();
}

/** Without the query, which may hold what is nobody's business. */
export function pathOf({ originalUrl }: Request): string {
  return originalUrl.replace(/^https?:\/\/[^/]*|\?.*$/gs, '');
}

/** The pattern and not the path: what a caller puts into a path by mistake, a key say, stays out of the log. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : '(none)';
}

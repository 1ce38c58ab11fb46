import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
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

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Node would read what is left of a body, however much that is, to use the connection again. */
export function closeIfUnread(response: ServerResponse): void {
  const { req } = response;
  if (hasBody(req) && !req.complete) response.setHeader('Connection', 'close');
}

export function requestIdOf(sent: string | undefined): string {
  return sent && SANE_ID.test(sent) ? sent : randomUUID();
}

export const MCP_PATH = '/mcp';
const SHARED = /^\/share\//i;
const WITH_KEY = /^\/(api\/|mcp\/?$)/i;

/** Whether callers of a path are known by their key, and their requests counted. */
export function asksForKey(path: string): boolean {
  return WITH_KEY.test(path);
}

/** Pages for callers without a key, whose requests are counted as well. */
export function isShared(path: string): boolean {
  return SHARED.test(path);
}

/** The path without its query, in which people may have put a secret. */
export function pathOf({ originalUrl }: Request): string {
  return originalUrl.split('?', 1)[0]!;
}

/** The pattern and not the path: what a caller puts into a path by mistake, a key say, stays out of the log. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : '(none)';
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { CallerLeft } from '../../common/gate';

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

/** A signal that is aborted when the connection closes before its answer is complete. */
export function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new CallerLeft());
  if (response.closed) abort();
  else response.once('close', () => response.writableFinished || abort());
  return controller.signal;
}

/** The value of a cookie in the header `Cookie` of a request. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const cookies = header?.split(';').map((cookie) => cookie.trim()) ?? [];
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether a page of another origin made the browser send this. Browsers without the first header send the second. */
export function isCrossSite(request: Request): boolean {
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.get('Origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== request.get('Host');
}

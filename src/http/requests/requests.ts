import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { CallerLeft } from '../../../engine/ground/gate';

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const logger = new Logger('Request');
/** Files of pages, checks of health, and what open pages ask every few seconds: they would hide all other requests. */
const ROUTINE =
  /^\/(assets|health|docs)\/|^\/tracker(-events)?\.js$|\/live$|^\/console\/api\/(recent|first-visit)$/;

/** Gives each request an id, or accepts a valid id of the caller, and logs the end of the request. */
export function identifyAndLog(request: Request, response: Response, next: NextFunction): void {
  const id = requestIdOf(request.get('X-Request-Id'));
  const startedAt = performance.now();
  response.set('X-Request-Id', id);
  response.on('close', () => {
    const route = routeOf(request);
    const status = response.writableFinished ? response.statusCode : 'aborted';
    const isRoutine = ROUTINE.test(route) && typeof status === 'number' && status < 400;
    logger[isRoutine ? 'debug' : 'log'](request.method, {
      request_id: id,
      route,
      status,
      ms: Math.round(performance.now() - startedAt),
    });
  });
  next();
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Node would read the rest of a body of any size to reuse the connection. */
export function closeIfUnread(response: ServerResponse): void {
  const { req } = response;
  if (hasBody(req) && !req.complete) response.setHeader('Connection', 'close');
}

export function requestIdOf(sent: string | undefined): string {
  return sent && SANE_ID.test(sent) ? sent : randomUUID();
}

export const MCP_PATH = '/mcp';

/** The path without its query, which may contain a secret. */
export function pathOf({ originalUrl }: Request): string {
  return originalUrl.split('?', 1)[0]!;
}

/** The pattern instead of the path, so that a key in a path by mistake is not logged. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : '(none)';
}

/** A signal that aborts when the connection closes before the end of its answer. */
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

/**
 * Tells whether a page of another origin made the browser send the request. Browsers without the first header send the
 * second.
 */
export function isCrossSite(request: Request): boolean {
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = request.get('Origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== request.get('Host');
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { CallerLeft } from '../../../engine/ground/gate';
import { Counter, Durations } from '../../../engine/ground/measures';

const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const logger = new Logger('Request');
/** Files of pages, checks of health, and what open pages ask every few seconds: they would hide all other requests. */
const ROUTINE =
  /^\/(assets|health|docs)\/|^\/metrics$|^\/tracker(-events)?\.js$|\/live$|^\/console\/api\/(recent|first-visit)$/;

const REQUESTS = new Counter('http_requests_total', 'Requests that ended, by the pattern of their route.', [
  'method',
  'route',
  'status',
]);
const SECONDS = new Durations('http_request_seconds', 'How long requests took until their end.', ['route']);

/** What measures say of a request: the pattern of its route, and its method if the route has it. */
export interface MeasuredRoute {
  route: string;
  method: string;
}

/**
 * Gives each request an id, or accepts a valid id of the caller, and logs and measures the end of the request. `routeOf`
 * must have few results, because each stays in memory.
 */
export function identifyAndLog(routeOf: (request: Request) => MeasuredRoute): RequestHandler {
  return (request, response, next) => {
    const id = requestIdOf(request.get('X-Request-Id'));
    const startedAt = performance.now();
    response.set('X-Request-Id', id);
    response.on('close', () => {
      const status = measureEnd(routeOf(request), response, startedAt);
      const route = patternOf(request);
      const isRoutine = ROUTINE.test(route) && typeof status === 'number' && status < 400;
      logger[isRoutine ? 'debug' : 'log'](request.method, {
        request_id: id,
        ...traceOf(request),
        route,
        status,
        ms: Math.round(performance.now() - startedAt),
      });
    });
    next();
  };
}

/** Measures the end of a request, and returns its status. */
export function measureEnd(
  { route, method }: MeasuredRoute,
  response: ServerResponse,
  startedAt: number,
): number | 'aborted' {
  const status = response.writableFinished ? response.statusCode : 'aborted';
  REQUESTS.add(1, method, route, status);
  SECONDS.add(performance.now() - startedAt, route);
  return status;
}

/** A version, the id of a trace, that of a span, and flags. Later versions may say more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=$|-)/;

/** For log lines: the trace that a request is part of, if it names one as W3C's Trace Context has it. */
export function traceOf({ headers }: IncomingMessage): { traceparent?: string } {
  const sent = headers.traceparent;
  const [traceparent, version] = (typeof sent === 'string' && TRACEPARENT.exec(sent)) || [];
  const isValid = traceparent !== undefined && (version !== '00' || traceparent === sent);
  return isValid ? { traceparent } : {};
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
function patternOf(request: Request): string {
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

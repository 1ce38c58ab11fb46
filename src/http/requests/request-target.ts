import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Malformed } from '../../common/problems';
import { respondWithProblem, SECURITY_HEADERS } from '../answers/problem-response';
import { requestIdOf } from './requests';

/** A path that Express routes unchanged. Express would strip trailing blanks, which Node accepts. */
const PATH = /^\/[^#\s\ufeff]*$/;
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

type Handler = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Lets a handler see all requests first. It returns true for requests that it answers. Returns the previous listener.
 */
export function putInFront(server: Server, handle: Handler): RequestListener {
  const others = server.listeners('request') as RequestListener[];
  const goOn: RequestListener = (request, response) => {
    for (const listener of others) listener(request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!handle(request, response)) goOn(request, response);
  });
  return goOn;
}

export function normaliseTargets(server: Server): void {
  putInFront(server, (request, response) => {
    try {
      refuseHosts(request);
      normaliseTarget(request);
      return false;
    } catch (error) {
      const headers = { 'X-Request-Id': requestIdOf(undefined), ...SECURITY_HEADERS };
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      respondWithProblem(response, error, '');
      return true;
    }
  });
}

/** Node takes the first of several, and a proxy may take another one (RFC 9112, section 3.2). */
function refuseHosts({ rawHeaders }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Malformed('The request has more than one header Host.');
}

/**
 * Normalises the target of a request to a path and a query, so that every reader sees the same. A scheme and host
 * before it are allowed, and a fragment is ignored.
 */
function normaliseTarget(request: IncomingMessage): void {
  const { url = '' } = request;
  if (PATH.test(url) || url === '*') return;
  const authority = AUTHORITY.exec(url)?.[0];
  const rest = url.slice(authority?.length ?? 0).split('#', 1)[0]!;
  const path = authority !== undefined && !rest.startsWith('/') ? `/${rest}` : rest;
  if (!PATH.test(path)) throw new Malformed('The target of the request is not a path.');
  request.url = path;
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { networkOf, normaliseAddress } from '../../common/address';
import { bytesOfPool } from '../../../engine/ground/memory/memory-limits';
import { Problem } from '../../../engine/ground/errors';
import { Counter } from '../../../engine/ground/measures';
import { UnreadAnswers } from '../../../engine/ground/memory/unread-answers';
import { HeadersTooLong, Malformed, problemContent, RequestTimeout, statusOf } from '../../common/problems';
import { SECURITY_HEADERS } from '../answers/problem-response';
import { requestIdOf } from '../requests/requests';

/** A connection takes some 10 KiB, and up to 64 KiB more while it sends an event. */
const MAX_CONNECTIONS = 5000;
/** For one client, unless it is a trusted proxy. */
const MAX_CONNECTIONS_OF_CLIENT = 500;
const HEADERS_WITHIN_MS = 10_000;
/** A batch may take this long. Readers of other bodies allow less. */
const REQUEST_WITHIN_MS = 60_000;
const IDLE_MS = 10_000;
/** The interval at which Node looks for expired connections. */
const CHECK_EVERY_MS = 2000;

/** The time without a byte in either direction. An answer begins within 35 seconds, waiting for a thread included. */
const SILENT_MS = 40_000;

/** Limits the resources of slow clients and of clients with many connections. */
export function limitConnections(server: Server, isProxy: (peer: string) => boolean): void {
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = HEADERS_WITHIN_MS;
  server.requestTimeout = REQUEST_WITHIN_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.timeout = SILENT_MS;
  server.on('connection', limitEachClient(isProxy));
  Object.assign(server, { connectionsCheckingInterval: CHECK_EVERY_MS });
}

/** Clients that read have no unread answers. */
const unread = new UnreadAnswers<string>(bytesOfPool('unreadAnswers'));

/** Limits the memory of answers that slow clients leave unread. Files are read from disk in parts and do not count. */
export function boundUnread(response: ServerResponse, callerOf: () => string): void {
  response.once('prefinish', () => response.socket && unread.add(response.socket, callerOf()));
}

/**
 * Closes each connection after its answer, so that no request is cut off and busy clients cannot delay the end of the
 * service.
 */
export function endConnectionsAfterAnswers(server: Server): void {
  server.prependListener('request', (_, response) => void (response.shouldKeepAlive = false));
}

/** A proxy on this machine may not be configured as one. */
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

export function limitEachClient(isProxy: (peer: string) => boolean): (socket: Socket) => void {
  const connections = new Map<string, number>();
  return (socket) => {
    const peer = socket.remoteAddress ?? '';
    if (LOOPBACK.test(peer) || isProxy(peer)) return;
    const client = networkOf(normaliseAddress(peer) ?? peer);
    const before = connections.get(client) ?? 0;
    if (before >= MAX_CONNECTIONS_OF_CLIENT) return void socket.destroy();
    connections.set(client, before + 1);
    socket.once('close', () => {
      const left = connections.get(client)! - 1;
      if (left > 0) connections.set(client, left);
      else connections.delete(client);
    });
  };
}

const UNREADABLE_REQUESTS = new Counter(
  'http_unreadable_requests_total',
  'Requests that could not be read, so that they reached no route.',
  ['status'],
);
const MALFORMED = new Malformed('The request cannot be read.');
const UNREADABLE: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new HeadersTooLong(),
  ERR_HTTP_REQUEST_TIMEOUT: new RequestTimeout(),
};

/** Answers requests that Node cannot parse. They never reach a route. */
export function answerUnreadableRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const problem = UNREADABLE[error.code ?? ''] ?? MALFORMED;
    UNREADABLE_REQUESTS.add(1, statusOf(problem));
    const id = requestIdOf(undefined);
    const body = JSON.stringify(problemContent(problem, '', id));
    const headers = {
      'X-Request-Id': id,
      ...SECURITY_HEADERS,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    };
    const head = [
      `HTTP/1.1 ${statusOf(problem)} ${STATUS_CODES[statusOf(problem)]}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TooManyRequests } from '../../../engine/ground/errors';
import { respondWithProblem, SECURITY_HEADERS } from '../answers/problem-response';
import { putInFront } from '../requests/request-target';
import { requestIdOf } from '../requests/requests';

/** Browsers and proxies wait for an answer before they send the next request. */
const MAX_WAITING = 8;

/**
 * Handles one request of a connection at a time. One packet can hold 1,500 requests: all at once, they would delay
 * other connections, and their answers would stay in memory until they are read.
 */
export function answerInTurn(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  const goOn = putInFront(server, (request, response) => {
    // Node assigns the connection to an answer after the previous answer was sent.
    if (response.socket) return false;
    const before = waiting.get(request.socket) ?? 0;
    waiting.set(request.socket, before + 1);
    if (before === MAX_WAITING) refuse(response);
    if (before >= MAX_WAITING) return true;
    response.once('socket', () => {
      waiting.set(request.socket, waiting.get(request.socket)! - 1);
      goOn(request, response);
    });
    return true;
  });
}

/** The last answer of its connection. Further data on it is ignored. */
function refuse(response: ServerResponse): void {
  const headers = { 'X-Request-Id': requestIdOf(undefined), ...SECURITY_HEADERS, Connection: 'close' };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  respondWithProblem(response, new TooManyRequests(), '');
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TooManyRequests } from '../../common/problem';
import { respondWithProblem, SECURITY_HEADERS } from '../answers/problem-response';
import { putInFront } from '../requests/request-target';
import { requestIdOf } from '../requests/requests';

/** Browsers and proxies send a request once they have the answer to the one before. */
const MAX_WAITING = 8;

/**
 * Works on one request of a connection at a time. One packet can hold 1,500 of them: all at once, they would keep
 * those of other connections waiting, and their answers in memory until they are read.
 */
export function answerInTurn(server: Server): void {
  const waiting = new WeakMap<Socket, number>();
  const goOn = putInFront(server, (request, response) => {
    // Node gives an answer its connection once the answer before has left.
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

/** The last answer of its connection: whatever else came on it is not looked at. */
function refuse(response: ServerResponse): void {
  const headers = { 'X-Request-Id': requestIdOf(undefined), ...SECURITY_HEADERS, Connection: 'close' };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  respondWithProblem(response, new TooManyRequests(), '');
}

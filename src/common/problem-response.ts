import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { driverCode } from './error-code';
import { Malformed, NotFound, Problem, TooLarge, Unexpected, UnsupportedBody } from './problem';

const logger = new Logger('Problem');

/** Answers with whatever was thrown, and logs it where it is the service's own fault. */
export function respondWithProblem(response: ServerResponse, error: unknown, path: string): void {
  if (response.writableEnded) return; // its caller was told already that it takes too long
  const problem = asProblem(error);
  const requestId = String(response.getHeader('X-Request-Id') ?? '');
  if (problem.status >= 500) logger.error(problem.code, { request_id: requestId, cause: causeOf(problem) });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(problem.toJSON(path, requestId));
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.statusCode = problem.status;
  response.end(body);
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { status } = error as { status?: number };
  if (status === 400) return new Malformed('The request cannot be read.');
  if (status === 404) return new NotFound('route');
  if (status === 413) return new TooLarge();
  if (status === 415) return new UnsupportedBody();
  return new Unexpected(error);
}

/** A driver's message may quote values and SQL, so of such an error only the code and the place are kept. */
function causeOf({ cause }: Problem): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = driverCode(cause);
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  const headline = code ? `${cause.name} ${code}` : `${cause.name}: ${cause.message}`;
  return [headline, ...frames].join('\n');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallerLeft } from '../../../engine/ground/gate';
import { Problem, type ProblemCode } from '../../../engine/ground/errors';
import {
  Malformed,
  NotFound,
  problemContent,
  ProblemWithHeaders,
  statusOf,
  TooLarge,
  Unexpected,
  UnsupportedBody,
} from '../../common/problems';
import { closeIfUnread, traceOf } from '../requests/requests';
import { Logger } from '@nestjs/common';
import { driverCode, errorCode } from '../../../engine/ground/error-code';

const WINDOW_MS = 1000;
/** They occur by the thousand while the database is unavailable, and their stacks are useless. */
const WITHOUT_STACK = new Set(['database_unavailable', 'overloaded']);

/** Callers without a key can bring these about, who must not wake an operator. */
const OF_LOAD = new Set<ProblemCode>(['overloaded', 'question_too_long']);

/** Logs a problem at once. For similar problems within a second, it logs only their number. */
export class ProblemLog {
  private readonly repeated = new Map<string, number>();

  constructor(private readonly logger = new Logger('Problem')) {}

  add(problem: Problem, requestId: string, hasKey = true, trace = {}): void {
    const { code, cause } = problem;
    const level = !hasKey && OF_LOAD.has(code) ? 'warn' : 'error';
    const kind = `${level} ${code} ${cause instanceof Error ? errorCode(cause) : ''}`;
    const count = this.repeated.get(kind);
    if (count !== undefined) {
      this.repeated.set(kind, count + 1);
      return;
    }
    this.logger[level](code, { request_id: requestId, ...trace, cause: causeOf(problem) });
    this.repeated.set(kind, 0);
    setTimeout(() => this.end(level, code, kind), WINDOW_MS).unref();
  }

  private end(level: 'warn' | 'error', code: string, kind: string): void {
    const count = this.repeated.get(kind);
    this.repeated.delete(kind);
    if (count) this.logger[level](code, { more: count });
  }
}

/** A driver's message may quote values and SQL, so only the code and the place of such an error are logged. */
function causeOf({ code, cause }: Problem): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const known = driverCode(cause);
  const headline = known ? `${cause.name} ${known}` : `${cause.name}: ${cause.message}`;
  if (WITHOUT_STACK.has(code)) return headline;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [headline, ...frames].join('\n');
}

const log = new ProblemLog();

/** For answers that do not pass through helmet. */
export const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

/** Answers with the problem of an error, and logs it if its status is 5xx. */
export function respondWithProblem(response: ServerResponse, error: unknown, path: string): void {
  // The answer was already sent if the work took too long.
  if (response.writableEnded || error instanceof CallerLeft) return;
  const problem = asProblem(error);
  const requestId = String(response.getHeader('X-Request-Id') ?? '');
  logProblem(problem, requestId, hasKey(response.req), traceOf(response.req));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.removeHeader('Content-Encoding');
  const body = JSON.stringify(problemContent(problem, path, requestId));
  for (const [name, value] of Object.entries(headersOf(problem))) response.setHeader(name, value);
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  closeIfUnread(response);
  response.statusCode = statusOf(problem);
  response.end(body);
}

export function logProblem(problem: Problem, requestId: string, isOfKey = true, trace = {}): void {
  if (statusOf(problem) >= 500) log.add(problem, requestId, isOfKey, trace);
}

export function hasKey(request: IncomingMessage): boolean {
  return (request as { user?: unknown }).user !== undefined;
}

const CHALLENGES: Partial<Record<ProblemCode, string>> = {
  unauthorized: 'Bearer realm="Milepost"',
  scope_too_narrow: 'Bearer realm="Milepost", error="insufficient_scope"',
};

function headersOf(problem: Problem): Record<string, string> {
  const { code, retryAfterSeconds } = problem;
  const challenge = CHALLENGES[code];
  return {
    ...(problem instanceof ProblemWithHeaders && problem.headers),
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  };
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { status } = error as { status?: number };
  if (status === 400) return new Malformed('The request cannot be read.');
  if (status === 404) return new NotFound('Route');
  if (status === 413) return new TooLarge();
  if (status === 415) return new UnsupportedBody();
  return new Unexpected(error);
}

import { STATUS_CODES } from 'node:http';
import { Problem, type ProblemCode } from '../../engine/ground/errors';

const STATUS: Record<ProblemCode, number> = {
  malformed: 400,
  unauthorized: 401,
  scope_too_narrow: 403,
  origin_not_allowed: 403,
  password_required: 403,
  cross_site: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  in_use: 409,
  limits_shared_page: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_body: 415,
  invalid_fields: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  too_many_requests: 429,
  internal_error: 500,
  damaged_segment: 500,
  damaged_columns: 500,
  database_unavailable: 503,
  overloaded: 503,
  statistics_changed: 503,
  question_too_long: 503,
};

export function statusOf(problem: Problem): number {
  return problem instanceof HeadersTooLong ? 431 : STATUS[problem.code];
}

/** The body of an answer (RFC 9457). */
export function problemContent(problem: Problem, instance: string, requestId: string) {
  const status = statusOf(problem);
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problem.detail,
    instance,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
  };
}

/** Its answer has further headers. */
export abstract class ProblemWithHeaders extends Problem {
  abstract readonly headers: Record<string, string>;
}

/** Tells whether the service is busy or the database is down, rather than data damaged. */
export function willPass(problem: Problem): boolean {
  return [429, 503].includes(statusOf(problem));
}

/** Tells whether it is others who keep the service busy, and not what was asked. */
export function isThroughOthers(problem: Problem): boolean {
  return willPass(problem) && problem.code !== 'question_too_long';
}

export class Malformed extends Problem {
  constructor(detail: string) {
    super('malformed', detail);
  }
}

export class ScopeTooNarrow extends Problem {
  constructor(detail: string) {
    super('scope_too_narrow', detail);
  }
}

export class OriginNotAllowed extends Problem {
  constructor() {
    super(
      'origin_not_allowed',
      'Requests from this origin are not allowed; CORS_ORIGINS lists the allowed origins.',
    );
  }
}

/** For the console, which has sessions instead of keys. */
export class SessionRequired extends Problem {
  constructor() {
    super('unauthorized', 'Sign in first.');
  }
}

export class CrossSite extends Problem {
  constructor() {
    super('cross_site', 'Cross-site requests are not allowed.');
  }
}

export type Missing =
  | 'Website'
  | 'Key'
  | 'Route'
  | 'Goal'
  | 'Saved filter'
  | 'Funnel'
  | 'Annotation'
  | 'Alert'
  | 'Exclusion'
  | 'Webhook'
  | 'Delivery';

export class NotFound extends Problem {
  constructor(what: Missing) {
    super('not_found', `${what} not found.`);
  }
}

export class UnknownMessage extends Problem {
  constructor() {
    super('not_found', 'Unknown message.');
  }
}

export class NotAcceptable extends Problem {
  constructor(types: readonly string[]) {
    super(
      'not_acceptable',
      `The answer is available as ${types.join(', ')}; the request asks for none of these.`,
    );
  }
}

export class Conflict extends Problem {
  constructor(detail: string) {
    super('conflict', detail);
  }
}

export class InUse extends Problem {
  /** `user` refers to what should be deleted. */
  constructor(user: string) {
    super('in_use', `It is used by ${user}; change or delete that first.`);
  }
}

export class LimitsSharedPage extends Problem {
  constructor() {
    super(
      'limits_shared_page',
      'This saved filter limits the shared page, which would then show everything. Change its "shared" to 0 first, or share another saved filter.',
    );
  }
}

export class PreconditionFailed extends Problem {
  constructor() {
    super(
      'precondition_failed',
      'The current version does not meet the condition in If-Match or If-None-Match.',
    );
  }
}

export class TooLarge extends Problem {
  constructor(what: 'body' | 'message' = 'body') {
    super('too_large', `The ${what} is too large.`);
  }
}

export class HeadersTooLong extends Problem {
  constructor() {
    super('too_large', 'The address or the headers are too long.');
  }
}

export class UnsupportedBody extends Problem {
  constructor(types = 'application/x-www-form-urlencoded or application/json') {
    super('unsupported_body', `Send the body as ${types}, in UTF-8.`);
  }
}

export class RequestTimeout extends Problem {
  constructor() {
    super('timeout', 'The request did not finish in time.');
  }
}

export class Unexpected extends Problem {
  constructor(cause: unknown) {
    super('internal_error', 'Internal error; the log has details under the request id.', {
      cause,
    });
  }
}

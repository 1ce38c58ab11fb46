import { STATUS_CODES } from 'node:http';

export type FieldErrors = Record<string, string[]>;

interface Details {
  errors?: FieldErrors;
  retryAfterSeconds?: number;
  /** Headers of an HTTP answer. */
  headers?: Record<string, string>;
  cause?: unknown;
}

export const PROBLEM_CODES = [
  'malformed',
  'unauthorized',
  'scope_too_narrow',
  'origin_not_allowed',
  'password_required',
  'cross_site',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'timeout',
  'conflict',
  'in_use',
  'limits_shared_page',
  'precondition_failed',
  'too_large',
  'unsupported_body',
  'invalid_fields',
  'idempotency_key_reused',
  'rate_limited',
  'too_many_requests',
  'internal_error',
  'damaged_segment',
  'damaged_columns',
  'database_unavailable',
  'overloaded',
  'statistics_changed',
  'question_too_long',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** An error for a caller (RFC 9457). Its code is stable: clients switch on it. */
export class Problem extends Error {
  readonly errors: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    readonly detail: string,
    { errors, retryAfterSeconds, headers = {}, cause }: Details = {},
  ) {
    super(detail, { cause });
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }

  toJSON(instance: string, requestId: string) {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.detail,
      instance,
      code: this.code,
      request_id: requestId,
      ...(this.errors && { errors: this.errors }),
    };
  }
}

/** Whether the service is busy or the database is down, rather than data damaged. */
export function willPass({ status }: Problem): boolean {
  return status === 503 || status === 429;
}

/** Whether it is others who keep the service busy, and not what was asked. */
export function isThroughOthers(problem: Problem): boolean {
  return willPass(problem) && problem.code !== 'question_too_long';
}

export class Malformed extends Problem {
  constructor(detail: string) {
    super(400, 'malformed', detail);
  }
}

export class Unauthorized extends Problem {
  constructor() {
    super(401, 'unauthorized', 'A valid API key is required in the header "Authorization: Bearer …".');
  }
}

export class ScopeTooNarrow extends Problem {
  constructor(detail: string) {
    super(403, 'scope_too_narrow', detail);
  }
}

export class OriginNotAllowed extends Problem {
  constructor() {
    super(
      403,
      'origin_not_allowed',
      'Requests from this origin are not allowed; CORS_ORIGINS lists the allowed origins.',
    );
  }
}

/** For the console, which has sessions instead of keys. */
export class SessionRequired extends Problem {
  constructor() {
    super(401, 'unauthorized', 'Sign in first.');
  }
}

export class CrossSite extends Problem {
  constructor() {
    super(403, 'cross_site', 'Cross-site requests are not allowed.');
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
  | 'Webhook'
  | 'Delivery';

export class NotFound extends Problem {
  constructor(what: Missing) {
    super(404, 'not_found', `${what} not found.`);
  }
}

export class UnknownMessage extends Problem {
  constructor() {
    super(404, 'not_found', 'Unknown message.');
  }
}

export class NotAcceptable extends Problem {
  constructor(types: readonly string[]) {
    super(406, 'not_acceptable', `Available types: ${types.join(', ')}; none matches the Accept header.`);
  }
}

export class Conflict extends Problem {
  constructor(detail: string) {
    super(409, 'conflict', detail);
  }
}

export class InUse extends Problem {
  /** `user` refers to what should be deleted. */
  constructor(user: string) {
    super(409, 'in_use', `It is used by ${user}; change or delete that first.`);
  }
}

export class LimitsSharedPage extends Problem {
  constructor() {
    super(
      409,
      'limits_shared_page',
      'This saved filter limits the shared page, which would then show everything. Change its "shared" to 0 first, or share another saved filter.',
    );
  }
}

export class PreconditionFailed extends Problem {
  constructor() {
    super(
      412,
      'precondition_failed',
      'The current version does not meet the condition in If-Match or If-None-Match.',
    );
  }
}

export class TooLarge extends Problem {
  constructor(what: 'body' | 'message' = 'body') {
    super(413, 'too_large', `The ${what} is too large.`);
  }
}

export class UnsupportedBody extends Problem {
  constructor(types = 'application/x-www-form-urlencoded or application/json') {
    super(415, 'unsupported_body', `Send the body as ${types}, in UTF-8.`);
  }
}

export class RequestTimeout extends Problem {
  constructor() {
    super(408, 'timeout', 'The request did not finish in time.');
  }
}

export class InvalidFields extends Problem {
  constructor(errors: FieldErrors) {
    super(422, 'invalid_fields', 'Validation failed; see "errors".', { errors });
  }
}

export class TooManyRequests extends Problem {
  constructor(detail = 'This caller has too many such requests in progress.', retryAfterSeconds = 2) {
    super(429, 'too_many_requests', detail, { retryAfterSeconds });
  }
}

export class Overloaded extends Problem {
  constructor() {
    super(503, 'overloaded', 'The service has too many such requests in progress.', { retryAfterSeconds: 2 });
  }
}

export class QuestionTooLong extends Problem {
  constructor(advice: string) {
    super(503, 'question_too_long', `The query takes too long. ${advice}`, { retryAfterSeconds: 2 });
  }
}

export class Unexpected extends Problem {
  constructor(cause: unknown) {
    super(500, 'internal_error', 'Internal error; the log has details under the request id.', {
      cause,
    });
  }
}

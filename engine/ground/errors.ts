export type FieldErrors = Record<string, string[]>;

interface Details {
  errors?: FieldErrors;
  retryAfterSeconds?: number;
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
  'limit_reached',
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
  'warehouse_unavailable',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** An error for a caller. Its code is stable: clients switch on it. */
export class Problem extends Error {
  readonly errors: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    { errors, retryAfterSeconds, cause }: Details = {},
  ) {
    super(detail, { cause });
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The asker may not see the website, or there is none. */
export class NotSeen extends Problem {
  constructor() {
    super('not_found', 'Website not found.');
  }
}

export class InvalidFields extends Problem {
  constructor(errors: FieldErrors) {
    super('invalid_fields', 'Validation failed; see "errors".', { errors });
  }
}

export class TooManyRequests extends Problem {
  constructor(detail = 'This caller has too many such requests in progress.', retryAfterSeconds = 2) {
    super('too_many_requests', detail, { retryAfterSeconds });
  }
}

export class Overloaded extends Problem {
  constructor() {
    super('overloaded', 'The service has too many such requests in progress.', { retryAfterSeconds: 2 });
  }
}

export class QuestionTooLong extends Problem {
  constructor(advice: string) {
    super('question_too_long', `The query takes too long. ${advice}`, { retryAfterSeconds: 2 });
  }
}

/** The condition under which the caller's data may be stored does not hold any more. */
export class Changed extends Error {}

/** The reason why a value is rejected; its message is shown to the caller. */
export class NotAllowed extends Error {}

/** Rejects a part of a value at a place like `.0.1`; an empty place is the value itself. */
export type Refuse = (place: string, problem: string) => undefined;

/** An expected failure of a command; only its message is shown. */
export class CommandError extends Error {}

import { STATUS_CODES } from 'node:http';
import { Problem, type ProblemCode } from '../../engine/ground/errors';

/** The status of each kind of problem, and what docs/problems.md says about it. */
export const PROBLEM_KINDS: Record<ProblemCode, readonly [status: number, about: string]> = {
  malformed: [
    400,
    'The request cannot be read, for example because of broken JSON, a broken percent escape, or a header with a wrong form. Sending it again does not help.',
  ],
  unauthorized: [
    401,
    'There is no key, or the key is not valid: it is unknown, deleted or expired. Send it in the header `Authorization: Bearer …`, or in the field `key` of a message.',
  ],
  scope_too_narrow: [
    403,
    'The key is valid, but its scope, or its limit to websites, does not allow this. Use another key.',
  ],
  origin_not_allowed: [403, 'A page of another origin asks, and `CORS_ORIGINS` does not list that origin.'],
  password_required: [403, 'The shared page needs its password. Enter it in a browser first.'],
  cross_site: [
    403,
    'A request with the session of the console came from another site. Only the console may use its session.',
  ],
  not_found: [
    404,
    'The address, or what it names, does not exist, or belongs to another user. The two are not told apart.',
  ],
  method_not_allowed: [
    405,
    'The address exists, but not with this method. The header `Allow` lists the methods.',
  ],
  not_acceptable: [
    406,
    'The answer has none of the types that `Accept` or `format` ask for. `detail` lists the available types.',
  ],
  timeout: [408, 'The request did not arrive, or was not answered, in time. Send it again.'],
  conflict: [409, 'Its state does not allow the change. `detail` says what to do first.'],
  in_use: [409, 'Something else refers to it. Change or delete what `detail` names first.'],
  limits_shared_page: [
    409,
    'The saved filter limits what a shared page shows, and the change would show everything. Change its `shared` to 0 first.',
  ],
  precondition_failed: [
    412,
    'The version does not meet `If-Match` or `If-None-Match`. Read it again, and repeat the change with the new `ETag`.',
  ],
  too_large: [
    413,
    'The body, the message or the result is too large; with status 431, the address and the headers are. Send or ask for less.',
  ],
  unsupported_body: [415, 'The body has a type that is not read here. `detail` lists the types.'],
  invalid_fields: [
    422,
    'A field or a parameter is not valid. `errors` has for each what is wrong and what is allowed.',
  ],
  limit_reached: [422, 'There are already as many as there may be. Delete one first.'],
  idempotency_key_reused: [
    422,
    'The `Idempotency-Key` was sent with another request before, or what that request made is gone. Use a new one.',
  ],
  rate_limited: [429, 'A budget of requests is used up. Wait for the seconds in `Retry-After`.'],
  too_many_requests: [
    429,
    'The caller has too many requests in progress, or too much of what it sent waits. Wait for the seconds in `Retry-After`, and send less at once.',
  ],
  internal_error: [500, 'The service has a fault. Its log has details under the `request_id`.'],
  damaged_segment: [500, 'Stored hits of a day are damaged. The operator finds them with `stats verify`.'],
  damaged_columns: [500, 'Stored columns of a day are damaged. The operator finds them with `stats verify`.'],
  database_unavailable: [503, 'The database cannot be reached. Wait for the seconds in `Retry-After`.'],
  overloaded: [503, 'All callers together ask for too much. Wait for the seconds in `Retry-After`.'],
  statistics_changed: [503, 'The statistics changed while they were read. Send the request again.'],
  question_too_long: [
    503,
    'The question takes too long. Ask for fewer days or names, or with a narrower filter.',
  ],
  warehouse_unavailable: [
    503,
    'The hits of old days are in a warehouse, which does not answer or does not have all of them now. Other questions are answered. Wait for the seconds in `Retry-After`.',
  ],
};

export function statusOf(problem: Problem): number {
  return problem instanceof HeadersTooLong ? 431 : PROBLEM_KINDS[problem.code][0];
}

let guide = '';

/** Sets the address of the service, which has the guide that the types of problems lead to. */
export function setGuideOf({ baseUrl = '' }: { baseUrl: string | undefined }): void {
  guide = baseUrl;
}

/** The address of what the guide says about a code. */
export function problemType(code: ProblemCode): string {
  return `${guide}/docs/guide/problems#${code}`;
}

/** The body of an answer (RFC 9457). */
export function problemContent(problem: Problem, instance: string, requestId: string) {
  const status = statusOf(problem);
  return {
    type: problemType(problem.code),
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

/** There are as many of a kind as there may be. */
export class LimitReached extends Problem {
  constructor(owner: 'user' | 'website', most: number, kind: string) {
    super('limit_reached', `A ${owner} has at most ${most.toLocaleString('en')} ${kind}; delete one first.`);
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

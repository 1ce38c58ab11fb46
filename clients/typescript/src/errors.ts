import type { components } from './openapi.ts';

export type Problem = components['schemas']['Problem'];
export type ProblemCode = Problem['code'];

/** An error answer of the service. */
export class MilepostError extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  /** The problems of each field. */
  readonly errors: Record<string, string[]>;
  /** Identifies the request in the service's log. */
  readonly requestId: string;
  /** The number of seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined;

  constructor({ status, code, detail, errors = {}, request_id }: Problem, retryAfter?: number) {
    const fields = Object.entries(errors).map(([name, problems]) => ` ${name}: ${problems.join(', ')}.`);
    super(detail + fields.join(''));
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.requestId = request_id;
    this.retryAfter = retryAfter;
  }
}

export class Malformed extends MilepostError {}
export class Unauthorized extends MilepostError {}
export class ScopeTooNarrow extends MilepostError {}
export class OriginNotAllowed extends MilepostError {}
export class PasswordRequired extends MilepostError {}
export class CrossSite extends MilepostError {}
export class NotFound extends MilepostError {}
export class MethodNotAllowed extends MilepostError {}
export class NotAcceptable extends MilepostError {}
export class RequestTimeout extends MilepostError {}
export class Conflict extends MilepostError {}
export class InUse extends MilepostError {}
export class LimitsSharedPage extends MilepostError {}
export class PreconditionFailed extends MilepostError {}
export class TooLarge extends MilepostError {}
export class UnsupportedBody extends MilepostError {}
export class InvalidFields extends MilepostError {}
export class LimitReached extends MilepostError {}
export class IdempotencyKeyReused extends MilepostError {}
export class RateLimited extends MilepostError {}
export class TooManyRequests extends MilepostError {}
export class InternalError extends MilepostError {}
export class DamagedSegment extends MilepostError {}
export class DamagedColumns extends MilepostError {}
export class DatabaseUnavailable extends MilepostError {}
export class Overloaded extends MilepostError {}
export class StatisticsChanged extends MilepostError {}
export class QuestionTooLong extends MilepostError {}
export class WarehouseUnavailable extends MilepostError {}

const CLASSES: Record<ProblemCode, typeof MilepostError> = {
  malformed: Malformed,
  unauthorized: Unauthorized,
  scope_too_narrow: ScopeTooNarrow,
  origin_not_allowed: OriginNotAllowed,
  password_required: PasswordRequired,
  cross_site: CrossSite,
  not_found: NotFound,
  method_not_allowed: MethodNotAllowed,
  not_acceptable: NotAcceptable,
  timeout: RequestTimeout,
  conflict: Conflict,
  in_use: InUse,
  limits_shared_page: LimitsSharedPage,
  precondition_failed: PreconditionFailed,
  too_large: TooLarge,
  unsupported_body: UnsupportedBody,
  invalid_fields: InvalidFields,
  limit_reached: LimitReached,
  idempotency_key_reused: IdempotencyKeyReused,
  rate_limited: RateLimited,
  too_many_requests: TooManyRequests,
  internal_error: InternalError,
  damaged_segment: DamagedSegment,
  damaged_columns: DamagedColumns,
  database_unavailable: DatabaseUnavailable,
  overloaded: Overloaded,
  statistics_changed: StatisticsChanged,
  question_too_long: QuestionTooLong,
  warehouse_unavailable: WarehouseUnavailable,
};

interface NoAnswerDetails {
  status?: number;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** No answer arrived, or the answer is not the service's (for example a proxy's). */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, { status, retryAfter, cause }: NoAnswerDetails = {}) {
    super(message, { cause });
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** A code unknown to this version is a MilepostError too. */
export async function errorOf(response: Response): Promise<MilepostError | NoAnswer> {
  const problem = (await response.json().catch(() => null)) as Problem | null;
  const { status, headers } = response;
  const after = Number(headers.get('Retry-After') ?? NaN);
  const retryAfter = Number.isNaN(after) ? undefined : after;
  if (typeof problem?.code !== 'string')
    return new NoAnswer(`An answer with the status ${status} is not the service's.`, { status, retryAfter });
  return new (CLASSES[problem.code] ?? MilepostError)(problem, retryAfter);
}
